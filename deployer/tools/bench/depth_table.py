"""Depth networks in each precision, beside paper 001's table 3.3: JSON types, and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypedDict

from deployer import __version__
from deployer.codegen import shape_text
from deployer.errors import ThresholdError
from deployer.tools.bench.depth import DEPTH_PRECISIONS, FP32, TABLE_3_3, DepthRow
from deployer.tools.bench.markdown import markdown_table
from deployer.tools.timing import Machine
from deployer.units import FigureKind

DEPTH_SCHEMA = 1
PAPER_INPUT = 3, 256, 512  # of table 3.3
_HEAD = (
    *("precision", "weights", "arena", "all RAM", "c/MAC", "ms, 1 thread", "ms", "frames/s"),
    *("frames/J", "over FP32"),
)
_PAPER_HEAD = (
    *("precision", "weights MB", "paper", "RAM MB", "paper", "frames/J", "paper", "over FP32"),
    "paper",
)


class PublishedFacts(TypedDict):
    """As printed: megabytes, frames per joule, and these over FP32's."""

    space_mb: float
    ram_mb: float
    frames_per_joule: float
    over_float: float


class DepthRowFacts(TypedDict):
    """Bytes; ``cycles`` of one thread, ``cycles_of_threads`` of all. ``over_float``: how many times
    as fast as FP32 on all threads, None without that row."""

    network: str
    input: Sequence[int]
    parameters: int
    macs: int
    precision: str
    element: str
    weights: int
    arena: int
    resident: int
    instructions: int
    cycles: float
    cycles_of_threads: float
    frames_per_second: float
    frames_per_joule: float
    over_float: float | None
    published: PublishedFacts | None


class DepthTable(TypedDict):
    schema: int
    deployer: str
    board: str
    kind: str
    clock_hz: int
    error: float
    ratio_error: float
    threads: int
    watts: float
    compilers: Sequence[str]
    tools: Sequence[str]
    rows: Sequence[DepthRowFacts]


def depth_facts(
    machine: Machine, rows: Sequence[DepthRow], *, threads: int, watts: float
) -> DepthTable:
    """Schema 1, described in docs/bench.md."""
    floats = {row.network: row.together for row in rows if row.precision == FP32}
    return {
        "schema": DEPTH_SCHEMA,
        "deployer": __version__,
        "board": machine.name,
        "kind": FigureKind.ESTIMATED,
        "clock_hz": machine.clock_hz,
        "error": machine.error,
        "ratio_error": machine.ratio_error,
        "threads": threads,
        "watts": watts,
        "compilers": [*dict.fromkeys(f"{row.compiler}, {' '.join(row.flags)}" for row in rows)],
        "tools": [*dict.fromkeys(row.tool for row in rows)],
        "rows": [_facts(row, floats, machine.clock_hz, watts) for row in rows],
    }


def _facts(row: DepthRow, floats: Mapping[str, float], clock: int, watts: float) -> DepthRowFacts:
    rate = clock / row.together
    base = floats.get(row.network)
    return {
        "network": row.network,
        "input": row.input,
        "parameters": row.parameters,
        "macs": row.macs,
        "precision": row.precision,
        "element": DEPTH_PRECISIONS[row.precision],
        "weights": row.weights,
        "arena": row.arena,
        "resident": row.resident,
        "instructions": row.instructions,
        "cycles": row.alone,
        "cycles_of_threads": row.together,
        "frames_per_second": rate,
        "frames_per_joule": rate / watts,
        "over_float": None if base is None else base / row.together,
        "published": _published(row),
    }


def _published(row: DepthRow) -> PublishedFacts | None:
    """None of another network or resolution than the paper's."""
    if row.network != "pydnet" or row.input != PAPER_INPUT:
        return None
    found = TABLE_3_3[row.precision]
    return {
        "space_mb": found.space,
        "ram_mb": found.ram,
        "frames_per_joule": found.frames_per_joule,
        "over_float": round(found.frames_per_joule / TABLE_3_3[FP32].frames_per_joule, 2),
    }


def depth_markdown(table: DepthTable) -> str:
    """A table for each network, behind it one of what the paper prints beside ours."""
    names = dict.fromkeys(row["network"] for row in table["rows"])
    lines: list[str] = []
    for name in names:
        lines += _network(table, [row for row in table["rows"] if row["network"] == name])
    return "\n".join([*lines, *_notes(table)]) + "\n"


def _network(table: DepthTable, rows: Sequence[DepthRowFacts]) -> Iterator[str]:
    first = rows[0]
    yield (
        f"{first['network']}, {shape_text(tuple(first['input']))} on {table['board']}: "
        f"{first['parameters']:,} parameters, {first['macs']:,} MACs"
    )
    yield ""
    yield from markdown_table(_HEAD, [_cells(table, row) for row in rows])
    yield ""
    if printed := [(row, row["published"]) for row in rows if row["published"]]:
        yield "Beside paper 001, table 3.3, half resolution (measured there, ARMv7-A, 32 bits):"
        yield ""
        yield from markdown_table(_PAPER_HEAD, [_beside(row, paper) for row, paper in printed])
        yield ""


def _cells(table: DepthTable, row: DepthRowFacts) -> list[str]:
    return [
        f"{row['precision']} ({row['element']})",
        *(f"{size:,}" for size in (row["weights"], row["arena"], row["resident"])),
        f"{row['cycles'] / row['macs']:.3f}",
        *(_ms(table, cycles) for cycles in (row["cycles"], row["cycles_of_threads"])),
        f"{row['frames_per_second']:.3g}",
        f"{row['frames_per_joule']:.3g}",
        _times(row["over_float"]),
    ]


def _ms(table: DepthTable, cycles: float) -> str:
    return f"{1000 * cycles / table['clock_hz']:.4g}"


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}"


def _beside(row: DepthRowFacts, paper: PublishedFacts | None) -> list[str]:
    assert paper is not None
    return [
        row["precision"],
        f"{row['weights'] / 1e6:.1f}",
        f"{paper['space_mb']:g}",
        f"{row['resident'] / 1e6:.1f}",
        f"{paper['ram_mb']:g}",
        f"{row['frames_per_joule']:.3f}",
        f"{paper['frames_per_joule']:.3f}",
        _times(row["over_float"]),
        _times(paper["over_float"]),
    ]


def _notes(table: DepthTable) -> Iterator[str]:
    yield (
        f"Times are {table['kind']} ± {table['error']:.0%}, ratios ± {table['ratio_error']:.0%}: "
        f"one warm inference at {table['clock_hz'] / 1e6:g} MHz; *ms* and what is derived from it "
        f"on {table['threads']} threads, *c/MAC* on one."
    )
    yield (
        f"Frames per joule assume {table['watts']:g} W, whatever the precision; nothing here "
        "measured power."
    )
    yield (
        "*Weights* are stored as kernels read them (some transformed), *all RAM* is arena, "
        "weights, code, static data, stack and the harness's copy of the input. Bytes."
    )
    yield from (f"Compiled by {made}." for made in table["compilers"])
    yield f"Counted in {', '.join(table['tools'])}; every step is golden."


def require_ratios(table: DepthTable, least: Mapping[str, float]) -> None:
    """Raise ThresholdError where a precision of ``least`` gives less over FP32 in a network."""
    wrong = [
        f"{row['network']}: {row['precision']} is {row['over_float']:.2f} times as fast as FP32, "
        f"not {least[row['precision']]:g}"
        for row in table["rows"]
        if row["over_float"] is not None and row["over_float"] < least.get(row["precision"], 0.0)
    ]
    if wrong:
        raise ThresholdError("; ".join(wrong))
