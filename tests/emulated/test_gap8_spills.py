"""Activations that L2 cannot hold lie in the HyperRAM meanwhile, every integer the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.ir.attrs import Pads, ResizeAttrs, Window
from deployer.ir.graph import Graph
from emulated.small_gap8 import exact_with
from unit.quantize.graphs import Draft

SAME = Window((3, 3), pads=Pads(1, 1, 1, 1))
HALF = Window((2, 2), (2, 2))
CODE_KIB = 96  # of images of these networks, with the weights


def segmenter() -> Graph:
    """A U-Net of two scales, 48 KiB a value at the larger one."""
    draft = Draft(1, 64, 48, 4, seed=1)
    skipped = draft.conv(draft.conv("x", 16, SAME), 16, SAME)
    small = draft.conv(draft.largest(skipped, HALF), 24, SAME)
    up = draft.deconv(small, 16, HALF, (64, 48))
    both = draft.conv(draft.concat(up, skipped, axis=3), 16, SAME)
    return draft.graph(draft.conv(both, 2, Window((1, 1))))


def odd_rows() -> Graph:
    """Rows of 111 and 185 bytes, no whole words, added after a path at half of the pixels."""
    draft = Draft(1, 58, 37, 3, seed=2)
    skipped = draft.conv(draft.conv("x", 25, SAME), 25, SAME)
    halved = draft.conv(skipped, 9, Window((3, 3), (2, 1), pads=Pads(0, 1, 1, 1)))
    up = draft.node("Resize", draft.conv(halved, 25, SAME), attrs=ResizeAttrs((2, 1)))
    both = draft.add(up, skipped)
    return draft.graph(draft.conv(both, 3, Window((3, 3), (2, 2), pads=Pads(0, 1, 1, 1))))


NETWORKS: dict[str, tuple[Callable[[], Graph], int]] = {
    "segmenter": (segmenter, 72),
    "odd rows": (odd_rows, 32),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_spilled_values_come_back(name: str, tool: Callable[[str], str], tmp_path: Path) -> None:
    tool("riscv64-unknown-elf-gcc")
    net, room = NETWORKS[name]
    store = exact_with(room + CODE_KIB, net(), tmp_path)
    graph = store.get("schedule").graph
    assert graph.spilled
    source = (store.path("generate") / "network.c").read_text()
    assert "dpl_spill(" in source
    assert "dpl_reload(" in source
