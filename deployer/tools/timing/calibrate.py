"""Costs of memory from cycles a board measured: least squares, no cost below nothing."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from deployer.board import COSTS, Costs
from deployer.errors import UsageError
from deployer.tools.timing.machine import Machine
from deployer.units import CounterUnit, FigureKind
from deployer_hil import RunRecord

_MIN_ERROR_SHARE = 0.01  # share of 1; a fit to few layers knows no better


class CountedLayer(TypedDict):
    """As ``bench model --json`` tells it, as far as a fit reads it."""

    name: str
    core: float
    mispredicted: int
    data_misses: int
    fetch_misses: int


class CountedNetwork(TypedDict):
    sha256: str
    layers: list[CountedLayer]


@dataclass(frozen=True)
class Observed:
    """One layer: cycles measured, the pipeline's estimate, how often each cost is due. ``events``
    are in the order of COSTS."""

    network: str
    layer: str
    measured: int
    core: float
    events: tuple[int, int, int]

    def estimate(self, costs: Costs) -> float:
        """Cycles."""
        each: list[float] = [getattr(costs, name) for name in COSTS]
        return self.core + sum(count * cost for count, cost in zip(self.events, each, strict=True))

    def residual(self, costs: Costs) -> float:
        """Estimate beyond what was measured, as a share of that."""
        return self.estimate(costs) / self.measured - 1


@dataclass(frozen=True)
class Fit:
    """``kept``: costs that nothing in the observations bears on, as they were before.

    ``spread``: root mean square of the layers' residuals; ``error``: what to state, the larger of
    that and the worst network's.
    """

    costs: Costs
    kept: tuple[str, ...]
    spread: float
    networks: Mapping[str, float]
    error: float


def observed(
    record: RunRecord, networks: Sequence[CountedNetwork], machine: Machine
) -> list[Observed]:
    """The layers of a record beside their counts, ``networks`` as ``bench model --json`` has them.

    Raises UsageError for a record that is no measurement of this board at its clock with caches
    on, or whose network was not counted.
    """
    _require_measured(record, machine)
    rows = _counted(record, networks)
    return [
        Observed(
            record.model,
            row["name"],
            layer.count or 0,
            row["core"],
            (row["mispredicted"], row["data_misses"], row["fetch_misses"]),
        )
        for layer, row in zip(record.layers, rows, strict=True)
        if layer.count
    ]


def _require_measured(record: RunRecord, machine: Machine) -> None:
    caps = record.caps
    wanted = {
        "board": (record.board, machine.name),
        "kind": (record.kind, FigureKind.MEASURED),
        "counter": (record.counter, CounterUnit.CYCLES),
        "clock_hz": (caps.get("clock_hz"), str(machine.clock_hz)),
        "icache": (caps.get("icache"), "on"),
        "dcache": (caps.get("dcache"), "on"),
    }
    wrong = [f"{name} is {now}, not {then}" for name, (now, then) in wanted.items() if now != then]
    if not record.golden.match:
        wrong.append("its results are not golden")
    if wrong:
        raise UsageError(
            f"the record of {record.model} cannot calibrate {machine.name}",
            why=wrong,
            hints=[f"deployer flash --board {machine.name} MODEL makes one"],
        )


def _counted(record: RunRecord, networks: Sequence[CountedNetwork]) -> Sequence[CountedLayer]:
    names = [layer.name for layer in record.layers]
    for network in networks:
        rows = network["layers"]
        same = network["sha256"] == record.model_sha256
        if same and [row["name"] for row in rows] == names:
            return rows
    raise UsageError(
        f"{record.model} was not counted",
        why=["no network of --counts has its file and its layers"],
        hints=[
            "deployer bench model -b BOARD -o counts.json MODEL, "
            "with the options of the measured build"
        ],
    )


def fit(rows: Sequence[Observed], before: Costs) -> Fit:
    """The costs that make the sum of squared relative residuals least.

    Raises UsageError for fewer layers than costs and one more.
    """
    if len(rows) <= len(COSTS):
        why = [f"{len(rows)} layers for {len(COSTS)} costs"]
        raise UsageError("too few layers to calibrate with", why=why, hints=["add records"])
    measured = np.array([row.measured for row in rows], dtype=float)
    core = np.array([row.core for row in rows])
    events = np.array([row.events for row in rows], dtype=float)
    found = _least_squares(events / measured[:, None], 1 - core / measured)
    kept = [name for name, column in zip(COSTS, events.T, strict=True) if not column.any()]
    fitted = dict(zip(COSTS, map(float, found), strict=True))
    costs = Costs(**{**fitted, **{name: getattr(before, name) for name in kept}})
    spread = float(np.sqrt(np.mean([row.residual(costs) ** 2 for row in rows])))
    networks = _network_residuals(rows, costs)
    worst = max(abs(value) for value in networks.values())
    return Fit(
        costs, tuple(kept), spread, networks, min(max(spread, worst, _MIN_ERROR_SHARE), 0.99)
    )


def _least_squares(matrix: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The x, nowhere below 0, that brings ``matrix @ x`` nearest to ``wanted``: every choice of
    columns is tried, there are eight."""
    best, least = np.zeros(matrix.shape[1]), float(np.sum(wanted**2))
    for chosen in itertools.product((False, True), repeat=matrix.shape[1]):
        part = np.zeros(len(chosen))
        free = np.flatnonzero(chosen)
        part[free] = np.linalg.lstsq(matrix[:, free], wanted, rcond=None)[0]
        squares = float(np.sum((matrix @ part - wanted) ** 2))
        if (part >= 0).all() and squares < least:
            best, least = part, squares
    return best


def _network_residuals(rows: Sequence[Observed], costs: Costs) -> dict[str, float]:
    """Of each network's sum over its layers."""
    names = dict.fromkeys(row.network for row in rows)
    return {
        name: sum(r.estimate(costs) for r in rows if r.network == name)
        / sum(r.measured for r in rows if r.network == name)
        - 1
        for name in names
    }
