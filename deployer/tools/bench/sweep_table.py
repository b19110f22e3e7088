"""A sweep's layers as JSON types, and the worst of them in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from deployer import __version__
from deployer.tools.bench.markdown import markdown_table
from deployer.tools.bench.row import DIFFERS, EXACT
from deployer.tools.bench.sweep_bar import SweepBar, bar_of
from deployer.tools.bench.sweep_counts import Counted
from deployer.tools.bench.sweep_layers import (
    ELEMENT,
    FEWEST_ELEMENTS,
    FEWEST_MACS,
    FEWEST_PRODUCTS,
    MAC,
    OUTPUT,
    TAP,
)
from deployer.tools.bench.sweep_row import SweepRow
from deployer.tools.bench.sweep_types import (
    SweepBarFacts,
    SweepOperatorFacts,
    SweepRateFacts,
    SweepRowFacts,
    SweepTable,
)
from deployer.tools.timing import Machine
from deployer.units import CounterUnit, FigureKind

SWEEP_SCHEMA = 1
WORST = 20  # rows of a table
_A = {MAC: "a MAC", TAP: "a tap", ELEMENT: "an element", OUTPUT: "an output"}
_BARS = {TAP: 2.0, ELEMENT: 8.0}  # cycles, above which layers are counted; by MAC: the core's bar
_JUDGED = {TAP: "pools", ELEMENT: "pools and elementwise operators"}
_HEAD = ("layer", "bits", "kernel", "MACs or taps", "elements")
_OPERATORS = ("operator", "layers", "in ref", "MACs", "in ref")
_PARALLEL = ("MAC/cycle", "to and from L1", "waits for L3")
_RATES = tuple(f"{which} /{per}" for per in _A for which in ("median", "worst"))


def sweep_facts(
    board: str,
    rows: Sequence[SweepRow],
    made: Counted,
    *,
    seed: int,
    machine: Machine | None = None,
) -> SweepTable:
    """Schema 1, described in docs/bench.md. ``machine``: by whose rules cycles are estimated."""
    bar = bar_of(machine, board)
    found = [_row(row, bar) for row in rows]
    return {
        "schema": SWEEP_SCHEMA,
        "deployer": __version__,
        "board": board,
        "seed": seed,
        "kind": made.kind,
        "unit": made.unit,
        "error": machine.error if machine else 0.0,
        "issue_rules": machine.pipeline.rules if machine else "",
        "credits_pld": bool(machine and machine.credits_pld),
        "tool": made.tool,
        "compiler": made.compiler,
        "flags": made.flags,
        "bar": _bar(rows, found, bar),
        "rows": found,
        "operators": [
            _operator(name, found) for name in dict.fromkeys(r["operator"] for r in found)
        ],
    }


def _bar(rows: Sequence[SweepRow], found: Sequence[SweepRowFacts], bar: SweepBar) -> SweepBarFacts:
    held = [row for row in rows if row.exact and bar.holds_for(row)]
    return {
        "rate": bar.rate,
        "macs": bar.macs,
        "products": bar.products,
        "core": bar.core,
        "listed": bar.listed,
        "parallel": bar.parallel,
        "layers": len(held),
        "above": sum(map(bar.above, held)),
        "tap": _beyond(found, TAP),
        "element": _beyond(found, ELEMENT),
    }


def _beyond(rows: Sequence[SweepRowFacts], per: str) -> SweepRateFacts:
    rates, most = _rates(rows, per), _BARS[per]
    return {"rate": most, "layers": len(rates), "above": sum(rate > most for rate in rates)}


def _row(row: SweepRow, bar: SweepBar) -> SweepRowFacts:
    layer = row.layer
    return {
        "operator": layer.operator,
        "bits": layer.bits,
        "geometry": layer.text,
        "macs": layer.macs,
        "taps": layer.taps,
        "elements": layer.elements,
        "per": layer.per,
        "small": layer.small,
        "outcome": row.outcome,
        "detail": row.detail,
        "kernels": [step.kernel for step in row.steps],
        "kernel": row.kernel,
        "fallback_macs": row.fallback_macs,
        "falls_back": row.falls_back,
        "instructions": row.instructions,
        "cycles": row.cycles,
        "rate": row.rate,
        "core": row.core,
        "above": bar.above(row),
        "against": row.theirs,
        "moved": row.moved,
        "stalled": row.stalled,
    }


def _operator(name: str, rows: Sequence[SweepRowFacts]) -> SweepOperatorFacts:
    own = [row for row in rows if row["operator"] == name and row["outcome"] == EXACT]
    by_mac, by_tap, by_element, by_output = (_rates(own, per) for per in _A)
    return {
        "operator": name,
        "layers": len(own),
        "fallback": sum(row["falls_back"] for row in own),
        "macs": sum(row["macs"] for row in own),
        "fallback_macs": sum(row["fallback_macs"] for row in own),
        "median_mac": median(by_mac) if by_mac else None,
        "worst_mac": max(by_mac, default=None),
        "median_tap": median(by_tap) if by_tap else None,
        "worst_tap": max(by_tap, default=None),
        "median_element": median(by_element) if by_element else None,
        "worst_element": max(by_element, default=None),
        "median_output": median(by_output) if by_output else None,
        "worst_output": max(by_output, default=None),
    }


def _rates(rows: Iterable[SweepRowFacts], per: str) -> list[float]:
    large = (row for row in rows if row["per"] == per and not row["small"])
    return [row["rate"] for row in large if row["rate"] is not None]


def sweep_markdown(facts: SweepTable, *, worst: int = WORST) -> str:
    """The worst by what each is judged by, what is slower than CMSIS-NN, operators, and notes."""
    parts = [f"Sweep of {len(facts['rows'])} layers on {facts['board']}, seed {facts['seed']}"]
    if facts["kind"] != FigureKind.NONE:
        parts += [_worst(facts, per, worst) for per in _A]
    parts += [_above(facts)] if facts["bar"]["listed"] else []
    parts += [_against(facts)] if any(row["against"] for row in facts["rows"]) else []
    parts += [_by_operator(facts), _kernels(facts), _refused(facts), "\n".join(_footnotes(facts))]
    return "\n\n".join(filter(None, parts)) + "\n"


def _worst(facts: SweepTable, per: str, most: int) -> str:
    rows = [row for row in facts["rows"] if row["per"] == per and not row["small"] and row["rate"]]
    rows.sort(key=lambda row: -(row["rate"] or 0))
    if not rows:
        return ""
    title = f"Worst {len(rows[:most])} of {len(rows)} by {facts['unit']} {_A[per]}"
    each = dict.fromkeys((per, ELEMENT) if per == TAP else (per,))
    head = (*_HEAD, *(f"{facts['unit']} {_A[one]}" for one in each), *_peer_head(facts))
    cells = [[*_cells(row, each), *_peer_cells(facts, row)] for row in rows[:most]]
    return _table(title, head, cells)


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join([title, "", *markdown_table(head, rows)])


def _cells(row: SweepRowFacts, each: Iterable[str] = ()) -> list[str]:
    """Its rates are those by ``each``, by default what the row is judged by."""
    work = row["macs"] or row["taps"]
    return [
        _title(row),
        str(row["bits"]),
        row["kernel"],
        f"{work:,}" if work else "",
        f"{row['elements']:,}",
        *(_rate(_count(row) / _work_of(row, per)) for per in each or (row["per"],)),
    ]


def _count(row: SweepRowFacts) -> float:
    return (row["instructions"] if row["cycles"] is None else row["cycles"]) or 0.0


def _work_of(row: SweepRowFacts, per: str) -> int:
    return {MAC: row["macs"], TAP: row["taps"]}.get(per, row["elements"])


def _title(row: SweepRowFacts) -> str:
    return f"{row['operator']} {row['geometry']}"


def _rate(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.2f}"


def _peer_head(facts: SweepTable) -> tuple[str, ...]:
    return ("CMSIS-NN", "times ours") if any(row["against"] for row in facts["rows"]) else ()


def _peer_cells(facts: SweepTable, row: SweepRowFacts) -> list[str]:
    if not _peer_head(facts):
        return []
    if not row["against"] or not row["cycles"]:
        return ["", ""]
    work = _work_of(row, row["per"])
    return [f"{row['against'] / work:.2f}", f"{row['against'] / row['cycles']:.2f}"]


def _above(facts: SweepTable) -> str:
    """All that the bar counts, which the other tables do not tell."""
    bar = facts["bar"]
    rows = [row for row in facts["rows"] if row["above"]]
    rows.sort(key=lambda row: -_bar_rate(row, bar))
    more = _PARALLEL if bar["parallel"] else ("core cycles a MAC",)
    cells = [[*_cells(row)[:-1], *_above_cells(row, bar)] for row in rows]
    return _table(_bar_text(facts), (*_HEAD, *more), cells) if rows else ""


def _above_cells(row: SweepRowFacts, bar: SweepBarFacts) -> list[str]:
    if not bar["parallel"]:
        return [_rate(_bar_rate(row, bar))]
    count = _count(row)
    shares = [f"{part / count:.0%}" if part else "" for part in (row["moved"], row["stalled"])]
    return [f"{row['macs'] / count:.2f}", *shares]


def _bar_rate(row: SweepRowFacts, bar: SweepBarFacts) -> float:
    return ((row["core"] if bar["core"] else row["cycles"]) or 0) / row["macs"]


def _bar_text(facts: SweepTable) -> str:
    bar = facts["bar"]
    core = "core " if bar["core"] else ""
    if bar["parallel"]:
        return f"Below {1 / bar['rate']:g} MAC/cycle: {bar['above']} of {bar['layers']}"
    return f"Above {bar['rate']:g} {core}cycles a MAC: {bar['above']} of {bar['layers']}"


def _against(facts: SweepTable) -> str:
    both = [row for row in facts["rows"] if row["against"] and row["cycles"]]
    slower = [row for row in both if (row["cycles"] or 0) > (row["against"] or 0)]
    slower.sort(key=lambda row: (row["small"], (row["against"] or 0) / (row["cycles"] or 1)))
    small = sum(row["small"] for row in slower)
    of_them = f", {small} of them small" if small else ""
    title = f"Slower than CMSIS-NN: {len(slower)} of {len(both)} layers that both have{of_them}"
    head = (*_HEAD, f"{facts['unit']} a unit of work", *_peer_head(facts))
    rows = [[*_cells(row), *_peer_cells(facts, row)] for row in slower]
    return _table(title, head, rows) if rows else title


def _by_operator(facts: SweepTable) -> str:
    counts = facts["kind"] != FigureKind.NONE
    rows = [[*_work(row), *(_medians(row) if counts else ())] for row in facts["operators"]]
    head = (*_OPERATORS, *(_RATES if counts else ()))
    return _table(f"By operator: {_shares(facts)}", head, rows)


def _work(row: SweepOperatorFacts) -> list[str]:
    macs = row["macs"]
    share = f"{row['fallback_macs'] / macs:.0%}" if macs else ""
    layers = str(row["layers"]), str(row["fallback"])
    return [row["operator"], *layers, f"{macs:,}" if macs else "", share]


def _medians(row: SweepOperatorFacts) -> list[str]:
    rates = row["median_mac"], row["worst_mac"], row["median_tap"], row["worst_tap"]
    few = row["median_output"], row["worst_output"]
    return list(map(_rate, (*rates, row["median_element"], row["worst_element"], *few)))


def _kernels(facts: SweepTable) -> str:
    """Which kernels compute how many of the layers."""
    found: dict[str, int] = {}
    for row in facts["rows"]:
        for kernel in dict.fromkeys(filter(None, row["kernels"])):
            found[kernel] = found.get(kernel, 0) + 1
    rows = [[kernel, str(count)] for kernel, count in sorted(found.items())]
    return _table("Kernels", ("kernel", "layers"), rows)


def _shares(facts: SweepTable) -> str:
    layers, fallback, macs, fallback_macs = (
        sum(row[name] for row in facts["operators"])
        for name in ("layers", "fallback", "macs", "fallback_macs")
    )
    return (
        f"{fallback / max(1, layers):.0%} of the layers and {fallback_macs / max(1, macs):.0%} of "
        "the MACs run on ref"
    )


def _refused(facts: SweepTable) -> str:
    lines = [
        f"- {_title(row)}, {row['bits']} bits: {row['outcome']}, {row['detail']}"
        for row in facts["rows"]
        if row["outcome"] != EXACT
    ]
    return "\n".join(["Without figures:", "", *lines]) if lines else ""


def _footnotes(facts: SweepTable) -> Iterator[str]:
    yield _kind(facts)
    if facts["kind"] != FigureKind.NONE:
        yield from _judged(facts)
    if facts["compiler"]:
        yield f"Compiled by {facts['compiler']}, {' '.join(facts['flags'])}."
    if facts["tool"]:
        yield f"Ran in {facts['tool']}."


def _judged(facts: SweepTable) -> Iterator[str]:
    small = sum(row["small"] for row in facts["rows"])
    yield (
        f"By MAC or tap: layers of {FEWEST_PRODUCTS} products, pools of as many taps an output or "
        "more; by output: convolutions of fewer products; by element written: pools of fewer taps "
        f"and elementwise operators. Left out as small: {small} of {len(facts['rows'])} layers, "
        f"of fewer than {FEWEST_MACS:,} MACs or {FEWEST_ELEMENTS} elements (read, of a pool over "
        "the plane)."
    )
    if facts["unit"] != CounterUnit.CYCLES:
        return
    bar = facts["bar"]
    if bar["layers"]:
        yield f"{_bar_text(facts)} of {bar['macs']:,} MACs or more."
    for per, held in ((TAP, bar["tap"]), (ELEMENT, bar["element"])):
        if held["layers"]:
            of = f"{held['above']} of {held['layers']}"
            yield f"Above {held['rate']:g} cycles {_A[per]}: {of} {_JUDGED[per]}."
    if few := _rates(facts["rows"], OUTPUT):
        yield (
            f"Convolutions of fewer than {FEWEST_PRODUCTS} products an output have no bar: "
            f"{len(few)}, median {median(few):.2f} and worst {max(few):.2f} cycles an output."
        )


def _kind(facts: SweepTable) -> str:
    if facts["kind"] == FigureKind.NONE:
        return f"Nothing counts on this board, so that no figure stands here; {_golden(facts)}."
    error = f", ± {facts['error']:.0%}" if facts["error"] else ""
    rules = f" by issue rules {facts['issue_rules']!r}" if facts["issue_rules"] else ""
    credited = ", PLD credited" if facts["credits_pld"] else ""
    text = f"{facts['unit'].capitalize()} are {facts['kind']}{error}{rules}{credited}"
    return f"{text}; {_golden(facts)}."


def _golden(facts: SweepTable) -> str:
    wrong = sum(row["outcome"] == DIFFERS for row in facts["rows"])
    return f"outputs of {wrong} layers are not golden" if wrong else "every output is golden"
