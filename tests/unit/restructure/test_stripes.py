"""Chains by stripes compute the same integers with less between their ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from deployer.analysis.liveness import lifetimes
from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph, Node
from deployer.ir.verify import InvariantError, verify
from deployer.numerics import interpret
from deployer.numerics.tiled import run_tiled
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.samples import synthetic_samples
from deployer.restructure.stripes import (
    Stripes,
    Terms,
    bytes_of,
    chains,
    choices,
    in_stripes,
    rows_more,
)
from unit.quantize.graphs import Draft

SAME = Window((3, 3), pads=Pads(1, 1, 1, 1))
HALF = Window((3, 3), (2, 2), pads=Pads(0, 0, 1, 1))
POINT = Window((1, 1))


def quantized(graph: Graph) -> Graph:
    options = QuantOptions(equalize="off", bias_correction="off")
    return quantize(graph, synthetic_samples(graph, seed=0), options).graph


def separable() -> Graph:
    """A wide layer between two narrow ones, then another of stride 2, a pool, a dense layer."""
    draft = Draft(1, 17, 12, 4, seed=1)
    wide = draft.conv("x", 24, POINT)
    narrow = draft.conv(draft.depthwise(wide, SAME), 6, POINT)
    small = draft.largest(draft.conv(narrow, 8, HALF), Window((2, 2), (2, 2)))
    pooled = draft.average(draft.table(small, "hard_swish"), SAME)
    return draft.graph(pooled)


@pytest.fixture(scope="module")
def graph() -> Graph:
    return quantized(separable())


def test_one_chain_is_found_with_all_layers_in_it(graph: Graph) -> None:
    (chain,) = chains(graph)
    assert [node.op for node in chain][:3] == ["Conv2d", "DepthwiseConv2d", "Conv2d"]
    assert chain[-1].op == "AveragePool"


def test_a_chain_ends_where_a_value_is_read_twice() -> None:
    draft = Draft(1, 8, 8, 4, seed=2)
    first = draft.conv(draft.conv("x", 4, SAME), 4, SAME)
    found = quantized(draft.graph(draft.add(first, draft.conv(first, 4, SAME))))
    assert [len(chain) for chain in chains(found)] == [2, 1]


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("first", [0, 1, 3])
@pytest.mark.parametrize("last", [3, 4, 7])
def test_the_integers_are_the_same(graph: Graph, first: int, last: int, count: int) -> None:
    (chain,) = chains(graph)
    nodes = chain[first:last]
    if not nodes or graph.values[nodes[-1].output].shape[1] < count:
        pytest.skip("no such stripes")
    cut = in_stripes(graph, Stripes(tuple(node.name for node in nodes), count))
    rng = np.random.default_rng(0)
    given = {"x": rng.integers(-128, 128, graph.values["x"].shape, dtype=np.int8)}
    plain, found = (interpret.run(each, given) for each in (graph, cut))
    assert all((plain[name] == found[name]).all() for name in graph.outputs)


@pytest.mark.parametrize("count", [2, 5])
@pytest.mark.parametrize("last", [2, 3, 7])
def test_rows_of_the_input_may_be_fetched_stripe_by_stripe(
    graph: Graph, last: int, count: int
) -> None:
    (chain,) = chains(graph)
    names = tuple(node.name for node in chain[:last])
    cut = in_stripes(graph, Stripes(names, count, by_rows=True))
    assert cut.outside == {"x"}
    assert "x" not in {buffer.id for buffer in lifetimes(cut)}
    rng = np.random.default_rng(1)
    given = {"x": rng.integers(-128, 128, graph.values["x"].shape, dtype=np.int8)}
    plain, found = (interpret.run(each, given) for each in (graph, cut))
    placed = run_tiled(cut, given)
    for name in graph.outputs:
        assert (plain[name] == found[name]).all()
        assert (plain[name] == placed[name]).all()


def test_rows_that_are_fetched_take_less_than_the_input(graph: Graph) -> None:
    (chain,) = chains(graph)
    whole, rows = (bytes_of(graph, chain[:3], 5, by_rows=by_rows) for by_rows in (False, True))
    assert rows < whole


def test_an_input_that_is_read_as_a_whole_cannot_be_fetched(graph: Graph) -> None:
    (chain,) = chains(graph)
    cut = in_stripes(graph, Stripes(tuple(node.name for node in chain[:3]), 2, by_rows=True))
    first = next(node for node in cut.nodes if node.op == "Slice")
    resident = replace(first, attrs=replace(first.attrs, fetched=False))
    nodes = tuple(resident if node is first else node for node in cut.nodes)
    with pytest.raises(InvariantError, match="arrives by rows"):
        verify(replace(cut, nodes=nodes))
    last = max(i for i, node in enumerate(cut.nodes) if node.op == "Slice")
    begin, end = cut.nodes[last].attrs.begin, cut.nodes[last].attrs.end
    attrs = replace(cut.nodes[last].attrs, begin=(*begin[:3], 1), end=end)
    narrow = replace(cut.nodes[last], attrs=attrs)
    with pytest.raises(InvariantError):
        verify(replace(cut, nodes=(*cut.nodes[:last], narrow, *cut.nodes[last + 1 :])))


def _twice(graph: Graph, chain: Sequence[Node], candidate: Stripes) -> float:
    nodes = [node for node in chain if node.name in candidate.nodes]
    return rows_more(graph, nodes, candidate.count, [1.0] * len(nodes))


def _terms(room: int, **more: object) -> Terms:
    return Terms(lambda node: 1.0, room, lambda nodes, count: 0, **more)


def test_candidates_that_compute_least_twice_come_first_and_rows_last(graph: Graph) -> None:
    (chain,) = chains(graph)
    found = list(choices(graph, chain[1].name, _terms(10**6)))
    resident = [candidate for candidate in found if not candidate.by_rows]
    more = [_twice(graph, chain, candidate) for candidate in resident]
    assert more == sorted(more)
    assert 0 < len(resident) < len(found)
    assert [candidate.by_rows for candidate in found] == sorted(
        candidate.by_rows for candidate in found
    )


def test_no_way_takes_more_than_the_room_or_what_is_kept_for_others(graph: Graph) -> None:
    (chain,) = chains(graph)
    named = {node.name: node for node in chain}
    far = frozenset({chain[1].name, chain[-1].name})
    room = bytes_of(graph, chain[:3], 2)
    for candidate in choices(graph, chain[1].name, _terms(room, over=far, reserve=500)):
        kept = 0 if far <= set(candidate.nodes) else 500
        nodes = [named[name] for name in candidate.nodes]
        assert bytes_of(graph, nodes, candidate.count, by_rows=candidate.by_rows) + kept <= room


def test_wide_candidates_take_in_most_of_what_is_too_large_first(graph: Graph) -> None:
    (chain,) = chains(graph)
    over = frozenset(node.name for node in chain[1:4])
    found = list(choices(graph, chain[1].name, _terms(10**6, over=over, wide=True)))
    missed = [len(over.difference(candidate.nodes)) for candidate in found]
    assert missed == sorted(missed)
    assert missed[0] == 0 < missed[-1]


def test_between_the_ends_less_is_alive_and_some_is_computed_twice(graph: Graph) -> None:
    (chain,) = chains(graph)
    nodes = chain[:3]
    costs = [1.0] * 3
    whole, half, fifths = (bytes_of(graph, nodes, count) for count in (1, 2, 5))
    assert whole > half > fifths
    assert 0 == rows_more(graph, nodes, 1, costs) < rows_more(graph, nodes, 5, costs)
