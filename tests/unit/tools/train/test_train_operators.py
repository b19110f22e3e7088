"""Operators beyond the small networks: integer nodes with tables of their own, value by value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from deployer.ir.attrs import (
    BlockAttrs,
    Clamp,
    ConcatAttrs,
    ConvTransposeAttrs,
    PadAttrs,
    Pads,
    PointAttrs,
    PoolAttrs,
    ResizeAttrs,
    SliceAttrs,
    SoftmaxAttrs,
    TableAttrs,
    TransposeAttrs,
    Window,
)
from deployer.ir.graph import Graph, Node, Requant
from deployer.ir.ops import OPS
from deployer.ir.types import DType, Layout, QuantParams, Value
from deployer.numerics import functions, integer

pytestmark = pytest.mark.usefixtures("torch_installed")

RNG = np.random.default_rng(3)
SHAPE = (1, 4, 6, 8)
IN, OUT = QuantParams((0.05,), 7), QuantParams((0.04,), -11)
Case = tuple[str, Any, list[tuple[int, ...]], dict[str, np.ndarray], tuple[str, Any] | None]

DECONV = Window((3, 2), stride=(2, 2), dilation=(1, 2), pads=Pads(1, 0, 1, 1))
RULE_Q16 = ("q16", (np.full(6, 20011), np.arange(6) * 50 - 1000, np.full(6, 7)))
RULE_Q31 = ("q31", (np.array([1_500_000_000]), np.array([-9]), np.array([31])))
ONE = ("i32", (np.array([1237]), np.array([40000]), np.array([10])))


def tables(entries: int, rule: str = "i32") -> tuple[str, Any]:
    """``entries`` different multipliers near 1."""
    m = RNG.integers(700, 1500, entries)
    return rule, (m, RNG.integers(-9000, 9000, entries), np.full(entries, 10))


def weights() -> dict[str, np.ndarray]:
    w = RNG.integers(-127, 128, (6, 3, 2, 4)).astype(np.int8)
    return {"weight": w, "bias": RNG.integers(-5000, 5000, 6).astype(np.int32)}


def lookup(name: str, **params: float) -> Case:
    attrs = TableAttrs(name, **params)
    return ("Table", attrs, [SHAPE], {"table": functions.table(attrs, IN, OUT)}, None)


POINT, CLAMPED = PointAttrs(), PointAttrs(Clamp(0, 3))
CASES: dict[str, Case] = {
    "deconv": (
        "ConvTranspose2d",
        ConvTransposeAttrs(DECONV, (8, 11), groups=2),
        [SHAPE],
        weights(),
        RULE_Q16,
    ),
    "add": ("Add", POINT, [SHAPE] * 2, {}, ("i32", ([16999, 9000], [800000], [15]))),
    "add wide": ("Add", POINT, [SHAPE] * 2, {}, ("i32", ([4194305] * 2, [0], [23]))),
    "sub": ("Sub", POINT, [SHAPE] * 2, {}, ("i32", ([16999, -9000], [70000], [15]))),
    "mul": ("Mul", CLAMPED, [SHAPE] * 2, {}, ("i32", ([91], [3000], [12]))),
    "mul pixel": ("Mul", POINT, [SHAPE, (1, 1, 1, 8)], {}, ("i32", ([91], [3000], [12]))),
    "prelu": ("PRelu", POINT, [SHAPE], {}, tables(9)),
    "concat": ("Concat", ConcatAttrs(3), [SHAPE, (1, 4, 6, 3)], {}, tables(2)),
    "concat rows": ("Concat", ConcatAttrs(1), [SHAPE, (1, 2, 6, 8)], {}, tables(2)),
    "sigmoid": lookup("sigmoid"),
    "leaky": lookup("leaky_relu", alpha=0.1),
    "exp": lookup("exp"),
    "slice": ("Slice", SliceAttrs((0, 1, 0, 2), (1, 3, 6, 7)), [SHAPE], {}, ONE),
    "pad": ("Pad", PadAttrs((0, 1, 0, 2), (0, 0, 3, 1), 0.5), [SHAPE], {}, ONE),
    "nearest": ("Resize", ResizeAttrs((2, 3)), [SHAPE], {}, ONE),
    "linear": ("Resize", ResizeAttrs((2, 4), "linear"), [SHAPE], {}, ONE),
    "corners": ("Resize", ResizeAttrs((2, 2), "linear", False), [SHAPE], {}, ONE),
    "to space": ("DepthToSpace", BlockAttrs(2), [SHAPE], {}, ONE),
    "to space crd": ("DepthToSpace", BlockAttrs(2, True), [SHAPE], {}, ONE),
    "to depth": ("SpaceToDepth", BlockAttrs(2), [SHAPE], {}, ONE),
    "to depth crd": ("SpaceToDepth", BlockAttrs(2, True), [SHAPE], {}, ONE),
    "transpose": ("Transpose", TransposeAttrs((0, 3, 1, 2)), [SHAPE], {}, ONE),
    "rescale": ("Rescale", POINT, [SHAPE], {}, ONE),
    "average": (
        "AveragePool",
        PoolAttrs(Window((3, 2), (2, 1), pads=Pads(1, 1, 1, 0))),
        [SHAPE],
        {},
        tables(6),
    ),
    "mean": (
        "AveragePool",
        PoolAttrs(Window((3, 2), (2, 1), pads=Pads(1, 1, 1, 0))),
        [SHAPE],
        {},
        ("mean", (np.arange(1, 7), np.zeros(6, np.int32), np.zeros(6, np.uint8))),
    ),
    "rescale q31": ("Rescale", POINT, [SHAPE], {}, RULE_Q31),
    "maximum": (
        "MaxPool",
        PoolAttrs(Window((2, 3), (2, 1), (2, 1), Pads(0, 1, 1, 1))),
        [SHAPE],
        {},
        ONE,
    ),
    "softmax": (
        "Softmax",
        SoftmaxAttrs(),
        [(1, 12)],
        {"table": integer.softmax_table(0.05)},
        None,
    ),
}


def graph_of(case: Case) -> Graph:
    """One integer node, with the case's tables as its requantization."""
    op, attrs, shapes, constants, requant = case
    inputs = tuple(f"in{i}" for i in range(len(shapes)))
    out = QuantParams((1 / 256,), -128) if op == "Softmax" else OUT
    shape = OPS[op].shape(attrs, [*shapes, *(a.shape for a in constants.values())])
    values = {n: _activation(n, s, IN) for n, s in zip(inputs, shapes, strict=True)}
    values["out"] = _activation("out", shape, out)
    held, rule = dict(constants), None
    if requant is not None:
        names = ("multiplier", "rounding", "shift")
        kinds = (np.int32, np.int32, np.uint8)
        held |= {n: np.array(a, k) for n, a, k in zip(names, requant[1], kinds, strict=True)}
        rule = Requant(requant[0], *names, -128, 90)
    node = Node("node", op, (*inputs, *constants), ("out",), attrs, rule)
    return Graph("one", values, (node,), inputs, ("out",), held)


def _activation(name: str, shape: tuple[int, ...], quant: QuantParams) -> Value:
    layout = Layout.NHWC if len(shape) == 4 else Layout.NC
    return Value(name, shape, DType.S8, layout, quant)


def layer_of(graph: Graph) -> Any:
    import torch

    from deployer.tools.train.layer import Layer
    from deployer.tools.train.straight_through import tables_of

    node = graph.nodes[0]
    arrays = [torch.tensor(graph.constants[n]) for n in node.inputs if n in graph.constants]
    sources = tuple(graph.values[n].q for n in graph.activations(node))
    layer = Layer(node, sources, graph.values["out"].q, tables_of(graph, node, torch.device("cpu")))
    if node.op == "ConvTranspose2d":
        return layer.with_integers(arrays[0].float(), arrays[1].double())
    return Layer(node, sources, layer.target, layer.requant, tuple(arrays))


@pytest.mark.parametrize("name", CASES)
def test_an_operator_computes_its_integers(name: str) -> None:
    import torch

    from deployer.tools.train.operators import evaluate

    graph = graph_of(CASES[name])
    node = graph.nodes[0]
    rng = np.random.default_rng(9)
    inputs = [
        rng.integers(-128, 128, (5, *graph.values[n].shape[1:])).astype(np.int8)
        for n in graph.inputs
    ]
    constants = [graph.constants[n] for n in node.inputs if n in graph.constants]
    expected = integer.evaluate(graph, node, [*inputs, *constants])
    tensors = [torch.tensor(x).float().requires_grad_() for x in inputs]
    found = evaluate(layer_of(graph), tensors)
    np.testing.assert_array_equal(found.detach().numpy(), expected)
    found.sum().backward()
    for tensor in tensors:
        assert tensor.grad is not None
        assert torch.isfinite(tensor.grad).all()
        assert tensor.grad.abs().sum() > 0


def test_the_cases_and_the_small_networks_cover_every_operator() -> None:
    in_networks = {"Conv2d", "DepthwiseConv2d", "FullyConnected", "Reshape"}
    assert {case[0] for case in CASES.values()} | in_networks == {
        op for op, spec in OPS.items() if spec.trains
    }


def test_a_sum_beyond_what_float32_holds_is_exact() -> None:
    """-128 times 2^17 less 1 is one below -2^24, which float32 rounds."""
    import torch

    from deployer.tools.train.operators import evaluate

    tables = ("i32", ([1 << 17, 1], [1 << 20], [17]))
    layer = layer_of(graph_of(("Add", POINT, [SHAPE] * 2, {}, tables)))
    given = [torch.full((1, *SHAPE[1:]), value) for value in (-128.0, -1.0)]
    assert evaluate(layer, given).unique().tolist() == [(-(2**24) - 1 + 2**20) >> 17]
