"""Small rules of the analyses: slots in a region, claims on memories, boards with room."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from deployer.allocate.allocate import allocate
from deployer.analysis.alternatives import arena_room, boards_with_room, weight_room
from deployer.analysis.channels import ChannelLayout
from deployer.analysis.cost import graph_cost
from deployer.analysis.fit import (
    Claim,
    FitReport,
    FitRow,
    check_fit,
    constant_reserve,
    fit_report,
    largest_weights,
    prefetch_claims,
    ram_claims,
)
from deployer.analysis.layout import layout_of
from deployer.analysis.liveness import held
from deployer.analysis.overlap import chains
from deployer.analysis.storage import Slot, assign, successors
from deployer.board.load import board_names, load_board
from deployer.board.model import Board
from deployer.errors import FitError
from deployer.ir.graph import Graph
from deployer.ir.plan import Buffer, ConstantPlace
from deployer.ir.prefetch import Fetch, PrefetchPlan
from deployer.ir.region import CHANNELS, Region
from deployer.ir.share import OVER, Share
from deployer.ir.types import DType
from deployer.ir.verify import InvariantError
from deployer.schedule.order import schedule
from unit.analysis.spatial_nets import SAME_3, SpatialNet
from unit.codegen.test_channels_c import residual
from unit.ir.boards import board
from unit.ir.nets import Net, resnet8


def two_branches(end: str) -> tuple[Graph, str, str, str]:
    """Two convolutions of one input, of 4 channels each, and what becomes of them."""
    net = SpatialNet()
    x = net.input(4, 4, 2)
    a, b = net.conv(x, 4, SAME_3), net.conv(x, 4, SAME_3)
    c = net.concat(a, b) if end == "concat" else net.add(a, b)
    return net.graph(), a, b, c


@pytest.mark.parametrize(
    ("inner", "places"),
    [("ab", {"a": 0}), ("b", {"b": 0}), ("", {})],
)
def test_an_addition_rewrites_one_of_its_inputs(inner: str, places: dict[str, int]) -> None:
    graph, a, b, c = two_branches("add")
    names = {"a": a, "b": b}
    found = assign(graph, graph.nodes, lambda name: name in [names[n] for n in inner])
    wanted = {v: Slot(c, places[n]) if n in places else Slot(v) for n, v in names.items()}
    assert found == {**wanted, c: Slot(c)}
    assert successors(graph, graph.nodes[2]) == ((a, 0), (b, 0))


def test_a_concat_has_each_input_in_its_part() -> None:
    graph, a, b, c = two_branches("concat")
    everything = assign(graph, graph.nodes, lambda name: True)
    assert everything == {a: Slot(c, 0), b: Slot(c, 4), c: Slot(c)}


def test_what_is_read_twice_stays_where_it_is() -> None:
    net = SpatialNet()
    a = net.conv(net.input(4, 4, 2), 4, SAME_3)
    twice = net.add(a, a)
    shifted = net.table(twice)
    last = net.concat(net.conv(twice, 3, SAME_3), shifted)
    graph = net.graph()
    assert successors(graph, graph.nodes[1]) == ()
    assert successors(graph, graph.nodes[2]) == ()
    found = assign(graph, graph.nodes, lambda name: True)
    assert found[shifted] == Slot(last, 3)
    assert (found[a], found[twice]) == (Slot(a), Slot(twice))


def test_places_within_places_add_up() -> None:
    net = SpatialNet()
    x = net.input(4, 4, 2)
    a, b = net.conv(x, 4, SAME_3), net.conv(x, 3, SAME_3)
    inner = net.concat(a, net.table(b))
    outer = net.concat(net.conv(x, 5, SAME_3), inner)
    found = assign(net.graph(), net.graph().nodes, lambda name: True)
    assert found[b] == Slot(outer, 5 + 4)
    assert found[inner] == Slot(outer, 5)


def test_claims_on_ram_are_arenas_copies_stacks_and_data() -> None:
    where = board()
    plan = allocate(schedule(resnet8(), ["ref"]), where)
    places = (
        ConstantPlace("w", "n", 13, "flash", "dtcm", 0, 1),
        ConstantPlace("v", "n", 50, "flash", "flash", 0, 0),
    )
    found = list(ram_claims(replace(plan, constants=places), where, {"dtcm": 5000, "sram": 100}))
    assert found == [
        Claim("sram", "arena", 49_152),
        Claim("dtcm", "copied weights", 16),
        Claim("dtcm", "stack", 2048),
        Claim("dtcm", "static data", 5000 - 2048, "estimated"),
        Claim("sram", "stack", 0),
        Claim("sram", "static data", 100, "estimated"),
    ]
    assert next(iter(ram_claims(replace(plan, heights=()), where, {"dtcm": 100}))) == Claim(
        "dtcm", "stack", 100
    )


PREFETCH = PrefetchPlan(
    "l3", (Fetch("a", "w", 0, 100, 0, 1), Fetch("b", "v", 104, 33, 1, 2)), 700, 900, 1, (("a", 5),)
)


def test_claims_of_fetched_weights_are_in_three_memories() -> None:
    gap8 = load_board("gap8")
    assert list(prefetch_claims(PREFETCH, gap8)) == [
        Claim(gap8.place.weights, "constants", 700),
        Claim(gap8.place.text, "code", 900, "estimated"),
        Claim("l3", "weights", 137),
    ]
    assert PREFETCH.stalled == 5


def test_a_report_of_fetched_weights_counts_them_where_they_lie() -> None:
    where = board()
    order = schedule(resnet8(), ["ref"])
    plan = replace(allocate(order, where), prefetch=replace(PREFETCH, memory="dtcm"))
    rows = {row.memory: row for row in fit_report(order, plan, where, reserved={}).rows}
    assert rows["flash"].used == 700 + 900
    assert rows["dtcm"].holds == "weights 137"
    given = {"reserved": {}, "input_copy": {"dtcm": 64}}
    rows = {row.memory: row for row in fit_report(order, plan, where, **given).rows}
    assert rows["dtcm"].holds == "input copy 64, weights 137"


def test_constants_and_code_of_one_memory_are_reserved_together() -> None:
    cost = graph_cost(resnet8())
    assert constant_reserve(resnet8(), board()) == {"flash": cost.bytes + (32 << 10)}
    where = board()
    apart = replace(where, place=replace(where.place, text="sram"))
    found = constant_reserve(resnet8(), apart, code_reserve=5)
    assert found == {"flash": cost.weights + cost.requant, "sram": 5}


def test_a_memory_that_is_full_fits_and_one_byte_more_does_not() -> None:
    full = FitRow("sram", 64, 64, "planned", "")
    assert (full.excess, FitReport((full,)).fits) == (0, True)
    assert not FitReport((full, replace(full, used=65))).fits


def test_few_layers_are_named_without_a_sum_of_others() -> None:
    net = Net("few")
    x = net.conv(net.input(1, 4, 4, 2), 3, name="a")
    graph = net.graph(net.conv(x, 8, 3, name="b"))
    sizes = {node.node: node.bytes for node in graph_cost(graph).nodes}
    assert largest_weights(graph_cost(graph)) == f"b {sizes['b']:,}  a {sizes['a']:,}"


@pytest.mark.parametrize(
    ("flash", "sram", "hint"),
    [(1 << 20, 49_152, "smaller input"), (40_000, 1 << 16, "fewer channels")],
)
def test_what_is_too_large_says_what_would_help(flash: int, sram: int, hint: str) -> None:
    order, where = schedule(resnet8(), ["ref"]), board(flash=flash, sram=sram)
    plan = allocate(order, where)
    with pytest.raises(FitError) as caught:
        check_fit(order, plan, where, reserved={"sram": 1})
    assert hint in caught.value.hints[0]
    assert caught.value.hints[1].startswith("a board with more room: ")
    assert ("largest weights" in str(caught.value)) == (hint == "fewer channels")


@pytest.mark.parametrize("room", [arena_room, weight_room])
def test_boards_with_just_enough_room_are_named(room: Callable[[Board], int]) -> None:
    boards = {name: load_board(name) for name in board_names()}
    assert boards_with_room(0, room, but="host") == tuple(n for n in boards if n != "host")
    for name, each in boards.items():
        assert name in boards_with_room(room(each), room, but="")
        assert name not in boards_with_room(room(each) + 1, room, but="")
        assert name not in boards_with_room(0, room, but=name)
    assert arena_room(board(sram=100, dtcm=20)) == 120
    assert weight_room(board(flash=500)) == 500


def test_what_shares_a_buffer_is_named_while_it_is_needed() -> None:
    net = SpatialNet()
    first = net.table(net.input(2, 2, 4))
    second = net.table(first)
    net.conv(second, 1, SAME_3)
    graph = net.graph()
    shares = (Share(graph.nodes[1].name, first, OVER), Share(graph.nodes[0].name, "in0", OVER))
    shared = replace(graph, shares=shares)
    names = [set(next(iter(held(shared, step).values())).split(" + ")) for step in range(3)]
    assert names == [{"in0", first}, {first, second}, {second}]


def test_a_layer_that_takes_no_groups_has_no_part_in_them() -> None:
    net = SpatialNet()
    x = net.conv(net.input(4, 4, 2), 8, SAME_3)
    net.slice(x, (0, 0, 0), (4, 4, 4))
    graph = net.graph()
    nodes = tuple(node.name for node in graph.nodes)
    layout = layout_of(graph, Region(nodes, CHANNELS, graph.nodes[-1].output, channels=(0, 4, 8)))
    assert isinstance(layout, ChannelLayout)
    with pytest.raises(ValueError, match="cannot be computed by channels"):
        assert layout.roles


def test_groups_of_wider_elements_take_more_bytes() -> None:
    """int8 and int16; sums of 4 bytes are the same."""
    graph, _ = residual((0, 4, 8, 12))
    wide = {
        name: replace(value, dtype=DType.S16) if name not in graph.constants else value
        for name, value in graph.values.items()
    }
    narrow = layout_of(graph, graph.regions[0]).stored
    twice = layout_of(replace(graph, values=wide), graph.regions[0]).stored
    made = [node.output for node in graph.nodes[:-1]]
    sizes = {name: narrow[name].bytes for name in made if name in narrow}
    assert sizes
    assert {name: twice[name].bytes for name in sizes} == {n: 2 * s for n, s in sizes.items()}


def test_nothing_is_written_over_what_is_needed_later() -> None:
    net = SpatialNet()
    out = net.conv(net.input(4, 4, 2), 2, SAME_3)
    graph = net.graph()
    region = Region((graph.nodes[0].name,), "stream", out, over=("in0", out))
    layout, owner = layout_of(graph, region), {"in0": "in0", out: out}
    live = {"in0": Buffer("in0", 0, 2, 32), out: Buffer(out, 0, 2, 32)}
    with pytest.raises(InvariantError, match="in0 is overwritten before its last use"):
        list(chains([layout], owner, live, [1]))
    (chain,) = chains([layout], owner, live, [2])
    assert chain.merged(live).lower == 0
    assert chain.merged(live).upper == 2
