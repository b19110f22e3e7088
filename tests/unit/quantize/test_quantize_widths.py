"""Which nodes are int16 and where the widths meet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.errors import UsageError
from deployer.ir.attrs import Clamp, Window
from deployer.ir.graph import Graph
from deployer.ir.types import DType, QuantParams
from deployer.ir.verify import verify
from deployer.numerics import interpret
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.widths import typed, wide_names, widened
from unit.quantize.edge_graphs import EDGE_GRAPHS
from unit.quantize.graphs import Draft, every_operator, noise

GRAPHS = {"every_operator": every_operator(), **{n: build() for n, build in EDGE_GRAPHS.items()}}
POINT = Window((1, 1))
NO_CLAMP = Clamp()
PLAIN = QuantOptions(equalize="off", bias_correction="off")


def chain() -> Graph:
    """conv_0, reshape_1 and transpose_2 that only move, dense_3 (FullyConnected), softmax."""
    draft = Draft(1, 2, 3, 4)
    x = draft.conv("x", 5, POINT)
    moved = draft.reshape(draft.transpose(x, 0, 3, 1, 2), 1, 30)
    return draft.graph(draft.softmax(draft.dense(moved, 6)))


def test_all_but_a_softmax_are_int16() -> None:
    graph = chain()
    wide = wide_names(graph, 16)
    assert wide == {"x", "conv2d_0", "transpose_1", "reshape_2", "fullyconnected_3"}
    assert wide_names(graph, 8) == frozenset()


def test_a_pattern_names_layers_and_what_moves_their_output_follows() -> None:
    graph = chain()
    assert wide_names(graph, 8, [("conv2d_*", 16)]) == {"conv2d_0", "transpose_1", "reshape_2"}
    narrowed = wide_names(graph, 16, [("conv2d_0", 8), ("x", 8)])
    assert narrowed == {"fullyconnected_3"}
    last = wide_names(graph, 8, [("*_3", 16), ("fullyconnected_3", 8)])
    assert last == frozenset()


@pytest.mark.parametrize(
    ("bits", "bits_of", "words"),
    [
        (12, [], "12 bits"),
        (8, [("conv_7", 16)], "'conv_7'"),
        (8, [("softmax_4", 16)], "computes in int8"),
    ],
)
def test_what_does_not_exist_is_refused(
    bits: int, bits_of: list[tuple[str, int]], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        wide_names(chain(), bits, bits_of)


def test_an_activation_is_widened_with_what_makes_and_reads_it() -> None:
    graph = chain()
    found = widened(graph, "conv2d_0_out")
    assert found == {"conv2d_0", "transpose_1", "reshape_2", "fullyconnected_3"}
    assert widened(graph, "x") == {"x", "conv2d_0"}
    assert widened(graph, "fullyconnected_3_out") == {"fullyconnected_3"}


def test_an_int8_copy_follows_its_source_and_an_int16_copy_precedes_its_reader() -> None:
    draft = Draft(1, 4, 4, 2)
    first = draft.conv("x", 2, POINT)
    second = draft.conv(first, 2, POINT)
    third = draft.conv(second, 2, POINT)
    graph = draft.graph(draft.add(third, first))
    order = [node.name for node in typed(graph, {"conv2d_0"}).graph.nodes]
    assert order == ["x.s16", "conv2d_0", "conv2d_0_out.s8", "conv2d_1", "conv2d_2", "add_3"]
    order = [node.name for node in typed(graph, {"add_3"}).graph.nodes]
    assert order[3:] == ["conv2d_2_out.s16", "conv2d_0_out.s16", "add_3"]


def test_copies_never_take_a_name_that_exists() -> None:
    draft = Draft(1, 4, 4, 2)
    draft.second_input(1, 4, 4, 2, name="x.s16")
    graph = draft.graph(draft.add("x", "x.s16"))
    names = [node.name for node in typed(graph, {"add_0"}).graph.nodes]
    assert len(set(names)) == 3
    assert "x.s16" not in names


def some_nodes(graph: Graph) -> st.SearchStrategy[frozenset[str]]:
    return st.frozensets(st.sampled_from(sorted(wide_names(graph, 16))))


@settings(max_examples=40, deadline=None)
@given(data=st.data(), name=st.sampled_from(sorted(GRAPHS)))
def test_any_choice_is_the_same_float_function(data: st.DataObject, name: str) -> None:
    graph = GRAPHS[name]
    target = typed(graph, data.draw(some_nodes(graph)))
    arrays = noise(graph, count=2).arrays
    expected, found = (interpret.run(g, arrays) for g in (graph, target.graph))
    for output in graph.outputs:
        assert np.array_equal(expected[output], found[output])


@settings(max_examples=30, deadline=None)
@given(
    data=st.data(),
    name=st.sampled_from(sorted(GRAPHS)),
    scheme=st.sampled_from(["multiply-shift", "power-of-two"]),
)
def test_any_choice_has_integers(data: st.DataObject, name: str, scheme: str) -> None:
    """One type a node but for Rescale, zero point 0 in int16, nothing outside int32."""
    graph = GRAPHS[name]
    wide = data.draw(some_nodes(graph))
    named = tuple((node, 16) for node in sorted(wide))
    narrow = tuple((node, 8) for node in sorted(wide_names(graph, 16) - wide))
    options = replace(PLAIN, scheme=scheme, bits_of=(*named, *narrow))
    found = verify(quantize(graph, noise(graph, count=3), options).graph)
    for node in found.nodes:
        values = [found.values[n] for n in (*found.activations(node), node.output)]
        kinds = {value.dtype for value in values}
        assert len(kinds) == 1 or node.op == "Rescale"
        assert all(v.q.zero_point == 0 for v in values if v.dtype is DType.S16)
    for name in (*found.inputs, *graph.outputs):
        maker = graph.producer.get(name)
        assert found.values[name].q.bits == (16 if (maker.name if maker else name) in wide else 8)


@settings(max_examples=60, deadline=None)
@given(
    scale=st.floats(1e-6, 1e3),
    zero=st.integers(-128, 127),
    scheme=st.sampled_from(["multiply-shift", "power-of-two"]),
)
def test_to_int16_is_exact_and_back_within_half_a_step(
    scale: float, zero: int, scheme: str
) -> None:
    """Every int8 through an upcast and a downcast to the same range."""
    draft = Draft(1, 1, 1, 256)
    up = draft.rescale(draft.rescale("x", clamp=NO_CLAMP), clamp=NO_CLAMP)
    graph = draft.graph(up)
    source = QuantParams((float(np.float32(scale)),), zero)
    every = (np.arange(-128, 128) - zero) * source.tensor_scale
    samples = replace(noise(graph), arrays={"x": every.reshape(1, 1, 1, 256).astype(np.float32)})
    options = replace(PLAIN, scheme=scheme, bits_of=(("rescale_0", 16),))
    found = quantize(graph, samples, options).graph
    inputs = {"x": interpret.quantize(samples.arrays["x"], found.values["x"].q)}
    values = {"x": inputs["x"]}
    values |= {node.output: result for node, result in interpret.trace(found, inputs)}
    real = {
        n: (q.astype(np.float64) - found.values[n].q.zero_point) * found.values[n].q.tensor_scale
        for n, q in values.items()
    }
    assert np.array_equal(real["x"], real["x.s16"])
    step = found.values["rescale_0_out.s8"].q.tensor_scale
    difference = np.abs(real["rescale_0_out.s8"] - real["rescale_0_out"])
    assert difference.max() <= step * 0.51
