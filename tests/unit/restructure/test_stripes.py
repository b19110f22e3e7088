"""Chains by stripes compute the same integers with less between their ends."""

from __future__ import annotations

import numpy as np
import pytest

from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph
from deployer.numerics import interpret
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.samples import synthetic_samples
from deployer.restructure.stripes import Stripes, bytes_of, chains, in_stripes, rows_more
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


def test_between_the_ends_less_is_alive_and_some_is_computed_twice(graph: Graph) -> None:
    (chain,) = chains(graph)
    nodes = chain[:3]
    costs = [1.0] * 3
    whole, half, fifths = (bytes_of(graph, nodes, count) for count in (1, 2, 5))
    assert whole > half > fifths
    assert 0 == rows_more(graph, nodes, 1, costs) < rows_more(graph, nodes, 5, costs)
