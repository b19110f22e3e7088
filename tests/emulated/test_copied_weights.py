"""Weights partly in a fast memory, partly where the image has them: bit-exact, and counted so."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deployer.ir.graph import Graph
from deployer.pipeline.job import Job, make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute, open_store
from unit.quantize.graphs import Draft

DTCM, FLASH = range(0x2000_0000, 0x2002_0000), range(0x0020_0000)


def too_wide() -> Graph:
    """Dense layers of 192 KiB: DTCM holds some of them."""
    draft = Draft(1, 512, seed=5)
    first = draft.dense("x", 128)
    wide = draft.dense(draft.dense(first, 128), 512)
    return draft.graph(draft.dense(draft.dense(wide, 64), 10))


@pytest.fixture
def job(tool: Callable[[str], str], tmp_path: Path) -> Callable[[str], Job]:
    for program in ("arm-none-eabi-gcc", "qemu-system-arm"):
        tool(program)

    def make(place: str) -> Job:
        model = tmp_path / f"{place}.onnx"
        model.write_bytes(b"the graph stands in for the imported file")
        options = Options(golden_samples=2, bias_correction="off", equalize="off", place=place)
        made = make_job(model, "nucleo-f767zi", options=options, output=tmp_path)
        open_store(made).put("import", too_wide())
        return made

    return make


def report_of(job: Job) -> dict[str, Any]:
    return run_job(job, execute(job, first="quantize"))


def addresses(job: Job, nm: str) -> dict[str, int]:
    elf = open_store(job).path("build") / "firmware.elf"
    text = subprocess.run([nm, str(elf)], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in text.splitlines())
    return {row[2]: int(row[0], 16) for row in rows if len(row) == 3}


def test_weights_in_two_memories_are_bit_exact(
    job: Callable[[str], Job], tool: Callable[[str], str]
) -> None:
    some = job("auto")
    report = report_of(some)
    assert report["golden"]["match"], report["golden"]
    plan = open_store(some).get("allocate")
    symbols = addresses(some, tool("arm-none-eabi-nm"))
    seen = {"dtcm": 0, "flash": 0}
    for place in plan.constants:
        name = "net_" + place.name.replace(".", "_")
        found = next(value for key, value in symbols.items() if key.lower() == name.lower())
        assert found in (DTCM if place.copied else FLASH), place
        seen[place.memory] += place.bytes
    assert min(seen.values()) > 32 << 10
    copies = report["memory"]["copied_weights"]
    assert copies["by_memory"]["dtcm"] == plan.copies["dtcm"]
    assert report["memory"]["spare"] == plan.copies["dtcm"]


def test_place_off_copies_nothing_and_computes_the_same(job: Callable[[str], Job]) -> None:
    off, auto = report_of(job("off")), report_of(job("auto"))
    assert off["memory"]["copied_weights"] is None
    assert off["golden"]["match"]
    assert auto["golden"]["match"]
    assert off["memory"]["ram"] == auto["memory"]["ram"]
    assert (off["memory"]["spare"], auto["memory"]["spare"] > 0) == (0, True)
    assert abs(off["memory"]["flash"] - auto["memory"]["flash"]) < 1024
    assert [row["count"] for row in off["layers"]] == [row["count"] for row in auto["layers"]]
