"""The table of kernels on tiles: data in the inner memory, and in the one behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from deployer import __version__
from deployer.bench.markdown import table
from deployer.bench.tiled_kernels import InTiles, KernelRow
from deployer.bench.tiled_kernels_layers import MAC
from deployer.bench.tiles_setting import inner_memory, outer_memory
from deployer.board.model import Board

Facts = dict[str, Any]
SCHEMA = 1


def table_facts(board: Board, rows: Sequence[KernelRow]) -> Facts:
    """The table as JSON types. ``rows`` are of one toolchain, and runners of one kind."""
    toolchain = rows[0].inside.toolchain
    return {
        "schema": SCHEMA,
        "deployer": __version__,
        "board": board.name,
        "cores": board.cores,
        "kind": rows[0].inside.kind,
        "memories": {"inner": inner_memory(board), "outer": outer_memory(board)},
        "compiler": toolchain["compiler"],
        "flags": list(toolchain["flags"]),
        "rows": [_facts(row) for row in rows],
    }


def _facts(row: KernelRow) -> Facts:
    inside = asdict(row.inside)
    del inside["toolchain"], inside["tool"], inside["kind"]
    return {
        "layer": row.layer,
        "runner": row.runner,
        "tool": row.inside.tool,
        "counts": row.counts,
        "inside": inside,
        "one_core": row.one_core,
        "speed_up": row.speed_up,
        "in_tiles": _tiled(row.in_tiles) if row.in_tiles else None,
    }


def _tiled(found: InTiles) -> Facts:
    return {**asdict(found), "overhead": found.overhead}


def markdown(facts: Facts) -> str:
    """A table a runner, below it what the figures are."""
    runners = dict.fromkeys(row["runner"] for row in facts["rows"])
    parts = [
        f"Kernels on {facts['board']}, {facts['kind']}",
        *("\n".join(_table(facts, runner)) for runner in runners),
        "\n".join(_foot(facts)),
    ]
    return "\n\n".join(parts) + "\n"


def _table(facts: Facts, runner: str) -> Iterator[str]:
    rows = [row for row in facts["rows"] if row["runner"] == runner]
    inner, outer = facts["memories"]["inner"].upper(), facts["memories"]["outer"].upper()
    yield f"Runner {runner} ({rows[0]['tool']}):"
    yield ""
    head = (
        *("layer", f"data in {inner}", f"{facts['cores']} cores", "rate", "1 core", "speed-up"),
        *(f"data in {outer}", "tiles", "cycles", "in the kernel", "overhead", "rate"),
    )
    yield from table(head, (_cells(row) for row in rows))


def _cells(row: Facts) -> list[str]:
    inside, counts = row["inside"], row["counts"]
    cells = [row["layer"], inside["geometry"], f"{inside['cycles']:,}", _rate(counts, inside)]
    cells += [f"{row['one_core']:,}", f"{row['speed_up']:.2f}"]
    tiled = row["in_tiles"]
    if tiled is None:
        return [*cells, *[""] * 6]
    cells += [tiled["geometry"], str(tiled["tiles"]), f"{tiled['cycles']:,}"]
    return [*cells, f"{tiled['inside']:,}", f"{tiled['overhead']:.1%}", _rate(counts, tiled)]


def _rate(counts: str, found: Facts) -> str:
    """MACs a cycle, of others cycles for one."""
    if counts == MAC:
        return f"{found['work'] / found['cycles']:.2f} MAC/c"
    return f"{found['cycles'] / found['work']:.2f} c/{counts}"


def _foot(facts: Facts) -> Iterator[str]:
    yield f"Compiler: {facts['compiler']}; flags: {' '.join(facts['flags'])}."
    yield "Every output is the one of the numpy reference, bit for bit."
