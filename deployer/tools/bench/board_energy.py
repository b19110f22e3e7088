"""One model's energy on a board: built, programmed, recorded by a meter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from deployer.pipeline import BUILD, Job, alone, execute
from deployer.tools.bench.energy_table import EnergySubject
from deployer_hil import MeasuredEnergy, Recording, Source, create, keep_recordings, measure_energy


def measure_model_energy(
    job: Job,
    runner_options: Mapping[str, Any],
    source: Source,
    *,
    inferences: int | None = None,
    folder: Path | None = None,
) -> tuple[EnergySubject, MeasuredEnergy]:
    """``inferences`` in a window, None for as many as last it. ``folder``: keeps what the meter
    recorded. The meter is closed however this ends. Raises what the stages and ``measure_energy``
    raise."""
    keep = partial(keep_recordings, folder) if folder else _forget
    try:
        with alone(job):
            bundle = execute(job).get(BUILD)
            with create(job.runner, bundle, **runner_options) as device:
                found = measure_energy(
                    bundle,
                    device,
                    source,
                    inferences=inferences,
                    progress=job.progress,
                    keep=keep,
                )
    finally:
        source.close()
    manifest = bundle.manifest
    subject = EnergySubject(
        source.name,
        manifest["model"]["name"],
        manifest["model"]["sha256"],
        job.board.name,
        found.caps,
    )
    return subject, found


def _forget(windows: Sequence[Recording], idle: Sequence[Recording]) -> None:
    """Nobody wants them."""
