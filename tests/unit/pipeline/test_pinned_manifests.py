"""Manifests and programs of seeded networks: every fact a bundle tells, every file an image is
made of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deployer.build.size import ImageSize
from deployer.build.toolchain import Tools
from deployer.pipeline.artifacts import Quantized
from deployer.pipeline.build_stage import _with_outer, firmware_program, with_define
from deployer.pipeline.generate_stage import option_lines
from deployer.pipeline.manifest import make_manifest
from deployer.pipeline.plan_facts import restructure_facts
from deployer.pipeline.stages import open_store
from deployer.pipeline.widths import width_text
from deployer.resources import data_root
from planned import Planned, pinned, planned
from unit.pipeline.test_pinned_surveys import _lines

FOLDER = Path(__file__).parent / "pinned"
CALIBRATED = {
    "calibrate": "percentile", "percentile": 99.5, "equalize": True, "bias_correction": False,
}  # fmt: skip


def manifest(found: Planned) -> Iterator[str]:
    graph = replace(
        found.quantized, meta={**found.quantized.meta, "model_sha256": "", "model_file": "m.onnx"}
    )
    quantized = Quantized(graph, {"calibration": CALIBRATED}, {})
    size = ImageSize(code=50_000, weights=40_000, static=90_000, itcm=0)
    made = make_manifest(
        found.job, found.schedule, found.plan, found.tiles, quantized, size, _tools()
    )
    for step in made["steps"]:
        step["tiles"] = step["tiles"] and {k: step["tiles"][k] for k in ("tile", "count", "bytes")}
    yield from _lines(json.loads(json.dumps({**made, "runners": list(made["runners"])})), "")


def _tools() -> Tools:
    return Tools(**{name: f"{name} 1" for name in Tools.__dataclass_fields__})


@pytest.mark.parametrize("name", ["residual", "fetched", "patches", "pools", "spilled"])
def test_a_manifest_is_the_one_pinned(name: str) -> None:
    pinned(FOLDER / f"{name}-manifest.txt", "\n".join(manifest(planned(name))))


def program(found: Planned) -> Iterator[str]:
    folder, root = open_store(found.job).path("generate"), data_root()
    made = firmware_program(found.job, found.schedule, folder, found.tiles)
    made = _with_outer(with_define(made, "MORE", "1"), found.job, found.schedule, found.plan)

    def told(path: Path | None) -> str:
        if path is None:
            return "nothing"
        return str(path).replace(str(folder), "GENERATED").replace(str(root), "ROOT")

    yield f"{made.board.name}, linked by {told(made.linker_script)}, {made.library}"
    for name in ("sources", "includes", "parts"):
        yield f"{name}: {' '.join(map(told, getattr(made, name)))}"
    yield from map(str, made.defines)
    calibrated = {**CALIBRATED, "percentile": None} if found.job.options.bits == 16 else CALIBRATED
    yield from option_lines(found.job, calibrated, width_text(found.quantized))


def test_programs_are_those_pinned() -> None:
    names = ("residual", "fetched", "patches", "pools", "wide", "streamed", "spilled")
    text = [line for name in names for line in (f"## {name}", *program(planned(name)))]
    pinned(FOLDER / "programs.txt", "\n".join(text))


def test_what_was_restructured_is_told_as_pinned() -> None:
    text = []
    for name in ("patches", "streamed", "stripes", "residual"):
        found = planned(name)
        facts = restructure_facts(found.schedule, found.plan, found.job.board)
        text += [f"## {name}", *_lines(json.loads(json.dumps(facts)), "")]
    pinned(FOLDER / "restructured.txt", "\n".join(text))
