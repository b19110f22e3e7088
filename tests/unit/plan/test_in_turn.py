"""Weights that are fetched find places in the order of their transfers."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from deployer.ir.plan import Buffer
from deployer.plan.in_turn import Turns, in_turn

ROOM, STEPS = 400, 12

sizes = st.integers(1, 25).map(lambda words: 4 * words)


@st.composite
def chains(draw: st.DrawFn) -> tuple[list[Buffer], list[Buffer]]:
    """Activations of a chain of steps, and the weights of some of them."""
    activations = [
        Buffer(f"a{step}", step, min(step + 2, STEPS), draw(sizes)) for step in range(STEPS)
    ]
    needed = sorted(draw(st.sets(st.integers(0, STEPS - 1), min_size=1)))
    return activations, [Buffer(f"w{step}", step, step + 1, draw(sizes)) for step in needed]


def rects(activations: list[Buffer], weights: list[Buffer], turns: Turns) -> list[tuple[int, ...]]:
    fixed = zip(activations, turns.activations, strict=True)
    found = [(b.lower, b.upper, offset, offset + b.size) for b, offset in fixed]
    moved = zip(weights, turns.begins, turns.weights, strict=True)
    return found + [(begin, b.upper, offset, offset + b.size) for b, begin, offset in moved]


@given(chains())
def test_nothing_lies_over_what_is_needed(chain: tuple[list[Buffer], list[Buffer]]) -> None:
    activations, weights = chain
    for turns in in_turn(activations, weights, range(STEPS), ROOM):
        placed = rects(activations, weights, turns)
        assert all(0 <= low < high <= ROOM for _, _, low, high in placed)
        for one, other in combinations(placed, 2):
            together = one[0] < other[1] and other[0] < one[1]
            assert not (together and one[2] < other[3] and other[2] < one[3])
        assert all(first <= second for first, second in pairwise(turns.begins))
        lates = zip(turns.begins, weights, strict=True)
        assert all(begin <= buffer.lower for begin, buffer in lates)


def test_transfers_begin_as_soon_as_there_is_a_gap() -> None:
    """The first two beside each other; the third where the first was; no step between entries."""
    weights = [Buffer(f"w{step}", step, step + 1, 40) for step in (1, 2, 5)]
    found = list(in_turn([Buffer("a", 0, 6, 20)], weights, (0, 1, 2, 3, 5), 100))
    assert {turns.begins for turns in found} == {(0, 0, 2)}


def test_there_is_no_plan_where_a_step_has_no_gap() -> None:
    weights = [Buffer("w", 1, 2, 90)]
    assert list(in_turn([Buffer("a", 0, 3, 20)], weights, (0, 1), 100)) == []
