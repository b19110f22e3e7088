"""Running graphs: chunks, dropped values, conversion between reals and integers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from integer_nodes import STEADY, random_int8

from deployer.ir.attrs import Clamp, ConvAttrs, PointAttrs, Window
from deployer.ir.graph import Graph, Node
from deployer.ir.types import DType, Layout, QuantParams, Value
from deployer.numerics import interpret

SHAPE = (1, 4, 4, 2)


def float_graph() -> Graph:
    """conv, a branch that is read late, an output nobody reads, and the input as an output."""
    rng = np.random.default_rng(0)
    constants = {
        "w": rng.normal(size=(2, 1, 1, 2)).astype(np.float32),
        "b": np.array([0.5, -0.5], dtype=np.float32),
    }
    nodes = (
        Node("conv", "Conv2d", ("x", "w", "b"), ("c",), ConvAttrs(Window((1, 1)))),
        Node("relu", "Rescale", ("c",), ("r",), PointAttrs(Clamp(0.0))),
        Node("unread", "Rescale", ("x",), ("u",), PointAttrs()),
        Node("add", "Add", ("r", "c"), ("y",), PointAttrs()),
    )
    names = ("x", "c", "r", "u", "y")
    values = {name: Value(name, SHAPE, DType.F32, Layout.NHWC) for name in names}
    for name, array in constants.items():
        values[name] = Value(name, array.shape, DType.F32, Layout.VECTOR)
    return Graph("g", values, nodes, ("x",), ("y", "x", "c"), constants)


@STEADY
@given(count=st.integers(1, 70))
def test_any_number_of_samples_gives_what_single_samples_give(count: int) -> None:
    graph = float_graph()
    x = np.random.default_rng(count).normal(size=(count, *SHAPE[1:])).astype(np.float32)
    together = interpret.run(graph, {"x": x})
    last = interpret.run(graph, {"x": x[-1:]})
    assert list(together) == ["y", "x", "c"]
    for name, array in together.items():
        assert len(array) == count
        np.testing.assert_allclose(array[-1:], last[name], rtol=1e-6)
    expected = np.maximum(together["c"], 0) + together["c"]
    np.testing.assert_allclose(together["y"], expected, rtol=1e-6)


def test_trace_yields_every_node_in_order() -> None:
    graph = float_graph()
    x = np.ones((2, *SHAPE[1:]), dtype=np.float32)
    seen = [(node.name, result.shape) for node, result in interpret.trace(graph, {"x": x})]
    assert seen == [(node.name, (2, *SHAPE[1:])) for node in graph.nodes]


def test_chunks_cover_the_batch_once_and_shrink_for_large_tensors() -> None:
    graph = float_graph()
    batch = {"x": np.arange(70)[:, None, None, None] * np.ones(SHAPE[1:])}
    parts = [chunk["x"] for chunk in interpret.chunks(graph, batch)]
    assert np.array_equal(np.concatenate(parts), batch["x"])
    assert len(parts) > 1
    large = dict(graph.values) | {"c": Value("c", (1, 2048, 2048, 4), DType.F32, Layout.NHWC)}
    big = Graph("g", large, graph.nodes, ("x",), ("y",), graph.constants)
    assert [len(chunk["x"]) for chunk in interpret.chunks(big, batch)] == [1] * 70


@STEADY
@given(
    scale=st.floats(2.0**-20, 2.0**20),
    zero=st.integers(-128, 127),
    seed=st.integers(0, 2**32 - 1),
)
def test_integers_survive_the_round_trip(scale: float, zero: int, seed: int) -> None:
    quant = QuantParams((float(np.float32(scale)),), zero)
    q = random_int8(np.random.default_rng(seed), 64)
    real = interpret.dequantize(q, quant)
    assert real.dtype == np.float32
    assert np.array_equal(interpret.quantize(real, quant), q)


@STEADY
@given(x=st.floats(-1e6, 1e6, width=32), scale=st.floats(1e-3, 1e3), zero=st.integers(-128, 127))
def test_reals_move_by_at_most_half_a_step_or_saturate(x: float, scale: float, zero: int) -> None:
    q = int(interpret.quantize(np.array([x]), QuantParams((scale,), zero))[0])
    ideal = min(max(x / scale + zero, -128), 127)
    assert abs(q - ideal) <= 0.5 * (1 + 1e-9)


def test_halves_round_to_even() -> None:
    quant = QuantParams((1.0,), 0)
    halves = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 126.5, 127.5, -128.5, 1e30])
    assert interpret.quantize(halves, quant).tolist() == [0, 2, 2, 0, -2, 126, 127, -128, 127]
