"""The smallest set of buffers that cannot be alive together."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from deployer.allocate.conflict import smallest_conflict
from deployer.allocate.problem import Problem
from deployer.ir.plan import Buffer
from unit.ir.strategies import STEADY, problems


def test_the_fewest_buffers_not_the_fullest_step() -> None:
    rows = [("a", 0, 2, 30), ("b", 0, 2, 30), ("c", 0, 2, 30), ("d", 4, 5, 50), ("e", 4, 6, 25)]
    problem = Problem(tuple(Buffer(*row) for row in rows), (("sram", 70),), 1)
    assert [b.id for b in smallest_conflict(problem, 70)] == ["d", "e"]
    assert [b.id for b in smallest_conflict(problem, 80)] == ["a", "b", "c"]
    assert smallest_conflict(problem, 90) == ()


@STEADY
@given(problems(max_buffers=8), st.integers(0, 150))
def test_no_smaller_set_alive_together_is_too_large(problem: Problem, room: int) -> None:
    found = smallest_conflict(problem, room)
    size = dict(zip(problem.buffers, problem.sizes, strict=True))
    assert bool(found) == (problem.bound > room)
    if found:
        assert sum(size[b] for b in found) > room
        assert all(a.overlaps(b) for a, b in combinations(found, 2))
        assert sum(size[b] for b in found) - min(size[b] for b in found) <= room
    for few in combinations(problem.buffers, max(len(found) - 1, 0)):
        together = max((b.lower for b in few), default=0) < min((b.upper for b in few), default=1)
        assert not together or sum(size[b] for b in few) <= room
