"""What a step in tiles finds in L1 when it begins, and that it lay there undisturbed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise, product

import pytest

from deployer.board.load import load_board
from deployer.ir.graph import Graph
from deployer.ir.plan import Schedule, StepTiles
from deployer.ir.tiling import Axis, TileBuffer, TileCosts, Tiling
from deployer.kernelset.select import by_symbol
from deployer.resources import data_root
from deployer.schedule.order import schedule
from deployer.tile.alternatives import gathered_tiling, whole_tiling
from deployer.tile.beside import MAX_DISTANCE, PREFETCHED
from deployer.tile.estimate import Timeline
from deployer.tile.first_tile import with_prefetch
from deployer.tile.layer import Layer, layer_of
from deployer.tile.search import best_tiling, tiling_of
from unit.ir.nets import Net, ad, mnist
from unit.tile.layers import room

NETS: dict[str, Callable[[], Graph]] = {"ad": ad, "mnist": mnist}
KIB = 1024
SIZES = (16, 56)  # KiB
ROOM = room(4 * KIB)


@cache
def planned(net: str) -> Schedule:
    return schedule(NETS[net](), list(load_board("gap8").kernels))


@cache
def layers(net: str) -> dict[str, Layer]:
    steps = planned(net)
    nodes = {node.name: node for node in steps.graph.nodes}
    found = {
        step.node: layer_of(steps.graph, nodes[step.node], by_symbol(step.kernel))
        for step in steps.steps
        if step.kernel
    }
    return {name: layer for name, layer in found.items() if layer is not None}


def options(net: str, kib: int) -> Iterator[list[StepTiles]]:
    for name, layer in layers(net).items():
        best, whole = best_tiling(layer, room(kib * KIB)), whole_tiling(layer, room(kib * KIB))
        gathered = best and gathered_tiling(layer, best, room(kib * KIB))
        candidates = [t for t in (best, whole, gathered) if t is not None]
        yield [StepTiles(name, layer.case.out_shape, t.count, t) for t in candidates] or [
            StepTiles(name, layer.case.out_shape)
        ]


@cache
def tilings(net: str, kib: int) -> dict[str, Tiling]:
    steps = with_prefetch(options(net, kib), planned(net).graph, room(kib * KIB))
    return {step.node: step.tiling for step in steps if step.tiling is not None}


def meet(begin: int, end: int, other: TileBuffer) -> bool:
    return begin < other.end and other.offset < end


def with_those_before(net: str, kib: int) -> Iterator[tuple[Tiling, list[Tiling]]]:
    """Each step but the first, and those beside which it is prefetched, the latest first."""
    steps = list(tilings(net, kib).values())
    for number, tiling in enumerate(steps[1:], 1):
        yield tiling, steps[max(0, number - tiling.distance) : number][::-1]


def used_last(tiling: Tiling) -> list[TileBuffer]:
    """What the last tile works on, as kernels/runtime/tiles.c walks there: inputs and weights
    change sides when another tile needs others; outputs before it may be on their way."""
    places, depths = tiling.rows.count * tiling.columns.count, tiling.channels.count
    inner = [(place, depth) for place in range(places) for depth in range(depths)]
    tiles = inner if tiling.channels_inner else sorted(inner, key=lambda tile: tile[::-1])
    sides = {"input": 0, "weights": 0}
    for (place, depth), (next_place, next_depth) in pairwise(tiles):
        sides["weights"] ^= depth != next_depth
        sides["input"] ^= place != next_place or (tiling.sliced and depth != next_depth)
    return [one_side(buffer, sides) for buffer in tiling.buffers]


def one_side(buffer: TileBuffer, sides: dict[str, int]) -> TileBuffer:
    side = sides.get(buffer.id.split("_")[0])
    if buffer.sides == 1 or side is None:
        return buffer
    return replace(buffer, offset=buffer.offset + side * buffer.size, sides=1)


@pytest.mark.parametrize("sliced", [False, True])
@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("counts", list(product((1, 2, 3), (1, 2), (1, 2, 3))))
def test_the_last_tile_leaves_a_side_of_inputs_and_weights(
    counts: tuple[int, int, int], inner: bool, sliced: bool
) -> None:
    rows, columns, channels = (Axis(4, 4 * count, 4 * count) for count in counts)
    names = "turns", "input", "input_1", "output", "weights", "table", "scratch"
    sides = 2, 2, 2, 2, 2, 1, 1
    buffers = [
        TileBuffer(n, 256 * i, 64, s) for i, (n, s) in enumerate(zip(names, sides, strict=True))
    ]
    costs = TileCosts(0, 0, 0, 0, 0)
    tiling = Tiling("l1", rows, columns, channels, sliced, 0, inner, tuple(buffers), costs)
    expected = [(b.offset, b.end) for b in used_last(tiling)]
    assert list(tiling.busy_at_end) == expected


@pytest.mark.parametrize("kib", SIZES)
@pytest.mark.parametrize("net", NETS)
def test_arrays_of_a_step_fit_and_share_no_bytes(net: str, kib: int) -> None:
    for tiling in tilings(net, kib).values():
        assert tiling.end <= kib * KIB
        for one in tiling.buffers:
            others = (b for b in tiling.buffers if b is not one)
            assert not any(meet(one.offset, one.end, other) for other in others)


@pytest.mark.parametrize("kib", SIZES)
@pytest.mark.parametrize("net", NETS)
def test_what_is_prefetched_disturbs_nothing(net: str, kib: int) -> None:
    """Of weights the first tile's, one side; beside each step that it is fetched ahead of."""
    for tiling, before in with_those_before(net, kib):
        assert len(before) == tiling.distance
        assert all(step.count == 1 and step.prefetched for step in before[:-1])
        for array in (b for b in tiling.buffers if tiling.prefetched and b.id in PREFETCHED):
            sides = 2 if array.id == "turns" else 1
            end = array.offset + sides * array.size
            used = (other for step in before for other in used_last(step))
            assert not any(meet(array.offset, end, other) for other in used)


def test_no_step_is_prefetched_further_ahead_than_the_firmware_remembers() -> None:
    text = (data_root() / "kernels/include/dpl/tiles.h").read_text()
    assert f"DPL_PREFETCH_DISTANCE = {MAX_DISTANCE} }}" in text
    found = {step.distance for net in NETS for kib in SIZES for step in tilings(net, kib).values()}
    assert 1 < max(found) <= MAX_DISTANCE


@pytest.mark.parametrize("kib", SIZES)
@pytest.mark.parametrize("net", NETS)
def test_what_is_kept_is_the_output_of_the_step_before(net: str, kib: int) -> None:
    graph = planned(net).graph
    nodes = {node.name: node for node in graph.nodes}
    for (maker, before), (name, tiling) in pairwise(tilings(net, kib).items()):
        if tiling.kept:
            index = int(tiling.kept.removeprefix("input_")) if "_" in tiling.kept else 0
            assert graph.activations(nodes[name])[index] == nodes[maker].output
            assert before.count == 1 or before.gathered
            assert tiling.buffer(tiling.kept).offset == before.buffer("output").offset
            assert tiling.buffer(tiling.kept).sides == 1


def test_layers_in_one_tile_keep_what_the_step_before_made() -> None:
    """Whatever they are: convolutions of all kinds, additions, pools."""
    inner = list(tilings("mnist", 56).values())[1:-1]
    assert {tiling.sliced for tiling in inner} == {False, True}
    assert all(tiling.count == 1 and tiling.kept for tiling in inner)


def test_tiles_of_channels_that_read_all_of_the_input_keep_it() -> None:
    last = tilings("ad", 56)["fullyconnected9"]
    assert last.channels.count > 1
    assert last.kept == "input"


def test_first_weights_take_the_side_that_the_last_tile_before_leaves() -> None:
    """Of the autoencoder's first layer, whose weights have two."""
    first, second, *_ = tilings("ad", 56).values()
    (weights,) = (b for b in first.buffers if b.id == "weights")
    assert weights.sides == 2
    taken = (b for b in second.buffers if second.prefetched and b.id == "weights")
    assert any(meet(b.offset, b.offset + b.size, weights) for b in taken)


def test_small_layers_begin_with_all_they_need() -> None:
    """Of the autoencoder's ten those of 128 channels, but for the first two and the last, whose
    weights are many."""
    inner = list(tilings("ad", 56).values())[3:-1]
    assert all(tiling.prefetched and tiling.kept for tiling in inner)


def test_a_layer_runs_in_one_tile_for_the_next_ones_sake() -> None:
    alone = {name: best_tiling(layer, room(56 * KIB)) for name, layer in layers("ad").items()}
    together = tilings("ad", 56)
    changed = [n for n, t in together.items() if alone[n] and t.count < alone[n].count]
    assert changed
    assert sum(t.costs.cycles for t in together.values()) < sum(
        t.costs.cycles for t in alone.values() if t
    )


def pair(window: int, *, beside: bool, stride: int = 1) -> tuple[Graph, list[Layer]]:
    """A point convolution, and one behind it whose kernel may have zero points beside rows."""
    net = Net("pair")
    first = net.conv(net.input(1, 6, 6, 4), 4, name="first")
    net.conv(first, 4, window, stride=stride, name="second")
    graph = net.graph("second_out")
    plain = replace(by_symbol("dpl_conv2d_s8__ref"), cycles=lambda case: 1000.0)
    made = plain, replace(plain, border_padding=lambda case: beside)
    found = [layer_of(graph, node, k) for node, k in zip(graph.nodes, made, strict=True)]
    return graph, [replace(layer, group_bytes=64) for layer in found if layer]


def second_of(graph: Graph, candidates: list[Tiling | None]) -> Tiling:
    given = [
        [StepTiles(node.name, (1, 6, 6, 4), tiling.count, tiling)]
        for node, tiling in zip(graph.nodes, candidates, strict=True)
        if tiling
    ]
    found = with_prefetch(given, graph, room(4 * KIB)) if len(given) == 2 else ()
    assert len(found) == 2
    assert found[1].tiling is not None
    return found[1].tiling


@pytest.mark.parametrize(
    ("window", "beside", "kept"),
    [(1, False, "input"), (1, True, "input"), (3, False, ""), (3, True, "")],
)
def test_rows_that_may_have_zero_points_beside_them_are_loaded(
    window: int, beside: bool, kept: str
) -> None:
    graph, both = pair(window, beside=beside)
    second = second_of(graph, [whole_tiling(layer, room(4 * KIB)) for layer in both])
    assert (second.prefetched, second.kept) == (True, kept)


@pytest.mark.parametrize("cut", [(0, "rows"), (1, "rows"), (1, "columns"), (0, "channels")])
def test_only_what_lies_there_whole_is_kept(cut: tuple[int, str]) -> None:
    """Neither tiles of the step before nor tiles of rows or columns."""
    graph, both = pair(1, beside=False)
    candidates = [whole_tiling(layer, room(4 * KIB)) for layer in both]
    layer, tiling = both[cut[0]], candidates[cut[0]]
    assert tiling is not None
    axes = {"rows": tiling.rows, "columns": tiling.columns, "channels": tiling.channels}
    axes[cut[1]] = layer.rows(3) if cut[1] != "channels" else replace(axes["channels"], tile=2)
    parts = axes["rows"], axes["columns"], axes["channels"]
    candidates[cut[0]] = tiling_of(layer, room(4 * KIB), parts, True, tiling.costs)
    assert second_of(graph, candidates).kept == ""


def moved(size: int) -> int:
    """Cycles of a transfer: 20 and one for 8 bytes."""
    return round(20 + size / 8)


def written(size: int) -> int:
    """The same of one back: 7.75 bytes a cycle."""
    return round(20 + size / 7.75)


def constants(tiling: Tiling) -> int:
    """Cycles of the transfers of weights and table, of which one side."""
    return sum(moved(b.size) for b in tiling.buffers if b.id in ("weights", "table"))


def hidden(before: list[Tiling], tiling: Tiling) -> int:
    """Cycles of weights and table that nothing waits for: those that pass in the last tile of the
    steps before, less what passes there for others, and until the next one starts."""
    if not before or not tiling.prefetched:
        return 0
    step = round(ROOM.engine.control.step)
    lasts = [one.costs.compute // one.count + step for one in before]
    others = [0, *map(constants, before)]
    left = sum(max(0, last - other) for last, other in zip(lasts, others, strict=False))
    return min(constants(tiling), left)


@pytest.mark.parametrize("kib", SIZES)
@pytest.mark.parametrize("net", NETS)
def test_what_is_there_early_or_leaves_late_is_taken_off_the_estimate(net: str, kib: int) -> None:
    candidates = dict(zip(layers(net), options(net, kib), strict=True))
    seen, steps = 0, tilings(net, kib)
    befores = [[], *(before for _, before in with_those_before(net, kib))]
    for (name, tiling), before in zip(steps.items(), befores, strict=True):
        plain = next(
            step.tiling.costs
            for step in candidates[name]
            if step.tiling
            and (step.tiling.rows, step.tiling.columns, step.tiling.channels)
            == (tiling.rows, tiling.columns, tiling.channels)
        )
        kept = [b.size for b in tiling.buffers if b.id == tiling.kept]
        saved = hidden(before, tiling) + sum(map(moved, kept))
        saved += written(tiling.costs.bytes_out // tiling.count) if tiling.late else 0
        assert tiling.costs.cycles == plain.cycles - saved
        assert tiling.costs.waiting == max(0, plain.waiting - saved)
        assert tiling.costs.bytes_in == max(0, plain.bytes_in - sum(kept))
        seen += saved > 0
    assert seen


def test_no_time_is_saved_on_weights_that_come_with_their_step() -> None:
    given, graph = list(options("ad", 56)), planned("ad").graph
    plain = with_prefetch(given, graph, room(56 * KIB))
    early = [step for step in plain if step.tiling and step.tiling.prefetched]
    some = early[len(early) // 2].node
    waiting = with_prefetch(given, graph, room(56 * KIB), {some})
    cycles = [
        sum(step.tiling.costs.cycles for step in steps if step.tiling) for steps in (plain, waiting)
    ]
    assert cycles[0] < cycles[1] < cycles[0] * 1.1


@pytest.mark.parametrize("kib", SIZES)
@pytest.mark.parametrize("net", NETS)
def test_an_output_leaves_late_where_the_next_step_keeps_it(net: str, kib: int) -> None:
    """Unless that saves little, and the next step is not prefetched and so waits anyway."""
    steps = list(tilings(net, kib).values())
    assert not steps[-1].late
    for tiling, after in pairwise(steps):
        worth = written(tiling.costs.bytes_out // tiling.count) >= 200 or after.prefetched
        assert tiling.late == bool(after.kept and worth)


def test_no_output_leaves_late_where_another_step_stands_between() -> None:
    """It may read it where it is to be."""
    graph, both = pair(1, beside=False)
    first, second = (whole_tiling(layer, ROOM) for layer in both)
    assert first is not None
    assert second is not None
    maker, reader = (
        StepTiles(node.name, (1, 6, 6, 4), 1, tiling)
        for node, tiling in zip(graph.nodes, (first, second), strict=True)
    )
    other = StepTiles("first", (1, 6, 6, 4))
    for given, late in (([[maker], [reader]], True), ([[maker], [other], [reader]], False)):
        found = with_prefetch(given, graph, ROOM)
        assert found[-1].tiling is not None
        assert found[-1].tiling.kept
        assert found[0].tiling is not None
        assert found[0].tiling.late == late


@pytest.mark.parametrize("kib", SIZES)
@pytest.mark.parametrize("net", NETS)
def test_arrays_lie_as_low_as_what_was_there_before_lets_them(net: str, kib: int) -> None:
    """Moved ones: what is kept where it was, then what is filled early, then the others; both
    sides of the arguments are filled early, of weights one."""
    moved = 0
    for tiling, before in with_those_before(net, kib):
        if not (tiling.prefetched or tiling.kept):
            continue
        placed = [b for b in tiling.buffers if b.id == tiling.kept]
        rest = [b for b in tiling.buffers if b.id != tiling.kept]
        for array in sorted(rest, key=lambda b: b.id not in PREFETCHED):
            filled = array.size * (2 if array.id == "turns" else 1)
            early = tiling.prefetched and array.id in PREFETCHED
            others = [used for step in before for used in used_last(step)] if early else []
            size = array.end - array.offset
            lowest = next(
                offset
                for offset in range(0, kib * KIB, 16)
                if not any(meet(offset, offset + size, other) for other in placed)
                and not any(meet(offset, offset + filled, other) for other in others)
            )
            assert array.offset == lowest
            placed.append(array)
            moved += lowest > 0
    assert moved


@pytest.mark.parametrize("turn", range(4))
def test_of_all_choices_the_one_of_fewest_cycles_is_taken(turn: int) -> None:
    """Of two steps in one tile or two each; which is given first does not matter."""
    graph, both = pair(1, beside=False)
    given: list[list[StepTiles]] = []
    for number, (node, layer) in enumerate(zip(graph.nodes, both, strict=True)):
        candidates = []
        for rows in (6, 3):
            axes = layer.rows(rows), layer.columns(6), layer.channels(4)
            costs = Timeline(layer, axes, True, room(4 * KIB).engine).costs
            tiling = tiling_of(layer, room(4 * KIB), axes, True, costs)
            candidates.append(StepTiles(node.name, (1, rows, 6, 4), tiling.count, tiling))
        given.append(candidates[:: -1 if turn >> number & 1 else 1])

    def cycles(options: list[list[StepTiles]]) -> int:
        steps = with_prefetch(options, graph, room(4 * KIB))
        return sum(step.tiling.costs.cycles for step in steps if step.tiling)

    every = {cycles([[one], [other]]) for one, other in product(*given)}
    assert cycles(given) == min(every) < max(every)


def test_no_output_leaves_late_that_is_also_loaded() -> None:
    """The sum of a value and itself keeps one operand, and loads the other."""
    net = Net("twice")
    first = net.conv(net.input(1, 6, 6, 4), 4, name="first")
    graph = net.graph(net.add(first, first, name="second"))
    kernel = replace(by_symbol("dpl_conv2d_s8__ref"), cycles=lambda case: 1000.0)
    adding = replace(by_symbol("dpl_add_s8__ref"), cycles=lambda case: 1000.0)
    found = [layer_of(graph, n, k) for n, k in zip(graph.nodes, (kernel, adding), strict=True)]
    given = [
        [StepTiles(node.name, (1, 6, 6, 4), 1, whole_tiling(layer, ROOM))]
        for node, layer in zip(graph.nodes, found, strict=True)
        if layer
    ]
    steps = with_prefetch(given, graph, ROOM)
    assert [step.tiling.late for step in steps if step.tiling] == [False, False]
    assert steps[1].tiling is not None
    assert steps[1].tiling.kept == "input"
