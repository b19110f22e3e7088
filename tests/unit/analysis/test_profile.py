"""Memory before and after planning, on the steps of the plain network."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from branching import branching
from deployer.analysis.liveness import lifetimes, step_nodes
from deployer.analysis.peak import live_peak
from deployer.analysis.profile import profile_of
from deployer.ir.attrs import Window
from deployer.ir.graph import Graph
from deployer.ir.plan import Schedule
from deployer.restructure.algorithm3 import Algorithm3
from deployer.restructure.tables import as_int8
from deployer.schedule.order import schedule
from unit.ir.nets import resnet8
from unit.ir.strategies import STEADY, graphs
from unit.quantize.graphs import Draft

POINT = Window((1, 1))


def alive(schedule: Schedule) -> dict[str, int]:
    """Bytes by layer, summed up anew for every step."""
    buffers = lifetimes(schedule.graph, {step.node: step.scratch for step in schedule.steps})
    return {
        step.node: sum(b.size for b in buffers if b.lower <= step.index < b.upper)
        for step in schedule.steps
    }


def unscheduled(graph: Graph) -> Schedule:
    """Steps in the graph's own order, without kernels."""
    order = schedule(as_int8(resnet8()), ("ref",)).steps[0]
    steps = [replace(order, index=i, node=n.name) for i, n in enumerate(step_nodes(graph))]
    return Schedule(graph, tuple(replace(step, scratch=0) for step in steps), 0)


@STEADY
@given(graphs())
def test_both_curves_are_the_live_bytes_of_their_own_order(graph: Graph) -> None:
    order = schedule(graph, ("ref",))
    found = profile_of(graph, order)
    assert found.layers == tuple(node.name for node in step_nodes(graph))
    if found.after:
        assert found.after.peak.bytes == order.peak < found.before.peak.bytes
        assert found.after.alive == tuple(alive(order)[name] for name in found.layers)
    if found.layers:
        assert all(max(curve.alive) == curve.alive[curve.step] for curve in found.curves)
        assert all(curve.alive[curve.step] == curve.peak.bytes for curve in found.curves)


def test_a_region_spans_its_steps() -> None:
    graph = as_int8(branching())
    pieces = Algorithm3(0.5)(graph)
    found = profile_of(graph, unscheduled(pieces), title="in patches")
    names = [found.layers[first : last + 1] for first, last in found.spans]
    assert names == [region.nodes for region in pieces.regions]
    assert found.after is not None
    assert found.after.title == "in patches"
    assert found.after.peak == live_peak(lifetimes(pieces))
    assert found.before.peak == live_peak(lifetimes(graph))


def test_what_a_planner_decided_is_no_part_of_the_plain_curve() -> None:
    graph = as_int8(branching())
    order = unscheduled(Algorithm3(0.5)(graph))
    assert profile_of(order.graph, order).before == profile_of(graph, order).before


def test_nothing_planned_is_one_curve() -> None:
    graph = as_int8(branching())
    found = profile_of(graph, unscheduled(graph), rooms=(("sram", 1000), ("dtcm", 24), ("l2", 0)))
    assert found.after is None
    assert found.curves == (found.before,)
    assert (found.room, found.memories) == (1024, "sram 1,000, dtcm 24")
    full = profile_of(graph, unscheduled(graph), rooms=(("l2", 0),))
    assert (full.room, full.memories) == (0, "l2 0")


def test_a_step_that_needs_no_code_any_more_keeps_its_place() -> None:
    """As where a value takes the bytes of another: the axis stays the plain network's."""
    draft = Draft(1, 8, 8, 4)
    first = draft.conv("x", 8, POINT)
    plain = draft.graph(draft.conv(draft.rescale(first), 4, POINT))
    conv, rescale, last = plain.nodes
    nodes = (conv, replace(last, inputs=(first, *last.inputs[1:])))
    without = replace(plain, nodes=nodes)
    found = profile_of(plain, unscheduled(without))
    assert found.layers == (conv.name, rescale.name, last.name)
    assert found.after is not None
    one, two = alive(unscheduled(without)).values()
    assert found.after.alive == (one, one, two)
    assert found.after.step == (0 if one >= two else 2)
    back = profile_of(without, unscheduled(plain))
    assert back.after is not None
    assert max(back.after.alive) == back.after.peak.bytes == live_peak(lifetimes(plain)).bytes
