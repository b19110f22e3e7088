"""Weights come in time, in their order, within the room, and as early as it allows."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.board.model import Dma
from deployer.tile.weight_prefetch import Traffic, Transfer, choose, link_cycles

PART, PIECE = 2000, 8192  # cycles of a step more; bytes of a transfer's pieces
LINK = Dma("l3", "l2", 1.0, 100, 0.0, piece_bytes=PIECE)


@st.composite
def traffics(draw: st.DrawFn, most: int = 8) -> Traffic:
    count = draw(st.integers(1, most))
    sizes = st.integers(0, 40)
    steps = draw(st.sets(st.integers(0, count - 1)))
    transfers = [_transfer(step, 1 + draw(sizes)) for step in sorted(steps)]
    cycles = [float(draw(st.integers(1, 300))) for _ in range(count)]
    inside = draw(st.sets(st.integers(0, count - 1)))
    entries = sorted({0, *steps, *(set(range(count)) - inside)})
    return Traffic(cycles, [draw(sizes) for _ in range(count)], transfers, entries)


def _transfer(step: int, size: int) -> Transfer:
    return Transfer(step, size, link_cycles(LINK, size))


def _held(traffic: Traffic, begins: tuple[int, ...], step: int) -> int:
    pairs = zip(traffic.transfers, begins, strict=True)
    return sum(t.bytes for t, begin in pairs if begin <= step <= t.step)


def _in_room(traffic: Traffic, begins: tuple[int, ...], room: int) -> bool:
    return all(
        traffic.alive[step] + _held(traffic, begins, step) <= room
        for step in range(len(traffic.cycles))
        if _held(traffic, begins, step)
    )


@settings(max_examples=150, deadline=None)
@given(traffics(), st.integers(0, 150))
def test_begins_ascend_are_in_room_and_before_the_step(traffic: Traffic, room: int) -> None:
    begins = traffic.earliest(room)
    if begins is None:
        own = [traffic.alive[t.step] + t.bytes for t in traffic.transfers]
        assert max([*own, *traffic.alive]) > room
        return
    assert all(a <= b for a, b in pairwise(begins))
    assert set(begins) <= set(traffic.entries)
    assert all(b <= t.step for b, t in zip(begins, traffic.transfers, strict=True))
    assert _in_room(traffic, begins, room)


@settings(max_examples=60, deadline=None)
@given(traffics(most=5), st.integers(0, 150))
def test_no_other_schedule_waits_less(traffic: Traffic, room: int) -> None:
    begins = traffic.earliest(room)
    if begins is None:
        return
    least = traffic.timeline(begins).total
    for other in product(traffic.entries, repeat=len(begins)):
        in_time = all(b <= t.step for b, t in zip(other, traffic.transfers, strict=True))
        ordered = all(a <= b for a, b in pairwise(other))
        if in_time and ordered and _in_room(traffic, other, room):
            assert traffic.timeline(other).total >= least


@settings(max_examples=150, deadline=None)
@given(traffics(), st.integers(0, 150))
def test_the_latest_begins_wait_no_longer(traffic: Traffic, room: int) -> None:
    begins = traffic.earliest(room)
    if begins is None:
        return
    late = traffic.latest(begins)
    assert all(a <= b for a, b in zip(begins, late, strict=True))
    assert all(a <= b for a, b in pairwise(late))
    assert all(b <= t.step for b, t in zip(late, traffic.transfers, strict=True))
    assert traffic.timeline(late).total == pytest.approx(traffic.timeline(begins).total)


@settings(max_examples=150, deadline=None)
@given(traffics(), st.integers(0, 150))
def test_a_step_begins_when_its_weights_are_there(traffic: Traffic, room: int) -> None:
    begins = traffic.earliest(room)
    if begins is None:
        return
    line = traffic.timeline(begins)
    for index, transfer in enumerate(traffic.transfers):
        start = line.ready[transfer.step] + line.waits[transfer.step]
        assert line.done[index] <= start
        before = line.done[index - 1] if index else 0.0
        assert line.done[index] >= max(line.ready[begins[index]], before) + transfer.cycles
    assert line.total == pytest.approx(sum(traffic.cycles) + line.stalled)


@settings(max_examples=80, deadline=None)
@given(traffics(), st.integers(0, 200))
def test_what_stays_makes_nothing_wait_longer(traffic: Traffic, room: int) -> None:
    begins, choice = traffic.earliest(room), choose(traffic, room)
    if begins is None:
        assert choice is None
        return
    assert choice is not None
    left = traffic.without(choice.resident)
    kept = sum(traffic.transfers[i].bytes for i in choice.resident)
    assert choice.stalled <= traffic.timeline(begins).stalled + 1e-6
    assert choice.fetched == sum(t.bytes for t in left.transfers)
    assert _in_room(left, choice.begins, room - kept)


def test_all_of_it_stays_where_there_is_room() -> None:
    transfers = [_transfer(0, 30), _transfer(1, 30)]
    choice = choose(Traffic([10.0, 10.0], [5, 5], transfers, [0, 1]), 65)
    assert choice is not None
    assert (choice.resident, choice.fetched, choice.stalled) == ((0, 1), 0, 0)


def test_the_first_layer_stays_rather_than_one_that_can_be_prefetched() -> None:
    transfers = [_transfer(0, 30), _transfer(2, 30)]
    choice = choose(Traffic([500.0] * 3, [20, 5, 5], transfers, [0, 1, 2]), 65)
    assert choice is not None
    assert (choice.resident, choice.stalled) == ((0,), 0)


@settings(max_examples=100, deadline=None)
@given(traffics(), st.data())
def test_parts_of_a_layer_do_the_same_work(traffic: Traffic, data: st.DataObject) -> None:
    steps = st.sampled_from(range(len(traffic.cycles)))
    parts = data.draw(st.dictionaries(steps, st.integers(1, 4)))
    cut = traffic.divided(parts, LINK, PART)
    more = sum(count * PART for count in parts.values() if count > 1)
    assert sum(cut.cycles) == pytest.approx(sum(traffic.cycles) + more)
    assert len(cut.alive) == len(cut.cycles)
    assert {t.step for t in cut.transfers} <= set(cut.entries)
    whole, divided = (sum(t.bytes for t in each.transfers) for each in (traffic, cut))
    assert whole <= divided <= whole + 4 * len(cut.transfers)


def test_every_piece_of_a_transfer_is_set_up() -> None:
    assert link_cycles(LINK, 2 * PIECE) == 2 * PIECE + 200
    assert link_cycles(LINK, 2 * PIECE + 4) == 2 * PIECE + 4 + 300
