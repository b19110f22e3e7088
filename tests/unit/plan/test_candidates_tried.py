"""How many candidates are tried before a network is given up, and with which room."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.board.load import load_board
from deployer.pipeline import itcm
from deployer.plan import cascades, fit, prefetch, smallest
from deployer.plan.chunks import RESIDENT_CHUNKS, code_bytes_of
from deployer.plan.constants import copies_wanted
from deployer.plan.effort import PlanEffort
from deployer.plan.refusal import _fewer_channels, _smaller_input
from deployer.plan.regions import _budgets
from deployer.plan.request import Limits

KIB = 1024


class Asked:
    """Stands in for a schedule in which nothing has room: a layer of the graph needs most."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, missing: int = 0) -> None:
        self.reserves: list[tuple[bool, int]] = []
        self.missing = missing
        monkeypatch.setattr(cascades, "_in_rounds", self.rounds)

    def rounds(self, graph: Any, request: Any, aim: Any) -> tuple[None, int]:
        self.reserves.append((aim.wide, aim.reserve))
        return None, self.missing


@pytest.mark.parametrize(
    ("missing", "narrow"),
    [
        (0, [0]),
        (1, [0, 1024, 2048, 3072]),
        (1024, [0, 1024, 2048, 3072]),
        (2000, [0, 2000, 4000, 6000]),
    ],
)
def test_stripes_leave_more_to_later_chains_four_times(
    missing: int, narrow: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked(monkeypatch, missing)
    assert cascades.in_cascades(None, None) is None  # type: ignore[arg-type]
    assert asked.reserves == [(wide, reserve) for wide in (False, True) for reserve in narrow]


@dataclass(frozen=True)
class Net:
    nodes: tuple[Any, ...] = (SimpleNamespace(name="a"),)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Nothing fits; which chain is cut next is logged."""
    cut: list[str] = []
    monkeypatch.setattr(cascades, "whole_tensor_aliases", lambda graph, request: graph)
    monkeypatch.setattr(cascades, "fits_with_prefetch", lambda order, request: False)
    monkeypatch.setattr(cascades, "prefetch_problem", lambda order, target, excess: order)
    monkeypatch.setattr(cascades, "released", lambda given: given)
    monkeypatch.setattr(cascades, "_highest", lambda given: ("a", 5))

    def lower(graph: Any, request: Any, given: Any, aim: Any) -> Any:
        cut.append("a")
        return graph

    monkeypatch.setattr(cascades, "_lower", lower)
    return cut


REQUEST: Any = SimpleNamespace(
    target=None, code_excess=0, effort=PlanEffort(), searching=lambda what: None
)
AIM = cascades._Aim(wide=False, reserve=0)


def test_eight_chains_are_cut_at_the_most(short: list[str]) -> None:
    assert cascades._in_rounds(Net(), REQUEST, AIM) == (None, 0)  # type: ignore[arg-type]
    assert len(short) == 8


def test_a_layer_in_stripes_that_is_too_large_ends_the_rounds(
    short: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cascades, "_highest", lambda given: ("a.rows.1", 77))
    assert cascades._in_rounds(Net(), REQUEST, AIM) == (None, 77)  # type: ignore[arg-type]
    assert short == []


@pytest.mark.parametrize("what", ["prefetch_problem", "_lower"])
def test_without_weights_to_fetch_or_a_way_the_rounds_end(
    what: str, short: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cascades, what, lambda *given: None)
    assert cascades._in_rounds(Net(), REQUEST, AIM) == (None, 0)  # type: ignore[arg-type]


def test_six_candidates_are_tried_for_a_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that lowers most is taken where none fits; the first that fits otherwise."""
    tried: list[int] = []
    candidates = (SimpleNamespace(nodes=("a",), number=n) for n in count())
    monkeypatch.setattr(cascades, "choices", lambda graph, layer, terms: candidates)
    monkeypatch.setattr(cascades, "_highest", lambda given: ("a", 90))
    monkeypatch.setattr(cascades, "_terms", lambda *given: SimpleNamespace(kept=lambda names: 10))
    monkeypatch.setattr(cascades, "in_stripes", lambda graph, stripes: stripes.number)
    excess = dict(enumerate((95, 80, 20, 20, 30, -9, -99, 90, -10, -200)))

    def beyond(before: Any, graph: Any, request: Any) -> int:
        tried.append(graph)
        return excess[graph]

    monkeypatch.setattr(cascades, "_excess", beyond)
    assert cascades._lower(None, REQUEST, None, AIM) == 5  # type: ignore[arg-type]
    assert tried == [0, 1, 2, 3, 4, 5]
    assert cascades._lower(None, REQUEST, None, AIM) == 6  # type: ignore[arg-type]
    assert tried[6:] == [6]
    assert cascades._lower(None, REQUEST, None, AIM) == 8  # type: ignore[arg-type]
    assert tried[7:] == [7, 8]


@pytest.fixture
def placed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The transfers for which places are sought, of choices that stay the same for no room."""

    def choose(given: Any, room: int) -> Any:
        return None if room < 4000 else prefetch.Choice((), (room,), 0.0, 0)

    sought: list[Any] = []
    monkeypatch.setattr(prefetch, "_chosen", choose)
    monkeypatch.setattr(prefetch, "_in_turn", lambda given, choices: ())
    monkeypatch.setattr(prefetch, "_placed", lambda given, one: sought.append(one.begins))
    return sought


def fetching() -> Any:
    left = SimpleNamespace(latest=lambda begins: ("late", *begins))
    traffic = SimpleNamespace(without=lambda resident: left)
    return SimpleNamespace(
        room=10_000, traffic=traffic, untimed=SimpleNamespace(earliest=lambda room: ())
    )


def test_more_and_more_of_the_room_is_left_to_gaps(placed: list[Any]) -> None:
    assert prefetch._early(fetching()) is None
    rooms = (10_000, 9_900, 9_800, 9_600, 9_200, 8_400, 6_799)
    each = [begins for room in rooms for begins in ((room,), ("late", room))]
    assert placed == [(10_000,), *each]


def test_no_places_are_sought_where_a_step_has_no_room(placed: list[Any]) -> None:
    given = fetching()
    given.untimed.earliest = lambda room: None
    assert prefetch._early(given) is None
    assert placed == []


def test_parts_of_two_sizes_add_their_code() -> None:
    """704 bytes for the first kind and 72 for the join; 152 for each part beyond two."""
    size = load_board("gap8").code
    assert size is not None
    assert code_bytes_of([], size) == 0
    assert code_bytes_of([2], size) == 776
    assert code_bytes_of([3, 5], size) == 776 + 152 + 776 + 3 * 152
    assert 2 in RESIDENT_CHUNKS  # paper 004, Eq. 5: the current weights and the next


@given(st.integers(1, 2 << 20), st.integers(2, 40))
def test_the_smallest_arena_is_found_in_steps_of_8_kib(needed: int, have: int) -> None:
    """Up to eight times what the board has."""
    board = load_board("gap8")
    place = replace(board.place, arena=("l2",))
    memories = tuple(
        replace(m, size=have * 8 * KIB) if m.name == "l2" else m for m in board.memories
    )
    small: Any = SimpleNamespace(board=replace(board, place=place, memories=memories))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(smallest, "_works", lambda plain, request, size: size >= needed)
        found = smallest.smallest_arena(None, small)  # type: ignore[arg-type]
    steps = -(-needed // (8 * KIB))
    assert found == (steps * 8 * KIB if steps <= 8 * have else None)


@pytest.mark.parametrize(
    ("limits", "wanted"),
    [
        (Limits(), True),
        (Limits(place="off"), False),
        (Limits(optimize="ram"), False),
        (Limits(optimize="balanced"), True),
        (Limits(ram=1), False),
    ],
)
def test_weights_are_copied_unless_ram_is_to_be_saved(limits: Limits, wanted: bool) -> None:
    assert copies_wanted(limits) is wanted


def test_the_memory_for_code_keeps_room_for_its_ends() -> None:
    """Sixteen words of vectors' alignment and the marks of begin and end; jumps of 16 bytes."""
    assert (itcm.KEPT_BYTES, itcm.CALL_BYTES) == (288, 16)
    assert fit.STATIC_RESERVE_BYTES == 4096


def problem(*rooms: int) -> Any:
    return SimpleNamespace(capacities=tuple((f"m{i}", room) for i, room in enumerate(rooms)))


def test_budgets_go_from_all_memories_to_the_first_alone() -> None:
    assert _budgets([problem(1000, 500)]) == (1500, 1425, 1350, 1200, 1000)
    assert _budgets([problem(1000)]) == (1000,)
    assert _budgets([problem(1000, 100), problem(900, 200)]) == (1100, 1045, 1000, 990, 900)


class Sized:
    """A network of one image, ``side`` pixels, and its board."""

    def __init__(self, side: int, shape: tuple[int, ...] = ()) -> None:
        value = SimpleNamespace(shape=shape or (1, side, side, 3), bytes=1000)
        self.graph: Any = SimpleNamespace(inputs=("x",), values={"x": value})
        place = SimpleNamespace(arena=("a",), data="d", stack="other", weights="f", text="f")
        memory = SimpleNamespace(size=4096)
        self.board: Any = SimpleNamespace(place=place, stack_bytes=512, memory=lambda name: memory)


def told(sized: Sized, bound: int) -> str:
    (line,) = _smaller_input(sized.graph, sized.board, SimpleNamespace(bound=bound))
    return line


@pytest.mark.parametrize(
    ("side", "bound", "size"),
    [(32, 4096 * 4 - 1000, "15x15"), (32, 15_384, "15x15"), (20, 1, "19x19"), (17, 15_384, "8x8")],
)
def test_a_smaller_input_is_proposed_by_the_room_there_is(side: int, bound: int, size: str) -> None:
    """8,192 B less 4,096 of the harness are left; 5 per cent are kept from it."""
    assert told(Sized(side), bound).startswith(
        f"an input of about {size} instead of {side}x{side}:"
    )


@pytest.mark.parametrize("sized", [Sized(16), Sized(0, (1, 64)), Sized(0, (1, 64, 64))])
def test_no_input_of_less_than_eight_pixels_is_proposed(sized: Sized) -> None:
    assert told(sized, 15_384).startswith("a smaller input or fewer channels")


def test_without_room_at_all_no_input_is_small_enough() -> None:
    sized = Sized(32)
    sized.board.place.stack = "d"
    sized.board.stack_bytes = 4096
    assert list(_smaller_input(sized.graph, sized.board, SimpleNamespace(bound=1))) == []  # type: ignore[arg-type]


def channels(
    size: int, monkeypatch: pytest.MonkeyPatch, *, squared: int = 10_000, **place: str
) -> list[str]:
    cost = SimpleNamespace(
        requant=500, nodes=[SimpleNamespace(bias=300), SimpleNamespace(bias=200)],
        bytes=squared + 1000,
    )  # fmt: skip
    monkeypatch.setattr("deployer.plan.refusal.graph_cost", lambda graph: cost)
    names = {"weights": "f", "text": "t", "stack": "s", "data": "d", **place}
    memory = SimpleNamespace(size=size)
    board: Any = SimpleNamespace(
        place=SimpleNamespace(**names, arena=("a",)), stack_bytes=512, memory=lambda name: memory
    )
    graph: Any = SimpleNamespace(inputs=("x",), values={"x": SimpleNamespace(bytes=1000)})
    return list(_fewer_channels(graph, board, SimpleNamespace(bound=2000)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("size", "place", "share"),
    [
        (3500, {}, "0.51"),  # 10,000 x² + 1,000 x = 3,500: x = 0.5437
        (3500 + 32_768, {"text": "f"}, "0.51"),
        (3500 + 512, {"stack": "f"}, "0.51"),
        (3500 + 5096, {"data": "f"}, "0.51"),
        (3500, {"weights": "a"}, "0.43"),  # and an arena of 2,000 beside: x = 0.4603
        (250, {}, "0.11"),  # x = 0.1158
    ],
)
def test_fewer_channels_are_proposed_by_the_room_there_is(
    size: int, place: dict[str, str], share: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (line,) = channels(size, monkeypatch, **place)
    assert line.startswith(f"about {share} times the channels in every layer")


def test_far_too_many_weights_want_another_network(monkeypatch: pytest.MonkeyPatch) -> None:
    assert channels(199, monkeypatch)[0].startswith("another network")
    assert channels(-50, monkeypatch)[0].startswith("another network")
    assert channels(3500, monkeypatch, squared=0) == []
