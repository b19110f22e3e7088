"""The live-set peak."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given

from deployer.allocate.problem import Problem
from deployer.analysis.liveness import lifetimes
from deployer.analysis.peak import live_peak, live_profile
from deployer.ir.graph import Graph
from deployer.ir.plan import Buffer
from unit.ir.nets import PEAKS
from unit.ir.strategies import STEADY, problems


def test_it_names_the_step_and_what_is_alive_largest_first() -> None:
    a, b, c = Buffer("a", 0, 2, 5), Buffer("b", 1, 3, 7), Buffer("c", 2, 4, 4)
    peak = live_peak([a, b, c])
    assert (peak.bytes, peak.step, peak.alive) == (12, 1, (b, a))


def test_the_first_of_equal_steps_counts() -> None:
    assert live_peak([Buffer("a", 3, 4, 5), Buffer("b", 7, 9, 5)]).step == 3


def test_nothing_is_empty() -> None:
    peak = live_peak([])
    assert (peak.bytes, peak.step, peak.alive) == (0, 0, ())


@STEADY
@given(problems())
def test_it_is_the_largest_sum_over_steps(problem: Problem) -> None:
    buffers = problem.buffers
    sums = [sum(b.size for b in buffers if b.lower <= t < b.upper) for t in range(16)]
    assert live_peak(buffers).bytes == max(sums)
    assert not buffers or sums[live_peak(buffers).step] == max(sums)


@STEADY
@given(problems())
def test_the_profile_has_the_sum_of_every_step(problem: Problem) -> None:
    sums = [sum(b.size for b in problem.buffers if b.lower <= t < b.upper) for t in range(16)]
    assert live_profile(problem.buffers, 16) == tuple(sums)


def test_before_the_first_and_behind_the_last_nothing_is_alive() -> None:
    late = [Buffer("a", 2, 4, 5), Buffer("b", 3, 4, 7)]
    assert live_profile(late, 6) == (0, 0, 5, 12, 0, 0)
    assert live_profile([], 2) == (0, 0)


@pytest.mark.parametrize("build", PEAKS, ids=lambda build: build.__name__)
def test_the_reference_networks_have_the_published_peaks(build: Callable[[], Graph]) -> None:
    assert live_peak(lifetimes(build())).bytes == PEAKS[build]
