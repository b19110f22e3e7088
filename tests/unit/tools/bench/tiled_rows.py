"""Rows of ``bench tiles`` whose figures are easy to follow."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from deployer.board.load import load_board
from deployer.board.model import Board
from deployer.tools.bench.row import EXACT, NO_FIT
from deployer.tools.bench.tiles import TilesRow, TilesRun

KIB = 1024


def board() -> Board:
    return load_board("gap8")


def layer(name: str, *, cycles: int | None, macs: int = 4000, op: str = "Conv2d") -> dict[str, Any]:
    """A step of the manifest that is estimated to take ``cycles``; None without tiles."""
    tiles = {
        "memory": "l1",
        "tile": [4, 8, 16],
        "counts": [2, 1, 1],
        "count": 2,
        "channels_inner": True,
        "bytes": 9000,
        "bytes_in": 700,
        "bytes_out": 300,
        "cycles": cycles,
        "compute": 3 * (cycles or 0) // 4,
        "waiting": (cycles or 0) // 10,
        "kind": "estimated",
    }
    shape = [1, 8, 8, 16]
    facts = {"name": name, "op": op, "kernel": f"dpl_{op.lower()}", "macs": macs, "shape": shape}
    return {**facts, "tiles": tiles if cycles else None}


def run(*counts: int, runner: str = "gap8_sim", outcome: str = EXACT) -> TilesRun:
    return TilesRun(runner, outcome, "", "simulated", "cycles", "a simulator", counts)


def row(
    *counts: int, tiler: str = "cost", inner: int = 64, more: tuple[TilesRun, ...] = ()
) -> TilesRow:
    """A network of two convolutions in tiles and a table without."""
    layers = (
        layer("first", cycles=1000),
        layer("second", cycles=2000, macs=8000),
        layer("table", cycles=None, macs=0, op="Table"),
    )
    sizes = inner * KIB, 512 * KIB
    runs, macs = (run(*counts), *more), sum(each["macs"] for each in layers)
    return TilesRow("net", tiler, *sizes, EXACT, "", layers, None, runs, macs)


def coarse(found: TilesRow) -> TilesRow:
    """The same layers in single tiles."""
    layers = (
        {**each, "tiles": each["tiles"] and {**each["tiles"], "count": 1}} for each in found.layers
    )
    return replace(found, layers=tuple(layers))


def too_large(inner: int = 22) -> TilesRow:
    return TilesRow("net", "cost", inner * KIB, 256 * KIB, NO_FIT, "the plan needs | more")
