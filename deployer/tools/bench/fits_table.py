"""The table of what fits, as JSON facts and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deployer import __version__
from deployer.analysis import CODE_RESERVE_BYTES
from deployer.tools.bench.facts import FitsRowFacts, FitsTable, PlanFacts
from deployer.tools.bench.fits import FitsRow, Plan
from deployer.tools.bench.markdown import markdown_table


def fits_facts(rows: Sequence[FitsRow], board: str) -> FitsTable:
    return {
        "schema": 1,
        "deployer": __version__,
        "board": board,
        "rows": [_row(row) for row in rows],
    }


def _row(row: FitsRow) -> FitsRowFacts:
    return {
        "network": row.network,
        "width": row.width,
        "resolution": row.resolution,
        "macs": row.macs,
        "flash": row.flash,
        "plain": _plan(row.plain),
        "smallest": _plan(row.smallest),
        "by_rows": _plan(row.by_rows),
        "fitting": _plan(row.fitting) if row.fitting else None,
        "by_rows_fitting": row.by_rows_fitting,
        "emulated": row.emulated,
    }


def _plan(plan: Plan) -> PlanFacts:
    return {
        "arena": plan.arena,
        "added_macs": plan.added_macs,
        "added_cost": plan.added_cost,
        "over": plan.over,
        "regions": plan.regions,
    }


def fits_markdown(facts: FitsTable) -> str:
    """A line a point, and below what the figures are."""
    rows = facts["rows"]
    proven = any(row["emulated"] for row in rows)
    head = ["network", "MACs", "flash", "arena", "least", "least, by rows"]
    head += [f"{facts['board']}, plain", "restructured", *(["emulated"] if proven else [])]
    lines = markdown_table(head, (_cells(row, proven) for row in rows))
    return "\n".join([*lines, "", *_foot()]) + "\n"


def _cells(row: FitsRowFacts, proven: bool) -> Iterator[str]:
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


def _least(plan: PlanFacts) -> str:
    return f"{plan['arena']:,} for {plan['added_macs']:.1%}"


def _over(plan: PlanFacts) -> str:
    return ", ".join(f"{memory} +{count:,}" for memory, count in plan["over"])


def _restructured(row: FitsRowFacts) -> str:
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
