"""The table of what fits, as JSON facts and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from deployer import __version__
from deployer.analysis import CODE_RESERVE_BYTES
from deployer.tools.bench.fits import FitsRow
from deployer.tools.bench.markdown import markdown_table

Facts = dict[str, Any]


def fits_facts(rows: Sequence[FitsRow], board: str) -> Facts:
    return {
        "schema": 1,
        "deployer": __version__,
        "board": board,
        "rows": [asdict(row) for row in rows],
    }


def fits_markdown(facts: Facts) -> str:
    """A line a point, and below what the figures are."""
    rows = facts["rows"]
    proven = any(row["emulated"] for row in rows)
    head = ["network", "MACs", "flash", "arena", "least", "least, by rows"]
    head += [f"{facts['board']}, plain", "restructured", *(["emulated"] if proven else [])]
    lines = markdown_table(head, (_cells(row, proven) for row in rows))
    return "\n".join([*lines, "", *_foot()]) + "\n"


def _cells(row: Facts, proven: bool) -> Iterator[str]:
    yield f"{row['network']} {row['width']:g}, {row['resolution']}x{row['resolution']}"
    yield f"{row['macs']:,}"
    yield f"{row['flash']:,}"
    yield f"{row['plain']['arena']:,}"
    yield _least(row["smallest"])
    yield _least(row["by_rows"])
    yield _over(row["plain"]) or "fits"
    yield _restructured(row)
    if proven:
        yield row["emulated"]


def _least(plan: Facts) -> str:
    return f"{plan['arena']:,} for {plan['added_macs']:.1%}"


def _over(plan: Facts) -> str:
    return ", ".join(f"{memory} +{count:,}" for memory, count in plan["over"])


def _restructured(row: Facts) -> str:
    found = row["fitting"]
    if found is None:
        return "RAM too small"
    rows = ", input by rows" if row["by_rows_fitting"] else ""
    text = f"{found['arena']:,} for {found['added_macs']:.1%}, cost {found['added_cost']:+.1%}"
    if not found["regions"]:
        shared = f"{found['arena']:,}, bytes shared"
        text, rows = shared if row["plain"]["over"] else "as it is", ""
    return f"{_over(found) or 'fits'}: {text}{rows}"


def _foot() -> Iterator[str]:
    code = f"{CODE_RESERVE_BYTES:,} B estimated code"
    yield f"Bytes. Flash: weights, requantization constants, {code}."
    yield "Arena: activations and scratch, as allocated; *least* whatever the work, for the MACs"
    yield "added (counted). *Restructured*: the least work whose RAM fits; its cost is estimated."
    yield "Values share bytes (docs/memory.md), but not in *arena*."
    yield "Whether it fits counts stack, static data and the harness's copy of the input too;"
    yield "+: bytes too many."
