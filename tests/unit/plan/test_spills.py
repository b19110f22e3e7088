"""Activations beyond the arena's memory are spilled, with places in the memory behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.analysis.liveness import step_nodes
from deployer.errors import FitError
from deployer.ir.attrs import ConcatAttrs
from deployer.ir.graph import Graph, Node
from deployer.ir.plan import Schedule
from deployer.ir.spills import SpillPlan
from deployer.numerics import interpret
from deployer.plan.aliases import whole_tensor_aliases
from deployer.plan.effort import PlanEffort
from deployer.plan.fetchable import PrefetchProblem
from deployer.plan.plan import plan
from deployer.plan.regions import restructured
from deployer.plan.room import fits_with_prefetch
from deployer.plan.spill_choice import MAX_ENDS, NOTHING, _ends, _without_idle, spill_choice
from deployer.plan.spill_needs import SpilledNeeds, SpillNeeds
from deployer.plan.spill_places import spill_buffers, with_spill_places
from deployer.plan.spills import in_spills
from deployer.restructure.spilled import with_spills
from unit.ir.nets import Net
from unit.plan.planner_requests import request_for, with_drawn_weights

KIB = 1024
GAP8 = request_for("gap8")


def skipping(seed: int = 0) -> Graph:
    """64 KiB that are skipped over a path of a quarter of the pixels; weights are drawn."""
    net = Net("skipping")
    skipped = net.conv(net.input(1, 64, 64, 4), 16, 3)
    small = net.conv(net.conv(skipped, 16, 3, stride=2), 16, 3)
    graph = net.graph(net.conv(net.add(net.up(small, 16, 2, 2), skipped), 4, 3, stride=2))
    return with_drawn_weights(graph, seed)


@cache
def pyramid(scales: int, blocks: int, seed: int) -> PrefetchProblem:
    """Residual blocks at a number of scales and a way back up, as detectors have them."""
    net, rng = Net("pyramid"), np.random.default_rng(seed)
    x, skipped = net.conv(net.input(1, 48, 40, 4), 8, 3), []
    for scale in range(scales):
        for _ in range(blocks):
            channels = int(rng.integers(2, 5)) * 4
            x = net.add(net.conv(net.depthwise(x, 5), channels, 1), net.conv(x, channels, 1))
        skipped.append((x, channels))
        x = net.conv(x, channels, 3, stride=2) if scale + 1 < scales else x
    for skip, channels in reversed(skipped[:-1]):
        x = net.add(net.conv(net.up(x, 8, 2, 2), channels, 1), skip)
    graph = with_drawn_weights(net.graph(net.conv(x, 2, 1), net.conv(x, 3, 3, stride=2)), seed)
    return PrefetchProblem(whole_tensor_aliases(graph, GAP8), GAP8.target)


def outputs(graph: Graph) -> np.ndarray:
    """Of all, one after the other."""
    shape = graph.values["in0"].shape
    given = np.random.default_rng(1).integers(-128, 128, shape).astype(np.int8)
    found = interpret.run(graph, {"in0": given})
    return np.concatenate([found[name].ravel() for name in graph.outputs])


@pytest.mark.parametrize("l2", [180, 150, 130])
def test_a_network_that_does_not_fit_is_spilled_until_it_does(l2: int) -> None:
    graph, request = skipping(), request_for("gap8", {"l2": l2 * KIB})
    assert not fits_with_prefetch(whole_tensor_aliases(graph, request), request)
    found = in_spills(graph, request)
    assert found is not None
    assert found.spilled
    assert fits_with_prefetch(whole_tensor_aliases(found, request), request)
    assert (outputs(found) == outputs(graph)).all()
    assert len(set(outputs(graph).ravel().tolist())) > 1


@settings(max_examples=40, deadline=None)
@given(data=st.data(), share=st.floats(0.3, 1.0))
def test_any_room_has_a_choice_of_the_same_integers_that_fits_or_none(
    data: st.DataObject, share: float
) -> None:
    shape = data.draw(st.tuples(st.integers(2, 3), st.integers(1, 3), st.integers(0, 3)))
    given = pyramid(*shape)
    needs = SpillNeeds(given, int(share * max(given.alive)))
    choice = spill_choice(needs, PlanEffort().part_bytes[0])
    if choice is None:
        return
    assert SpilledNeeds(needs, choice).excess <= 0
    found = with_spills(needs.graph, choice)
    assert (outputs(found) == outputs(needs.graph)).all()


def test_what_parts_write_is_near_to_none() -> None:
    given = pyramid(2, 1, 0)
    needs = SpillNeeds(given, max(given.alive))
    state = SpilledNeeds(needs, NOTHING)
    worst = next(n for n in needs.steps if any(map(needs.graph.producer.get, state.idle(n))))
    whole = _without_idle(state, worst)
    assert whole is not None
    (value,) = whole.spilled
    assert whole.near
    maker = needs.graph.producer[value]
    parts = _without_idle(SpilledNeeds(needs, replace(NOTHING, counts={maker.name: 2})), worst)
    assert parts is not None
    assert parts.spilled == {value}
    assert not parts.near
    same = with_drawn_weights(with_spills(needs.graph, parts), 1)
    assert (outputs(same) == outputs(with_drawn_weights(needs.graph, 1))).all()


def test_a_concat_of_many_inputs_has_few_sets_of_what_could_be_spilled() -> None:
    net = Net("wide")
    x = net.input(1, 16, 16, 4)
    found = [net.conv(x, 4 + 4 * (i % 3), 3) for i in range(12)]
    draft = Node("all", "Concat", tuple(found), ("all_out",), ConcatAttrs(3))
    graph = net.graph("all_out")
    depth = sum(graph.values[name].shape[3] for name in found)
    whole = replace(graph.values[found[0]], name="all_out", shape=(1, 16, 16, depth))
    values = {**graph.values, "all_out": whole}
    wide = replace(graph, nodes=(*graph.nodes, draft), values=values)
    needs = SpillNeeds(PrefetchProblem(Schedule(wide, (), 0), GAP8.target), 0)
    sets = list(_ends(needs, NOTHING, draft))
    assert len(sets) == 2**MAX_ENDS
    largest = sorted(map(needs.bytes, found), reverse=True)[:MAX_ENDS]
    assert sorted(map(needs.bytes, max(sets, key=len)), reverse=True) == largest


def test_less_room_spills_more() -> None:
    given = pyramid(3, 1, 0)
    rooms = (int(max(given.alive) * share) for share in (1.0, 0.8, 0.6))
    choices = [spill_choice(SpillNeeds(given, room), PlanEffort().part_bytes[0]) for room in rooms]
    moved = [len(choice.spilled | choice.inlined) for choice in choices if choice]
    assert len(moved) == 3
    assert moved == sorted(moved)
    assert moved[0] < moved[-1]


def test_what_fits_is_not_spilled() -> None:
    assert not restructured(skipping(), request_for("gap8")).spilled


def test_where_one_row_is_too_much_nothing_is_spilled() -> None:
    assert in_spills(skipping(), request_for("gap8", {"l2": 60 * KIB})) is None


def test_a_board_with_nothing_behind_its_arena_spills_nothing() -> None:
    request = request_for("nucleo-f767zi", {"sram": 48 * KIB, "dtcm": 24 * KIB})
    assert in_spills(skipping(), request) is None


def test_where_least_ram_is_asked_for_regions_and_spills_are_not_mixed() -> None:
    request = request_for("gap8", {"l2": 150 * KIB}, optimize="ram")
    found = restructured(skipping(), request)
    assert not (found.regions and found.spilled)
    assert (outputs(found) == outputs(skipping())).all()


def test_places_of_values_that_live_together_are_apart_and_below_the_inputs() -> None:
    graph, request = skipping(), request_for("gap8", {"l2": 130 * KIB})
    found = plan(graph, request)
    assert found.memory.spills is not None
    outer, spilled = found.memory.spills, found.schedule.graph
    assert set(outer.offsets) == spilled.spilled
    lives = {buffer.id: buffer for buffer in spill_buffers(spilled)}
    for one, other in combinations(lives.values(), 2):
        if one.overlaps(other):
            first, second = sorted((outer.offsets[b.id], b.size) for b in (one, other))
            assert first[0] + first[1] <= second[0]
    size = next(m.size for m in request.board.memories if m.name == outer.memory)
    assert outer.span[1] == size - graph.values["in0"].bytes
    weights = found.memory.prefetch.bytes if found.memory.prefetch else 0
    assert outer.span[0] >= weights


def test_parts_lie_in_their_value_and_live_from_the_first_to_the_last_reader() -> None:
    found = plan(skipping(), request_for("gap8", {"l2": 130 * KIB}))
    graph, outer = found.schedule.graph, found.memory.spills
    assert outer is not None
    joined = [node for node in graph.nodes if node.op == "Concat" and node.output in graph.spilled]
    assert joined
    for node in joined:
        found_places = [outer.offsets[part] for part in node.inputs]
        assert found_places == list(_one_after_the_other(graph, outer, node.output))
    steps = {node.name: index for index, node in enumerate(step_nodes(graph))}
    for buffer in spill_buffers(graph):
        readers = [steps[node.name] for node in graph.consumers[buffer.id]]
        assert buffer.upper == max(readers) + 1


def _one_after_the_other(graph: Graph, outer: SpillPlan, name: str) -> Iterator[int]:
    """Where parts of ``name`` begin."""
    at = outer.offsets[name]
    for part in graph.producer[name].inputs:
        yield at
        at += graph.values[part].bytes


def test_an_outer_memory_that_is_too_small_is_told() -> None:
    request = request_for("gap8", {"l2": 130 * KIB})
    found = plan(skipping(), request)
    small = request_for("gap8", {"l3": 60 * KIB}).board
    with pytest.raises(FitError) as error:
        with_spill_places(found.schedule, found.memory, small)
    assert "'l3'" in error.value.what
    assert "spilled" in error.value.why[0]
