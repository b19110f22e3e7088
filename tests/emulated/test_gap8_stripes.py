"""A chain whose middle is more than L2 holds runs by stripes or part by part, every integer the
same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph
from emulated.small_gap8 import exact_with
from unit.quantize.graphs import Draft

SAME = Window((3, 3), pads=Pads(1, 1, 1, 1))
HALF = Window((3, 3), (2, 2), pads=Pads(0, 0, 1, 1))
POINT = Window((1, 1))
L2 = 112  # KiB


def narrow_wide_narrow() -> Graph:
    """48 channels of 40 rows between 4 and 8: 76,800 bytes that never exist at once."""
    draft = Draft(1, 40, 40, 4, seed=1)
    wide = draft.conv("x", 48, POINT)
    small = draft.conv(draft.depthwise(wide, HALF), 8, POINT)
    return draft.graph(draft.conv(small, 8, SAME))


def wide_and_mixed() -> Graph:
    """As wide, with a layer behind it that needs all channels at once."""
    draft = Draft(1, 40, 40, 4, seed=1)
    wide = draft.conv("x", 48, POINT)
    return draft.graph(draft.conv(draft.conv(wide, 8, HALF), 8, SAME))


def large_input() -> Graph:
    """36,864 bytes in, 147,456 between, 18,432 out of the first layers."""
    draft = Draft(1, 96, 96, 4, seed=2)
    wide = draft.conv("x", 16, SAME)
    small = draft.conv(draft.depthwise(wide, HALF), 8, POINT)
    return draft.graph(draft.conv(small, 8, HALF))


def test_what_does_not_fit_runs_by_stripes(tool: Callable[[str], str], tmp_path: Path) -> None:
    tool("riscv64-unknown-elf-gcc")
    store = exact_with(L2, wide_and_mixed(), tmp_path)
    names = [step.node for step in store.get("schedule").steps]
    assert any(name.endswith(".rows.1") for name in names)
    assert not store.get("schedule").graph.outside


def test_channels_that_do_not_fit_run_part_by_part(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    tool("riscv64-unknown-elf-gcc")
    store = exact_with(L2, narrow_wide_narrow(), tmp_path)
    found = store.get("schedule")
    kinds = [node.op for node in found.graph.nodes][:4]
    assert kinds == ["Conv2d", "DepthwiseConv2d"] * 2
    assert all(share.kind == "view" for share in found.graph.shares)


def test_an_input_that_is_too_large_arrives_by_rows(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    tool("riscv64-unknown-elf-gcc")
    store = exact_with(L2, large_input(), tmp_path)
    assert store.get("schedule").graph.outside == {"x"}
    source = (store.path("generate") / "network.c").read_text()
    assert "row_source(row_context, &rows)" in source
    assert ".input_rows = " in source
