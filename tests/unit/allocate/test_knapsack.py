"""The items worth most that fit."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.allocate.knapsack import UNIT_BYTES, Item, choose
from unit.ir.strategies import STEADY

SOME = st.lists(st.builds(Item, st.integers(0, 90), st.integers(0, 50)), max_size=8)


def worth(items: list[Item], chosen: tuple[int, ...]) -> int:
    return sum(items[index].worth for index in chosen)


def padded(items: list[Item], chosen: tuple[int, ...]) -> int:
    return sum(-(-items[index].bytes // UNIT_BYTES) * UNIT_BYTES for index in chosen)


@settings(STEADY, max_examples=150)
@given(SOME, st.integers(-8, 400))
def test_no_other_choice_that_fits_is_worth_more(items: list[Item], room: int) -> None:
    chosen = choose(items, room)
    assert list(chosen) == sorted(set(chosen))
    assert padded(items, chosen) <= max(room, 0)
    every = (
        other
        for count in range(len(items) + 1)
        for other in itertools.combinations(range(len(items)), count)
        if padded(items, other) <= max(room, 0)
    )
    assert worth(items, chosen) == max(worth(items, other) for other in every)


def test_what_is_worth_nothing_takes_no_room() -> None:
    assert choose([Item(8, 0), Item(0, 0), Item(8, 1)], 1000) == (2,)


def test_two_that_fill_the_room_beat_the_densest_one() -> None:
    assert choose([Item(24, 30), Item(16, 18), Item(16, 18)], 32) == (1, 2)
