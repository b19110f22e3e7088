"""The table of kernels on tiles: data in the inner memory, and in the one behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deployer import __version__
from deployer.board import Board
from deployer.tools.bench.facts import InsideFacts, InTilesFacts, KernelRowFacts, TiledKernelsTable
from deployer.tools.bench.markdown import markdown_table
from deployer.tools.bench.tiled_kernels import Found, InTiles, KernelRow
from deployer.tools.bench.tiled_kernels_layers import MAC
from deployer.tools.bench.tiles_setting import inner_memory, outer_memory

SCHEMA = 1


def tiled_kernels_facts(board: Board, rows: Sequence[KernelRow]) -> TiledKernelsTable:
    """The table as JSON types. Compiler, flags and kind are those of all rows, "" where none came
    to figures."""
    found = next((row.found.inside for row in rows if row.found), None)
    return {
        "schema": SCHEMA,
        "deployer": __version__,
        "board": board.name,
        "cores": board.cores,
        "memories": {"inner": inner_memory(board), "outer": outer_memory(board)},
        "kind": found.kind if found else "",
        "compiler": found.toolchain["compiler"] if found else "",
        "flags": list(found.toolchain["flags"]) if found else [],
        "rows": [_facts(row) for row in rows],
    }


def _facts(row: KernelRow) -> KernelRowFacts:
    found = row.found
    return {
        "layer": row.layer,
        "runner": row.runner,
        "counts": row.counts,
        "outcome": row.outcome,
        "detail": row.detail,
        "tool": found.inside.tool if found else "",
        "inside": _inside(found) if found else None,
        "in_tiles": _tiled(found.in_tiles) if found else None,
    }


def _inside(found: Found) -> InsideFacts:
    inside = found.inside
    return {
        "geometry": inside.geometry,
        "kernel": inside.kernel,
        "rule": inside.rule,
        "work": inside.work,
        "cycles": inside.cycles,
        "one_core": found.one_core,
        "speed_up": found.speed_up,
    }


def _tiled(found: InTiles) -> InTilesFacts:
    return {
        "geometry": found.geometry,
        "work": found.work,
        "tiles": found.tiles,
        "cycles": found.cycles,
        "inside": found.inside,
        "overhead": found.overhead,
    }


def tiled_kernels_markdown(facts: TiledKernelsTable) -> str:
    """A table a runner, below it what the figures are."""
    runners = dict.fromkeys(row["runner"] for row in facts["rows"])
    parts = [
        f"Kernels on {facts['board']}, {facts['kind'] or 'no figures'}",
        *("\n".join(_table(facts, runner)) for runner in runners),
        "\n".join(_foot(facts)),
    ]
    return "\n\n".join(parts) + "\n"


def _table(facts: TiledKernelsTable, runner: str) -> Iterator[str]:
    rows = [row for row in facts["rows"] if row["runner"] == runner]
    inner, outer = facts["memories"]["inner"].upper(), facts["memories"]["outer"].upper()
    tools = [row["tool"] for row in rows if row["tool"]]
    yield f"Runner {runner}{f' ({tools[0]})' if tools else ''}:"
    yield ""
    head = (
        *("layer", f"data in {inner}", f"{facts['cores']} cores", "rate", "1 core", "speed-up"),
        *(f"data in {outer}", "tiles", "cycles", "in the kernel", "overhead", "rate in tiles"),
    )
    yield from markdown_table(head, (_cells(row) for row in rows))


def _cells(row: KernelRowFacts) -> list[str]:
    inside, tiled, counts = row["inside"], row["in_tiles"], row["counts"]
    if inside is None:
        said = row["detail"].replace("\n", " ").replace("|", "/")
        return [row["layer"], f"**{row['outcome']}** {said}", *[""] * 10]
    cells = [row["layer"], inside["geometry"], f"{inside['cycles']:,}", _rate(counts, inside)]
    cells += [f"{inside['one_core']:,}", f"{inside['speed_up']:.2f}"]
    if tiled is None:
        return [*cells, *[""] * 6]
    cells += [tiled["geometry"], str(tiled["tiles"]), f"{tiled['cycles']:,}"]
    return [*cells, f"{tiled['inside']:,}", f"{tiled['overhead']:.1%}", _rate(counts, tiled)]


def _rate(counts: str, found: InsideFacts | InTilesFacts) -> str:
    """MACs a cycle, of others cycles for one."""
    if counts == MAC:
        return f"{found['work'] / found['cycles']:.2f} MAC/c"
    return f"{found['cycles'] / found['work']:.2f} c/{counts}"


def _foot(facts: TiledKernelsTable) -> Iterator[str]:
    yield f"Compiler: {facts['compiler']}; flags: {' '.join(facts['flags'])}."
    yield "Outputs of all rows with figures are those of the numpy reference, bit for bit."
