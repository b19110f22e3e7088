"""What ``deployer bench kernels`` does: build the networks, profile, print, gate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from deployer.bench.counts_gate import Gate
from deployer.bench.kernels_table import kernels_facts, markdown
from deployer.bench.model_time import ModelTime, time_model
from deployer.bench.reference import NETWORKS, reference_model
from deployer.cli.bench_model_job import machine_for, pass_gate
from deployer.cli.progress import ProgressView, progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.errors import UsageError
from deployer.pipeline.options import make_job
from deployer.timing.machine import Machine
from deployer.timing.profile import RUNNER


def carry_out(given: dict[str, Any]) -> None:
    """Raises ThresholdError after the table when the gate is missed."""
    check_output(given["output"])
    gate = Gate(given["gate"], given["rewrite"])
    gate.prepare()
    names = _names(given["names"])
    machine = machine_for(given["board"], given["costs"], given["board_dir"])
    with progress_view() as view:
        timed = _timed(names, machine, given["board_dir"], view)
    facts = kernels_facts(machine, timed)
    put_table(facts, markdown, output=given["output"], as_json=given["as_json"])
    pass_gate(gate, timed)


def _names(asked: Sequence[str]) -> list[str]:
    for name in asked:
        if name not in NETWORKS:
            raise UsageError(f"unknown network {name!r}", hints=[f"one of {', '.join(NETWORKS)}"])
    return [name for name in NETWORKS if name in asked or not asked]


def _timed(
    names: Sequence[str], machine: Machine, board_dir: Path | None, view: ProgressView
) -> list[ModelTime]:
    found = []
    with TemporaryDirectory() as folder:
        for done, name in enumerate(names):
            view.update("bench", done, len(names))
            found.append(_one(name, machine, board_dir, Path(folder)))
            view.notice(f"{name}: {found[-1].instructions:,} instructions")
        view.update("bench", len(names), len(names))
    return found


def _one(name: str, machine: Machine, board_dir: Path | None, folder: Path) -> ModelTime:
    path, options = reference_model(name, folder)
    job = make_job(
        path, machine.name, options=options, runner=RUNNER, output=folder, board_dir=board_dir
    )
    return time_model(job, machine, name=name)
