"""Plans of a front: none beats another, the words of --optimize pick from them, limits hold."""

from __future__ import annotations

from itertools import pairwise

import pytest

from deployer.ir.graph import Graph
from deployer.plan import aliased, arena_in_one_memory
from deployer.plan.faster import FAR_SLOWER, faster
from deployer.plan.front import (
    SCRATCH_BYTES,
    FrontPlan,
    Search,
    _levels,
    balanced,
    has_front,
    undominated,
)
from deployer.plan.price import Price
from deployer.plan.regions import no_arena, restructured, search_of
from unit.ir.nets import Net
from unit.plan.planner_requests import request_for

NUCLEO = "nucleo-f767zi"


def small_net() -> Graph:
    """Channels widen while the plane shrinks, so that strips of columns raise the peak."""
    net = Net("front")
    x = net.conv(net.input(1, 16, 16, 4), 16, 3)
    return net.graph(net.conv(net.conv(x, 64, 3), 64, 3))


@pytest.fixture(scope="module")
def search() -> Search:
    return search_of(small_net(), request_for(NUCLEO))


@pytest.fixture(scope="module")
def front(search: Search) -> tuple[FrontPlan, ...]:
    return search.front()


def arena_of(graph: Graph, **limits: object) -> int:
    return arena_in_one_memory(aliased(graph, request_for(NUCLEO, **limits)))


def plan(arena: int, cycles: float) -> FrontPlan:
    return FrontPlan(small_net(), arena, cycles)


def test_plans_that_others_beat_are_left_out() -> None:
    given = [plan(5, 9.0), plan(9, 5.0), plan(9, 6.0), plan(10, 5.0), plan(7, 9.5)]
    assert [(one.arena, one.cycles) for one in undominated(given)] == [(9, 5.0), (5, 9.0)]


def test_large_graphs_are_searched_with_fewer_choices_of_kernels() -> None:
    assert _levels(10) == SCRATCH_BYTES
    assert _levels(4) == (float("inf"), 4096, 1024, 0)
    assert _levels(0) == (float("inf"), 0)


def test_outputs_that_no_memory_holds_fit_no_plan() -> None:
    net = Net("mask")
    graph = net.graph(net.conv(net.input(1, 64, 64, 4), 160, 1))
    assert no_arena(graph, request_for(NUCLEO).board)
    assert not no_arena(graph, request_for("gap8").board)  # it spills
    assert not no_arena(small_net(), request_for(NUCLEO).board)


def test_balanced_is_least_arena_times_cycles_within_the_limit() -> None:
    given = [plan(100, 10.0), plan(60, 11.0), plan(50, 40.0)]
    picked = [balanced(given, ram) for ram in (None, 55, 49)]
    assert [one and one.arena for one in picked] == [60, 50, None]


def test_smaller_plans_of_a_front_are_slower(front: tuple[FrontPlan, ...]) -> None:
    assert len(front) > 2
    pairs = list(pairwise(front))
    assert all(a.arena > b.arena and a.cycles < b.cycles for a, b in pairs)


def test_the_arena_of_a_plan_is_what_its_schedule_takes(front: tuple[FrontPlan, ...]) -> None:
    assert [one.arena for one in front] == [arena_of(one.graph) for one in front]


def test_the_plan_within_a_limit_keeps_to_it_and_is_no_slower_than_the_fronts(
    search: Search, front: tuple[FrontPlan, ...]
) -> None:
    for one in front:
        found = search.within(one.arena)
        assert found is not None
        assert found.arena <= one.arena
        assert found.cycles <= one.cycles


def test_nothing_is_found_below_the_smallest(search: Search) -> None:
    assert search.within(search.smallest().arena // 2) is None


def test_kernels_of_little_scratch_stand_between_fast_and_portable_ones(
    front: tuple[FrontPlan, ...],
) -> None:
    taken = {node.kernel for one in front for node in one.graph.nodes}
    assert {"dpl_conv2d_s8__armv7em_triple", "dpl_conv2d_s8__armv7em_direct"} <= taken


def test_the_least_ram_is_the_smallest_arena_and_slower(search: Search) -> None:
    request = request_for(NUCLEO, optimize="ram")
    found = restructured(small_net(), request)
    assert arena_of(found, optimize="ram") == search.smallest().arena
    assert Price(request.board).graph(found) > search.front()[0].cycles


def test_a_limit_of_ram_is_kept() -> None:
    found = restructured(small_net(), request_for(NUCLEO, ram=20_000))
    assert arena_of(found) <= 20_000


def test_a_far_faster_plan_of_few_bytes_more_is_told() -> None:
    request = request_for(NUCLEO, optimize="ram")
    plain = small_net()
    told = faster(search_of(plain, request), restructured(plain, request))
    assert told is not None
    least, other = told
    assert least.arena < other.arena <= 1.4 * least.arena
    assert other.cycles * FAR_SLOWER <= least.cycles
    assert faster(search_of(plain, request_for(NUCLEO)), plain) is None


@pytest.mark.parametrize(
    ("board", "limits", "there"),
    [
        (NUCLEO, {}, True),
        (NUCLEO, {"choose": "first"}, False),
        (NUCLEO, {"restructure": "off"}, False),
        ("rpi3", {}, True),
        ("gap8", {}, False),
    ],
)
def test_a_front_needs_costs_and_whole_tensors(
    board: str, limits: dict[str, str], there: bool
) -> None:
    assert has_front(request_for(board, **limits)) is there
