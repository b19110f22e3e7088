"""What of a row is worse than in the baseline, by a tolerance for each metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from deployer.errors import UsageError
from deployer.units import FigureKind
from deployer_hil.gate.baseline import Baseline, Row

MORE = {  # of counts, as a fraction of the baseline's, by what they are worth
    FigureKind.COUNTED: 0.0,
    FigureKind.SIMULATED: 0.01,
    FigureKind.ESTIMATED: 0.01,
    FigureKind.MEASURED: 0.02,
}
FLOOR = {  # counts: a layer that takes so few more is no regression
    FigureKind.COUNTED: 0,
    FigureKind.SIMULATED: 200,
    FigureKind.ESTIMATED: 200,
    FigureKind.MEASURED: 500,
}
ACCURACY_POINTS = 0.2
MORE_ENERGY, FLOOR_MICROJOULES = 0.02, 1.0  # of an inference, the median of the runs
_BYTES = ("ram", "flash")
_SAME = ("compiler", "clock_hz", "kind", "counter")


@dataclass(frozen=True)
class Finding:
    """A metric of a row, a layer's where ``layer`` is one; ``worse``: beyond its tolerance."""

    row: Row
    metric: str
    layer: str
    before: float
    after: float
    worse: bool
    since: str

    @property
    def text(self) -> str:
        where = f"{self.layer}: " if self.layer else ""
        return f"{where}{self.metric} {_number(self.before)} -> {_number(self.after)}{self._by}"

    @property
    def _by(self) -> str:
        if not self.before or self.metric in ("exact", "accuracy"):
            return ""
        return f" ({100 * (self.after / self.before - 1):+.2f} %)"


def findings(baseline: Baseline, rows: Sequence[Row]) -> list[Finding]:
    """Of every row that the baseline has."""
    known = {row.key: row for row in baseline.rows}
    pairs = [(known[row.key], row) for row in rows if row.key in known]
    return [found for before, after in pairs for found in _of_pair(before, after)]


def require_comparable(baseline: Baseline, rows: Sequence[Row]) -> None:
    """Raise UsageError where the baseline is of other conditions, or knows none of the rows."""
    known = {row.key: row for row in baseline.rows}
    for row in rows:
        if row.key in known:
            _require_same(known[row.key], row)
    if not any(row.key in known for row in rows):
        raise _of_others(baseline, rows)


def _require_same(before: Row, after: Row) -> None:
    differs = [name for name in _SAME if getattr(before, name) != getattr(after, name)]
    if differs:
        raise UsageError(
            f"the baseline of {after.title} is of another {differs[0]}",
            why=[f"{n}: {getattr(before, n)} there, {getattr(after, n)} here" for n in differs],
            hints=["run both under the same conditions, or --update-baseline with the reason"],
        )
    if before.meter and after.meter and before.meter != after.meter:
        raise UsageError(
            f"the baseline of {after.title} is of another meter",
            why=[f"meter: {before.meter} there, {after.meter} here"],
            hints=["measure both by one meter, or --update-baseline with the reason"],
        )
    if [layer.name for layer in before.layers] != [layer.name for layer in after.layers]:
        raise UsageError(
            f"the baseline of {after.title} has other layers",
            why=[f"{len(before.layers)} there, {len(after.layers)} here"],
            hints=["--update-baseline with the reason"],
        )


def _of_others(baseline: Baseline, rows: Sequence[Row]) -> UsageError:
    there = sorted({row.title for row in baseline.rows})
    here = sorted({row.title for row in rows})
    return UsageError(
        "the baseline has none of these results",
        why=[f"there: {', '.join(there) or 'nothing'}", f"here: {', '.join(here) or 'nothing'}"],
        hints=["the same model, board, runner and options; or --update-baseline with a reason"],
    )


def _of_pair(before: Row, after: Row) -> Iterator[Finding]:
    def found(metric: str, old: float, new: float, *, worse: bool, layer: str = "") -> Finding:
        return Finding(after, metric, layer, old, new, worse, before.commit)

    yield found("exact", before.exact, after.exact, worse=not after.exact)
    kind = FigureKind(after.kind)
    for metric, old in before.metrics.items():
        new = after.metrics.get(metric)
        if new is not None:
            yield found(metric, old, new, worse=_worse(metric, old, new, kind))
    for was, now in zip(before.layers, after.layers, strict=True):
        worse = _slower(was.count, now.count, kind)
        yield found(after.counter, was.count, now.count, worse=worse, layer=now.name)


def _worse(metric: str, old: float, new: float, kind: FigureKind) -> bool:
    if metric in _BYTES:
        return new > old
    if metric == "energy":
        return new - old > max(FLOOR_MICROJOULES, MORE_ENERGY * old)
    if metric == "accuracy":
        return 100 * (old - new) > ACCURACY_POINTS + 1e-9
    return _slower(old, new, kind)


def _slower(old: float, new: float, kind: FigureKind) -> bool:
    return new - old > max(FLOOR.get(kind, 0), MORE.get(kind, 0.0) * old)


def _number(value: float) -> str:
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return f"{value:,.4g}" if isinstance(value, float) and value < 1 else f"{value:,.0f}"


def by_row(found: Sequence[Finding]) -> Mapping[str, list[Finding]]:
    """Findings of each row, by its title and options."""
    rows: dict[str, list[Finding]] = {}
    for each in found:
        rows.setdefault(f"{each.row.title} {each.row.options}", []).append(each)
    return rows
