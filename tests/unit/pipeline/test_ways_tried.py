"""How many ways are tried before a network is given up, and with which room."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.board.load import load_board
from deployer.errors import ImageTooLarge
from deployer.pipeline import fit, hot, smallest, stages, streamed, striped, tuned
from deployer.pipeline.options import Job, Options, make_job
from deployer.pipeline.overflow import planned_again
from deployer.pipeline.parts import SHARES, code_of
from deployer.pipeline.placed import copies_wanted
from deployer.pipeline.refusal import _fewer_channels, _smaller_input
from deployer.pipeline.restructured import _budgets

KIB = 1024


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return make_job(tmp_path / "net.onnx", "gap8", options=Options(), runner="gap8_sim")


def test_code_that_is_too_large_is_planned_again_four_times(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each time with more left to it: what was missing in steps of 512, 512 more, and a quarter of
    what was left before."""
    left: list[int] = []

    def executed(job: Job, first: str, last: str) -> None:
        left.append(job.code_excess)
        raise ImageTooLarge("l2", 600, board="gap8")

    monkeypatch.setattr(stages, "_executed", executed)
    with pytest.raises(ImageTooLarge):
        stages.execute(job)
    assert left == [0, 1536, 3456, 5856, 8856]


@pytest.mark.parametrize(
    ("first", "fine"), [("import", True), ("schedule", True), ("allocate", False)]
)
def test_only_plans_of_this_run_are_made_again(job: Job, first: str, fine: bool) -> None:
    error = ImageTooLarge("l2", 1, board="gap8")
    told: list[str] = []
    job = replace(job, notice=told.append)
    if not fine:
        with pytest.raises(ImageTooLarge):
            planned_again(job, first, error)
        return
    again, stage = planned_again(job, first, error)
    assert stage == ("restructure" if first == "import" else "schedule")
    assert again.code_excess == 1024
    assert told == ["code takes 1 B more than estimated: planned again"]


class Asked:
    """Stands in for a schedule in which nothing has room: a layer of the graph needs most."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, missing: int = 0) -> None:
        self.reserves: list[tuple[bool, int]] = []
        self.missing = missing
        monkeypatch.setattr(striped, "_in_rounds", self.rounds)

    def rounds(self, job: Any, graph: Any, aim: Any) -> tuple[None, int]:
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
    assert striped.striped(None, None) is None  # type: ignore[arg-type]
    assert asked.reserves == [(wide, reserve) for wide in (False, True) for reserve in narrow]


@dataclass(frozen=True)
class Net:
    nodes: tuple[Any, ...] = (SimpleNamespace(name="a"),)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Nothing fits; which chain is cut next is logged."""
    cut: list[str] = []
    monkeypatch.setattr(striped, "loosely", lambda job, graph: graph)
    monkeypatch.setattr(striped, "fits_somehow", lambda job, order: False)
    monkeypatch.setattr(striped, "streaming", lambda order, target, excess: order)
    monkeypatch.setattr(striped, "eased", lambda given: given)
    monkeypatch.setattr(striped, "_highest", lambda given: ("a", 5))

    def lower(job: Any, graph: Any, given: Any, aim: Any) -> Any:
        cut.append("a")
        return graph

    monkeypatch.setattr(striped, "_lower", lower)
    return cut


JOB: Any = SimpleNamespace(target=None, code_excess=0)
AIM = striped._Aim(wide=False, reserve=0)


def test_eight_chains_are_cut_at_the_most(short: list[str]) -> None:
    assert striped._in_rounds(JOB, Net(), AIM) == (None, 0)  # type: ignore[arg-type]
    assert len(short) == 8


def test_a_layer_in_stripes_that_is_too_large_ends_the_rounds(
    short: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(striped, "_highest", lambda given: ("a.rows.1", 77))
    assert striped._in_rounds(JOB, Net(), AIM) == (None, 77)  # type: ignore[arg-type]
    assert short == []


@pytest.mark.parametrize("what", ["streaming", "_lower"])
def test_without_weights_to_fetch_or_a_way_the_rounds_end(
    what: str, short: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(striped, what, lambda *given: None)
    assert striped._in_rounds(JOB, Net(), AIM) == (None, 0)  # type: ignore[arg-type]


def test_six_ways_are_tried_for_a_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that lowers most is taken where none fits; the first that fits otherwise."""
    tried: list[int] = []
    ways = (SimpleNamespace(nodes=("a",), number=n) for n in count())
    monkeypatch.setattr(striped, "choices", lambda graph, layer, terms: ways)
    monkeypatch.setattr(striped, "_highest", lambda given: ("a", 90))
    monkeypatch.setattr(striped, "_terms", lambda *given: SimpleNamespace(kept=lambda names: 10))
    monkeypatch.setattr(striped, "in_stripes", lambda graph, way: way.number)
    excess = dict(enumerate((95, 80, 20, 20, 30, -9, -99, 90, -10, -200)))

    def beyond(job: Any, before: Any, graph: Any) -> int:
        tried.append(graph)
        return excess[graph]

    monkeypatch.setattr(striped, "_excess", beyond)
    assert striped._lower(JOB, None, None, AIM) == 5  # type: ignore[arg-type]
    assert tried == [0, 1, 2, 3, 4, 5]
    assert striped._lower(JOB, None, None, AIM) == 6  # type: ignore[arg-type]
    assert tried[6:] == [6]
    assert striped._lower(JOB, None, None, AIM) == 8  # type: ignore[arg-type]
    assert tried[7:] == [7, 8]


@pytest.fixture
def rooms(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rooms for which transfers are chosen; none finds places."""
    asked: list[int] = []

    def choose(traffic: Any, room: int) -> Any:
        asked.append(room)
        return None if room < 4000 else SimpleNamespace(begins=(0,), resident=())

    monkeypatch.setattr(streamed, "choose", choose)
    monkeypatch.setattr(streamed, "replace", lambda choice, begins: begins)
    return asked


def fetching(monkeypatch: pytest.MonkeyPatch, fits: bool = False) -> tuple[Any, list[Any]]:
    placed: list[Any] = []

    def place(given: Any, begins: Any) -> Any:
        placed.append(begins)
        return "found" if fits and len(placed) == 4 else None

    monkeypatch.setattr(streamed, "_placed", place)
    left = SimpleNamespace(latest=lambda begins: "late")
    traffic = SimpleNamespace(without=lambda resident: left)
    untimed = SimpleNamespace(earliest=lambda room: ())
    return SimpleNamespace(room=10_000, traffic=traffic, untimed=untimed), placed


def test_more_and_more_of_the_room_is_left_to_gaps(
    rooms: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    given, placed = fetching(monkeypatch)
    assert streamed._ahead(given) is None
    wanted = [10_000, 9_900, 9_800, 9_600, 9_200, 8_400, 6_800, 3_600]
    assert rooms == pytest.approx(wanted, abs=1)
    assert placed == [(0,), "late"] * 7


def test_the_first_transfers_that_find_places_are_taken(
    rooms: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    given, _ = fetching(monkeypatch, fits=True)
    assert streamed._ahead(given) == "found"
    assert rooms == [10_000, 9_900]
    given.untimed.earliest = lambda room: None
    assert streamed._ahead(given) is None
    assert len(rooms) == 2


def test_parts_of_two_sizes_add_their_code() -> None:
    """704 bytes for the first kind and 72 for the join; 152 for each part beyond two."""
    assert code_of([]) == 0
    assert code_of([2]) == 776
    assert code_of([3, 5]) == 776 + 152 + 776 + 3 * 152
    assert SHARES[0] == 2  # paper 004, Eq. 5: the current weights and the next


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
        patch.setattr(smallest, "_works", lambda job, plain, size: size >= needed)
        found = smallest.smallest_arena(small, None)  # type: ignore[arg-type]
    steps = -(-needed // (8 * KIB))
    assert found == (steps * 8 * KIB if steps <= 8 * have else None)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (Options(), True),
        (Options(place="off"), False),
        (Options(optimize="ram"), False),
        (Options(optimize="balanced"), True),
        (Options(ram=1), False),
    ],
)
def test_weights_are_copied_unless_ram_is_to_be_saved(options: Options, wanted: bool) -> None:
    assert copies_wanted(options) is wanted


def test_the_memory_for_code_keeps_room_for_its_ends() -> None:
    """Sixteen words of vectors' alignment and the marks of begin and end; jumps of 16 bytes."""
    assert (hot.KEPT, hot.CALL) == (288, 16)
    assert fit.STATIC_RESERVE == 4096


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
    monkeypatch.setattr("deployer.pipeline.refusal.graph_cost", lambda graph: cost)
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


def test_both_files_of_a_tuned_network_are_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save(graph: Any, path: Path) -> None:
        path.write_text(f"head {graph}")
        path.with_suffix(".npz").write_text(f"arrays {graph}")

    monkeypatch.setattr(tuned.serde, "save", save)
    for name in ("first", "second"):
        assert tuned._write(name, tmp_path / "tuned.json") == tmp_path / "tuned.json"  # type: ignore[arg-type]
        found = {path.name: path.read_text() for path in tmp_path.iterdir()}
        assert found == {"tuned.json": f"head {name}", "tuned.npz": f"arrays {name}"}
