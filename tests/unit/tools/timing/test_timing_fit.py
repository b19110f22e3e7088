"""The fit of costs by its definition: nothing nearer, nothing below zero, errors as stated."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.board.model import Costs
from deployer.tools.timing.calibrate import Observed, fit

GUESSED = Costs(misprediction=7.0, data_miss=12.0, fetch_miss=12.0)
ROW = st.tuples(
    st.integers(1_000, 90_000),
    st.floats(500, 80_000),
    st.tuples(*[st.integers(0, 3_000)] * 3),
)


def rows_of(given_rows: list[tuple[int, float, tuple[int, int, int]]]) -> list[Observed]:
    return [
        Observed(f"net{i % 2}", f"layer{i}", measured, core, events)
        for i, (measured, core, events) in enumerate(given_rows)
    ]


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.lists(ROW, min_size=5, max_size=9))
def test_no_costs_of_zero_or_more_are_nearer(
    given_rows: list[tuple[int, float, tuple[int, int, int]]],
) -> None:
    """Where a cost is above 0 the error is level, where it is 0 less would be needed."""
    rows = rows_of(given_rows)
    found = fit(rows, GUESSED)
    costs = [found.costs.misprediction, found.costs.data_miss, found.costs.fetch_miss]
    events = np.array([row.events for row in rows], float)
    measured = np.array([row.measured for row in rows], float)
    kept = [not column.any() for column in events.T]
    scaled = events / measured[:, None]
    wanted = 1 - np.array([row.core for row in rows]) / measured
    x = np.array([0.0 if k else c for k, c in zip(kept, costs, strict=True)])
    slope = scaled.T @ (scaled @ x - wanted)
    size = (scaled**2).sum(axis=0) + 1e-12
    assert (x >= 0).all()
    for cost, step, whole in zip(x, slope, size, strict=True):
        assert step / whole > -1e-6 * (1 + abs(x).max())
        assert cost == 0 or abs(step / whole) < 1e-6 * (1 + abs(x).max())


def test_errors_are_those_of_layers_and_networks() -> None:
    rows = rows_of(
        [(1000, 900.0, (10, 0, 0)), (2000, 1500.0, (0, 20, 0)), (4000, 3000.0, (0, 0, 50)),
         (900, 1000.0, (5, 5, 5)), (1500, 1300.0, (9, 9, 1))]
    )  # fmt: skip
    found = fit(rows, GUESSED)
    estimates = [
        row.core
        + row.events[0] * found.costs.misprediction
        + row.events[1] * found.costs.data_miss
        + row.events[2] * found.costs.fetch_miss
        for row in rows
    ]
    shares = [e / row.measured - 1 for e, row in zip(estimates, rows, strict=True)]
    assert found.spread == pytest.approx(math.sqrt(sum(s * s for s in shares) / 5))
    assert found.networks == pytest.approx(
        {
            "net0": (estimates[0] + estimates[2] + estimates[4]) / (1000 + 4000 + 1500) - 1,
            "net1": (estimates[1] + estimates[3]) / (2000 + 900) - 1,
        }
    )
    worst = max(abs(value) for value in found.networks.values())
    assert found.error == pytest.approx(max(found.spread, worst))
    assert found.kept == ()


def test_an_error_is_stated_as_a_hundredth_at_least_and_never_as_all() -> None:
    exact = [(1000 + 10 * i, 1000.0, (i, 0, 0)) for i in range(5)]
    assert fit(rows_of(exact), GUESSED).error == 0.01
    wild = [(100, 900.0 + i, (i, 0, 0)) for i in range(5)]
    found = fit(rows_of(wild), GUESSED)
    assert (found.error, found.costs.misprediction) == (0.99, 0.0)
    assert found.kept == ("data_miss", "fetch_miss")
