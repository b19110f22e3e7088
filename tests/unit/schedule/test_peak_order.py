"""The order of the lowest peak: never worse, and as good as trying every order."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings

from deployer.analysis.liveness import lifetimes, step_nodes
from deployer.analysis.peak import live_peak
from deployer.ir.graph import Graph, Node
from deployer.ir.ops import OPS
from deployer.ir.verify import verify
from deployer.schedule.order import check_order, schedule
from deployer.schedule.peak_order import best_order
from deployer.schedule.reorder import reorder
from deployer.schedule.steps import Steps, steps_of
from unit.ir.nets import Net
from unit.ir.strategies import STEADY, graphs


def scratch_of(graph: Graph) -> dict[str, int]:
    """Every convolution asks for two of its input's pixels as int16."""
    convs = [node for node in step_nodes(graph) if "Conv" in node.op]
    return {node.name: 4 * graph.values[node.inputs[0]].shape[-1] for node in convs}


def every_order(steps: Steps, done: int = 0) -> Iterator[tuple[int, ...]]:
    if done == steps.all_done:
        yield ()
    for n in range(steps.count):
        if not done >> n & 1 and not steps.needs[n] & ~done:
            yield from ((n, *rest) for rest in every_order(steps, done | 1 << n))


def wasteful(branches: int = 3) -> Net:
    """Branches that grow and shrink again, all first halves before all second halves."""
    net = Net("wasteful")
    x = net.input(1, 4, 4, 2)
    wide = [net.conv(x, 16, name=f"grow{i}") for i in range(branches)]
    narrow = [net.conv(y, 1, name=f"shrink{i}") for i, y in enumerate(wide)]
    total = narrow[0]
    for y in narrow[1:]:
        total = net.add(total, y)
    net.made = total
    return net


@STEADY
@given(graphs())
def test_the_peak_of_steps_is_the_peak_of_lifetimes(graph: Graph) -> None:
    steps = steps_of(graph, scratch_of(graph))
    real = live_peak(lifetimes(graph, scratch_of(graph))).bytes
    assert steps.peak(range(steps.count)) == real
    assert steps.floor <= real


@settings(STEADY, max_examples=60)
@given(graphs(max_nodes=7))
def test_no_order_is_better(graph: Graph) -> None:
    steps = steps_of(graph, scratch_of(graph))
    found = best_order(steps)
    assert found.exact
    assert found.peak == min(steps.peak(order) for order in every_order(steps))


@STEADY
@given(graphs())
def test_the_reordered_graph_is_the_same_network_and_never_needs_more(graph: Graph) -> None:
    scratch = scratch_of(graph)
    again = reorder(graph, scratch)
    check_order(again)
    assert sorted(node.name for node in again.nodes) == sorted(node.name for node in graph.nodes)
    before, after = (live_peak(lifetimes(g, scratch)).bytes for g in (graph, again))
    assert after < before or again is graph
    assert reorder(again, scratch) is again


@STEADY
@given(graphs())
def test_without_states_the_beam_is_sound_and_never_worse(graph: Graph) -> None:
    steps = steps_of(graph, scratch_of(graph))
    given_peak, best = steps.peak(range(steps.count)), best_order(steps).peak
    for width in (1, 4):
        found = best_order(steps, states=0, beam=width)
        assert best <= found.peak == steps.peak(found.steps) <= given_peak
        assert sorted(found.steps) == list(range(steps.count))
        assert not found.exact or found.peak == best


def test_branches_run_one_after_another_when_that_saves_memory() -> None:
    net = wasteful()
    graph = net.graph(net.made)
    found = schedule(graph, [], choose=lambda *_: ("kernel", 0))
    assert live_peak(lifetimes(graph)).bytes == 3 * 256 + 32
    assert found.peak == 32 + 256 + 16 + 16
    assert [step.node for step in found.steps] == [node.name for node in found.graph.nodes]
    verify(found.graph)


def test_scratch_decides_which_order_is_best() -> None:
    net = Net("scratch")
    x = net.input(1, 1, 1, 8)
    big, small = net.conv(x, 64, name="big"), net.conv(x, 4, name="small")
    graph = net.graph(net.conv(big, 4, name="tail"), small)
    quiet = schedule(graph, [], choose=lambda *_: ("kernel", 0))

    def greedy_small(families: Sequence[str], graph: Graph, node: Node) -> tuple[str, int]:
        return "kernel", 100 if node.name == "small" else 0

    loud = schedule(graph, [], choose=greedy_small)
    assert [step.node for step in loud.steps] != [step.node for step in quiet.steps]
    assert loud.peak == 8 + 4 + 100  # first, before anything else is written


def test_a_reshape_follows_the_value_it_renames() -> None:
    net = wasteful()
    flat = net.reshape(net.made)
    graph = net.graph(flat)
    found = schedule(graph, [], choose=lambda *_: ("kernel", 0)).graph
    assert [node.name for node in found.nodes] != [node.name for node in graph.nodes]
    aliases = [k for k, node in enumerate(found.nodes) if OPS[node.op].alias]
    assert [found.nodes[k].inputs[0] in found.nodes[k - 1].outputs for k in aliases] == [True]


def test_an_order_as_good_as_any_stays_as_it_is() -> None:
    net = Net("chain")
    x = net.input(1, 4, 4, 2)
    for _ in range(5):
        x = net.conv(x, 4)
    graph = net.graph(x)
    assert schedule(graph, ["ref"]).graph is graph


@pytest.mark.parametrize("states", [0, 50])
def test_many_branches_past_the_budget_still_end_soon_and_lower(states: int) -> None:
    net = wasteful(branches=24)
    steps = steps_of(net.graph(net.made), {})
    found = best_order(steps, states=states)
    assert found.peak < steps.peak(range(steps.count)) / 5


def test_the_search_does_not_depend_on_the_names() -> None:
    net = wasteful(branches=5)
    graph = net.graph(net.made)
    renamed = dataclasses.replace(
        graph, nodes=tuple(dataclasses.replace(node, name=f"z{node.name}") for node in graph.nodes)
    )
    assert best_order(steps_of(graph, {})) == best_order(steps_of(renamed, {}))
