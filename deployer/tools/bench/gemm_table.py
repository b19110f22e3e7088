"""Matrix products as JSON types, and in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from deployer import __version__
from deployer.tools.bench.gemm import GemmRow
from deployer.tools.bench.markdown import markdown_table
from deployer.tools.bench.sweep_counts import Counted
from deployer.tools.timing import Machine
from deployer.units import FigureKind

GEMM_SCHEMA = 1
_HEAD = (
    "rows x depth x columns",
    "type",
    "kernel",
    "instructions",
    "i/MAC",
    "core c/MAC",
    "cycles",
    "c/MAC",
)


class GemmRowFacts(TypedDict):
    rows: int
    depth: int
    columns: int
    element: str
    kernel: str
    macs: int
    instructions: int
    core: float
    cycles: float


class GemmTable(TypedDict):
    schema: int
    deployer: str
    board: str
    kind: str
    clock_hz: int
    error: float
    ratio_error: float
    issue_rules: str
    tool: str
    compiler: str
    flags: Sequence[str]
    rows: Sequence[GemmRowFacts]


def gemm_facts(board: str, rows: Sequence[GemmRow], made: Counted, machine: Machine) -> GemmTable:
    """Schema 1, described in docs/bench.md; ``made``: how the board's own figures came about."""
    return {
        "schema": GEMM_SCHEMA,
        "deployer": __version__,
        "board": board,
        "kind": FigureKind.ESTIMATED,
        "clock_hz": machine.clock_hz,
        "error": machine.error,
        "ratio_error": machine.ratio_error,
        "issue_rules": machine.pipeline.rules,
        "tool": made.tool,
        "compiler": made.compiler,
        "flags": made.flags,
        "rows": [_facts(row) for row in rows],
    }


def _facts(row: GemmRow) -> GemmRowFacts:
    rows, depth, columns = row.shape
    return {
        "rows": rows,
        "depth": depth,
        "columns": columns,
        "element": row.element,
        "kernel": row.kernel,
        "macs": row.macs,
        "instructions": row.instructions,
        "core": round(row.core, 1),
        "cycles": round(row.cycles, 1),
    }


def gemm_markdown(table: GemmTable) -> str:
    """Shape by shape and type by type, the fastest first."""
    rows = sorted(table["rows"], key=lambda row: (_shape(row), row["element"], row["cycles"]))
    return "\n".join(
        [
            f"Matrix products on {table['board']}: cycles {table['kind']}, caches cold, at "
            f"{table['clock_hz'] / 1e6:g} MHz; instructions counted ({table['tool']}; "
            f"{table['compiler']}; {' '.join(table['flags'])}).",
            f"Absolute times ± {table['error']:.0%}, ratios ± {table['ratio_error']:.0%}; issue "
            f"rules: {table['issue_rules']}.",
            "",
            *markdown_table(_HEAD, map(_cells, rows)),
            "",
        ]
    )


def _shape(row: GemmRowFacts) -> str:
    return f"{row['rows']}x{row['depth']}x{row['columns']}"


def _cells(row: GemmRowFacts) -> tuple[str, ...]:
    return (
        _shape(row),
        row["element"],
        row["kernel"],
        f"{row['instructions']:,}",
        f"{row['instructions'] / row['macs']:.3f}",
        f"{row['core'] / row['macs']:.3f}",
        f"{row['cycles']:,.0f}",
        f"{row['cycles'] / row['macs']:.3f}",
    )
