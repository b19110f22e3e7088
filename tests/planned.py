"""Whole plans of seeded networks, made once a process, for tests that pin what a package decides.

A test calls ``pinned`` with its text; ``DEPLOYER_PIN=1 python -m pytest tests/unit -k pinned``
writes the files anew. Read their difference as a change that every user's plans see.
"""

from __future__ import annotations

import math
import os
import re
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import onnx

from deployer.ir.graph import Graph
from deployer.ir.plan import MemoryPlan, Schedule, TilePlan
from deployer.pipeline.job import Job, make_job
from deployer.pipeline.network_survey import Survey, survey
from deployer.pipeline.options import Options
from deployer.pipeline.stages import execute
from deployer.resources import data_root
from deployer.tools.zoo.build import draw, save
from models import all_nets

PIN = "DEPLOYER_PIN"
NUMBER = re.compile(r"\d+\.\d+(?:e[+-]?\d+)?")


@dataclass(frozen=True)
class Case:
    """A network of the zoo, or of ``models.py`` where ``drawn`` is None; ``l2``: KiB that its
    GAP8 has."""

    net: str
    board: str
    drawn: dict[str, Any] | None = None
    options: dict[str, Any] | None = None
    l2: int = 0


CASES = {
    "patches": Case("upydnet", "nucleo-f767zi", {"resolution": (48, 48)}, {"ram": 72 << 10}),
    "streamed": Case(
        "mobilenetv2",
        "nucleo-f767zi",
        {"width": 0.35, "resolution": (48, 48), "classes": 10},
        {"optimize": "ram", "stream_input": True},
    ),
    "fetched": Case(
        "mobilenetv1", "gap8", {"width": 0.25, "resolution": (48, 48), "classes": 10}, l2=192
    ),
    "stripes": Case(
        "mobilenetv2", "gap8", {"width": 0.35, "resolution": (64, 64), "classes": 10}, l2=176
    ),
    "spilled": Case("unet", "gap8", {"width": 0.25, "resolution": (64, 64)}, l2=136),
    "wide": Case(
        "mobilenetv3-small",
        "gap8",
        {"width": 0.1, "resolution": (32, 32), "classes": 10},
        {"bits": 16},
    ),
    "pools": Case("pools_net", "rpi3", None, {"softmax": "device"}),
    "residual": Case("residual_net", "nucleo-f767zi", None, {"scheme": "power-of-two"}),
}
PLAIN: dict[str, Any] = {
    "calibrate": "minmax", "equalize": "off", "bias_correction": "off", "golden_samples": 1,
}  # fmt: skip


@dataclass(frozen=True)
class Planned:
    """What the stages made of a case."""

    job: Job
    imported: Graph
    quantized: Graph
    schedule: Schedule
    plan: MemoryPlan
    tiles: TilePlan
    sources: dict[str, str]


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="planned-")


@cache
def job_of(name: str) -> Job:
    case, folder = CASES[name], Path(_folder().name) / name
    folder.mkdir()
    model = folder / f"{name}.onnx"
    if case.drawn is None:
        onnx.save(all_nets()[case.net], model)
    else:
        save(draw(case.net, **case.drawn), model)
    board = _smaller(folder, case.l2) if case.l2 else case.board
    options = Options(**PLAIN, **(case.options or {}))
    return make_job(model, board, options=options, output=folder, board_dir=folder)


def _smaller(folder: Path, l2: int) -> str:
    text = (data_root() / "boards" / "gap8.toml").read_text()
    small = text.replace('"gap8"', '"small"', 1).replace('"512KiB"', f'"{l2}KiB"', 1)
    (folder / "small.toml").write_text(small)
    return "small"


@cache
def planned(name: str) -> Planned:
    job = job_of(name)
    store = execute(job, last="generate")
    stages = ("import", "quantize", "schedule", "allocate", "tile")
    graph, quantized, schedule, plan, tiles = map(store.get, stages)
    folder = store.path("generate")
    sources = {path.name: path.read_text() for path in sorted(folder.glob("*.[chl]*"))}
    return Planned(job, graph, quantized.graph, schedule, plan, tiles, sources)


@cache
def surveyed(name: str) -> Survey:
    return survey(job_of(name))


def pinned(path: Path, text: str) -> None:
    """``text`` is that of the file at ``path``, decimal numbers but for a thousandth, since another
    BLAS sums floats in another order; with ``DEPLOYER_PIN`` set it is written there."""
    text = "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
    if os.environ.get(PIN):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    wanted = path.read_text()
    why = f"{PIN}=1 writes {path} anew"
    assert NUMBER.sub("~", text) == NUMBER.sub("~", wanted), why
    numbers = (list(map(float, NUMBER.findall(each))) for each in (text, wanted))
    for found, known in zip(*numbers, strict=True):
        assert math.isclose(found, known, rel_tol=1e-3), why
