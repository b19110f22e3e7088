"""Outputs of steps in tiles that lie over their inputs: every integer stays the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph
from deployer.ir.share import OVER
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute
from emulated.test_gap8_tiles import HALF, OPTIONS, SAME, _job
from unit.quantize.graphs import Draft


def growing() -> Graph:
    """A layer whose output is larger than its input, and one with a wide window behind it."""
    draft = Draft(1, 24, 14, 8, seed=8)
    five = Window((5, 5), pads=Pads(2, 2, 2, 2))
    wide = draft.conv(draft.conv("x", 28, Window((1, 1))), 28, five)
    return draft.graph(draft.conv(wide, 8, HALF))


def separable() -> Graph:
    draft = Draft(1, 26, 12, 8, seed=9)
    deep = draft.depthwise(draft.conv(draft.depthwise("x", SAME), 24, Window((1, 1))), SAME)
    return draft.graph(draft.conv(draft.depthwise(deep, HALF), 12, Window((1, 1))))


@pytest.mark.parametrize("kib", [16, 56])
@pytest.mark.parametrize("net", [growing, separable])
def test_overlapping_outputs_are_bit_exact(
    net: Callable[[], Graph], kib: int, tool: Callable[[str], str], tmp_path: Path
) -> None:
    tool("riscv64-unknown-elf-gcc")
    job = _job(net(), tmp_path, kib, replace(OPTIONS, requant="i32", optimize="ram"))
    store = execute(job, first="quantize")
    report = run_job(job, store)
    shares = [s for s in store.get("schedule").graph.shares if s.kind == OVER]
    assert shares
    assert report["golden"]["match"], report["golden"]
    assert report["shared"]["arena"] < report["shared"]["arena_before"]
