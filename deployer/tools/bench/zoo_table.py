"""The zoo table as JSON facts and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from deployer import __version__
from deployer.tools.bench.facts import ZooTable
from deployer.tools.bench.markdown import markdown_table
from deployer.tools.bench.row import DIFFERS, EXACT, NO_FIT, Row, row_of


def zoo_facts(rows: list[Row]) -> ZooTable:
    """``rows`` with what ran them; ``counts`` by outcome."""
    outcomes = dict.fromkeys(row.outcome for row in rows)
    return {
        "schema": 1,
        "deployer": __version__,
        "tools": sorted({tool for row in rows for tool in (row.tool, row.compiler) if tool}),
        "counts": {one: sum(row.outcome == one for row in rows) for one in outcomes},
        "rows": [row.facts for row in rows],
    }


def zoo_markdown(facts: ZooTable) -> str:
    """A line a network and board, a column a style, and below it with what it was made."""
    rows = [row_of(row) for row in facts["rows"]]
    styles = list(dict.fromkeys(row.style for row in rows))
    several = len({row.scheme for row in rows}) > 1
    head = ["network", "input", "MACs", *(["scheme"] if several else []), "board"]
    head += ["arena", "RAM", "flash", *styles, "in ref", "per MAC"]
    regions = any(row.regions for row in rows)
    head += ["plain arena", "regions", "MACs added"] if regions else []
    lines = markdown_table(
        head, (_cells(group, styles, several, regions) for group in _groups(rows))
    )
    return "\n".join([*lines, "", *_foot(facts, rows)]) + "\n"


def _groups(rows: list[Row]) -> Iterator[dict[str, Row]]:
    """The rows of one network, scheme and board by style."""
    keys = dict.fromkeys((row.network, row.scheme, row.board) for row in rows)
    for key in keys:
        own = [row for row in rows if (row.network, row.scheme, row.board) == key]
        yield {row.style: row for row in own}


def _cells(group: dict[str, Row], styles: list[str], several: bool, regions: bool) -> Iterator[str]:
    row = next(iter(group.values()))
    yield row.label
    yield "x".join(map(str, row.input))
    yield f"{row.macs:,}"
    if several:
        yield row.scheme
    yield row.board
    for size in (row.arena, row.ram, row.flash):
        yield "" if size is None else f"{size:,}"
    for style in styles:
        yield _outcome(group[style]) if style in group else ""
    yield "" if row.portable is None else str(row.portable)
    counted = [found.per_mac for found in group.values() if found.per_mac is not None]
    yield f"{counted[0]:.2f} {row.unit}" if counted else ""
    if regions:
        yield "" if row.plain_arena is None else f"{row.plain_arena:,}"
        yield str(row.regions or "")
        yield f"{row.added_macs:.1%}" if row.regions else ""


def _outcome(row: Row) -> str:
    if row.same_as:
        return "same program"
    if row.outcome == EXACT:
        return f"exact, {row.exact_layers} of {row.layers} layers"
    if row.outcome == DIFFERS:
        return f"**differs**, {row.exact_layers} of {row.layers} layers exact"
    if row.outcome == NO_FIT:
        over = ", ".join(f"{name} +{count:,}" for name, count in row.over.items())
        return f"does not fit: {over or row.detail}"
    return f"**{row.outcome}**: {row.detail}"


def _foot(facts: ZooTable, rows: list[Row]) -> Iterator[str]:
    counts = ", ".join(f"{count} {name}" for name, count in facts["counts"].items())
    samples = max((row.golden_samples for row in rows), default=0)
    threads = "".join(f" {row.threads} threads." for row in rows[:1] if row.threads)
    yield f"{len(rows)} rows: {counts}. Bytes; {samples} samples proven a row.{threads}"
    yield "In ref: layers on portable kernels."
    kinds = sorted({row.kind for row in rows if row.count is not None})
    if kinds:
        yield f"Per MAC: {', '.join(kinds)}, whole network, one inference."
    made = [f"deployer {facts['deployer']}", *facts["tools"]]
    yield f"Made with {'; '.join(made)}."
