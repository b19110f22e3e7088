"""What each operator asks of its operands: rules broken one at a time, and their ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from deployer.ir.attrs import (
    BlockAttrs,
    PadAttrs,
    Pads,
    PointAttrs,
    ResizeAttrs,
    SliceAttrs,
    Window,
)
from deployer.ir.graph import Graph, Node
from deployer.ir.operands import operand_faults
from deployer.ir.rules import RequantRule
from deployer.ir.types import DType
from deployer.quantize.quantize import QuantOptions, quantize
from unit.quantize.graphs import Draft, noise

Change = Callable[[Graph, Node], tuple[Graph, Node]]
MOST = 1 << 20


@cache
def every(bits: int = 8) -> Graph:
    """A node of each operator that reads activations."""
    draft = Draft(1, 6, 6, 4)
    conv = draft.conv("x", 4, Window((3, 3), pads=Pads(1, 1, 1, 1)), groups=2)
    deep = draft.depthwise(conv, Window((1, 1)))
    up = draft.deconv(deep, 4, Window((2, 2), (2, 2)), (12, 12))
    small = draft.average(up, Window((2, 2), (2, 2)))
    large = draft.largest(small, Window((1, 1)))
    joined = draft.concat(draft.add(large, conv), draft.table(conv, "tanh"), axis=3)
    left = draft.node("Slice", joined, attrs=SliceAttrs((0, 0, 0, 0), (1, 6, 6, 4)))
    less = draft.node("Sub", draft.rescale(left), conv, attrs=PointAttrs())
    slopes = draft.prelu(less, np.array([0.1, 0.2, 0.3, 0.4]))
    product = draft.node("Mul", slopes, draft.average(slopes, Window((6, 6))), attrs=PointAttrs())
    padded = draft.node("Pad", product, attrs=PadAttrs((0, 1, 1, 0), (0, 1, 1, 0)))
    flat = draft.node("SpaceToDepth", padded, attrs=BlockAttrs(2))
    wide = draft.node("DepthToSpace", flat, attrs=BlockAttrs(2))
    twice = draft.node("Resize", wide, attrs=ResizeAttrs((2, 2)))
    turned = draft.transpose(twice, 0, 3, 1, 2)
    row = draft.reshape(turned, 1, 1024)
    dense = draft.dense(row, 3)
    graph = draft.graph(draft.softmax(dense) if bits == 8 else dense)
    return quantize(graph, noise(graph), QuantOptions(bits=bits)).graph


def found(op: str, change: Change, bits: int = 8) -> list[str]:
    graph = every(bits)
    node = next(node for node in graph.nodes if node.op == op)
    return list(operand_faults(*change(graph, node)))


@pytest.mark.parametrize("bits", [8, 16])
def test_what_is_quantized_has_no_faults(bits: int) -> None:
    graph = every(bits)
    for node in graph.nodes:
        assert list(operand_faults(graph, node)) == [], node.op


def attrs(**changes: Any) -> Change:
    return lambda graph, node: (graph, replace(node, attrs=replace(node.attrs, **changes)))


def window(**changes: Any) -> Change:
    return lambda graph, node: (
        graph,
        replace(node, attrs=replace(node.attrs, window=replace(node.attrs.window, **changes))),
    )


def requant(**changes: Any) -> Change:
    return lambda graph, node: (graph, replace(node, requant=replace(node.rq, **changes)))


def inputs(pick: Callable[[tuple[str, ...]], tuple[str, ...]]) -> Change:
    return lambda graph, node: (graph, replace(node, inputs=pick(node.inputs)))


def operand(number: int, **changes: Any) -> Change:
    """Of input ``number``, or of the output."""

    def change(graph: Graph, node: Node) -> tuple[Graph, Node]:
        name = (*node.inputs, node.output)[number]
        values = {**graph.values, name: replace(graph.values[name], **changes)}
        return replace(graph, values=values), node

    return change


def table(field: str, array: np.ndarray, **changes: Any) -> Change:
    """A requantization table, with its value."""

    def change(graph: Graph, node: Node) -> tuple[Graph, Node]:
        name = getattr(node.rq, field)
        value = replace(graph.values[name], shape=array.shape, **changes)
        constants = {**graph.constants, name: array}
        return replace(graph, values={**graph.values, name: value}, constants=constants), node

    return change


def tables(*shape: int) -> Change:
    def change(graph: Graph, node: Node) -> tuple[Graph, Node]:
        for field in ("multiplier", "rounding", "shift"):
            graph, node = table(field, np.ones(shape, np.int32))(graph, node)
        return graph, node

    return change


def shift(by: int) -> Change:
    return table("shift", np.array([by] * 4, np.uint8))


FAULTS: dict[str, tuple[str, Change, str]] = {
    "two outputs": ("MaxPool", lambda g, n: (g, replace(n, outputs=n.outputs * 2)), "one output"),
    "an operand too few": ("Add", inputs(lambda i: i[:1]), "reads 1 activations and 0 constants"),
    "one too many": ("MaxPool", inputs(lambda i: i * 2), "reads 2 activations and 0 constants"),
    "nothing to join": ("Concat", inputs(lambda i: ()), "reads 0 activations"),
    "no bias": ("Conv2d", inputs(lambda i: i[:2]), "reads 1 activations and 1 constants"),
    "a kernel of nothing": ("MaxPool", window(kernel=(0, 1)), "a window"),
    "a kernel too large": ("MaxPool", window(kernel=(1, MOST)), "a window"),
    "no stride": ("MaxPool", window(stride=(1, 0)), "a window"),
    "no dilation": ("Conv2d", window(dilation=(0, 1)), "a window"),
    "a stride too large": ("ConvTranspose2d", window(stride=(MOST, 1)), "a window"),
    "a negative pad": ("MaxPool", window(pads=Pads(0, 0, 0, -1)), "a window"),
    "a pad too large": ("MaxPool", window(pads=Pads(0, MOST, 0, 0)), "a window"),
    "a slice from before": ("Slice", attrs(begin=(0, -1, 0, 0)), "SliceAttrs"),
    "a slice of nothing": ("Slice", attrs(begin=(0, 0, 0, 4)), "SliceAttrs"),
    "a slice to behind": ("Slice", attrs(end=(1, 7, 6, 4)), "SliceAttrs"),
    "an axis that is not there": ("Concat", attrs(axis=4), "ConcatAttrs"),
    "a negative axis": ("Concat", attrs(axis=-1), "ConcatAttrs"),
    "parts that do not fit": ("Concat", attrs(axis=1), ""),
    "less than no pad": ("Pad", attrs(before=(0, -1, 0, 0)), "PadAttrs"),
    "less than none behind": ("Pad", attrs(after=(0, 0, -1, 0)), "PadAttrs"),
    "an axis twice": ("Transpose", attrs(perm=(0, 1, 1, 2)), "TransposeAttrs"),
    "an axis too few": ("Transpose", attrs(perm=(0, 1, 2)), "TransposeAttrs"),
    "less than once": ("Resize", attrs(factors=(1, 0)), "ResizeAttrs"),
    "blocks of nothing": ("DepthToSpace", attrs(block=0), "BlockAttrs"),
    "an image of rank 2": ("Resize", operand(0, shape=(1, 4)), "an image of shape (1, 4)"),
    "blocks of rank 3": ("SpaceToDepth", operand(0, shape=(1, 4, 4)), "an image of shape"),
    "types that differ": ("Add", operand(0, dtype=DType.S16), "of different types"),
    "another type out": ("MaxPool", operand(-1, dtype=DType.S16), "of different types"),
    "other elements": ("Reshape", operand(-1, shape=(1, 1023)), "as (1, 1023)"),
    "sums that spread": ("Add", operand(1, shape=(1, 1, 1, 4)), "of different shapes"),
    "a table that cuts": ("Table", operand(-1, shape=(1, 6, 6, 2)), "of different shapes"),
    "products that do not spread": (
        "Mul", operand(1, shape=(1, 1, 6, 4)), "do not go together",
    ),
    "products of fewer channels": ("Mul", operand(1, shape=(1, 1, 1, 2)), "do not go together"),
    "wide weights": ("Conv2d", operand(1, dtype=DType.S32), "weights of"),
    "narrow biases": ("FullyConnected", operand(2, dtype=DType.S8), "biases of"),
    "a bias too few": ("Conv2d", operand(2, shape=(3,)), "biases (3,) for 4 channels"),
    "biases of a depthwise": ("DepthwiseConv2d", operand(2, shape=(1,)), "biases (1,) for 4"),
    "a feature too few": ("FullyConnected", operand(1, shape=(3, 1023)), "weights (3, 1023) for"),
    "pixels to a dense layer": ("FullyConnected", operand(0, shape=(1, 1, 1024)), "weights"),
    "a short table": ("Table", operand(1, shape=(255,)), "a table of (255,)"),
    "a long table": ("Softmax", operand(1, shape=(65_536,)), "a table of (65536,)"),
    "a table of wider entries": ("Table", operand(1, dtype=DType.S16), "a table of (256,) int16"),
    "weights of another window": ("Conv2d", operand(1, shape=(4, 3, 1, 2)), "for a window (3, 3)"),
    "weights of one group": ("Conv2d", operand(1, shape=(4, 3, 3, 4)), "4 channels in 2 groups"),
    "no groups": ("Conv2d", attrs(groups=0), "in 0 groups"),
    "groups that do not divide": (
        "Conv2d",
        lambda g, n: operand(2, shape=(3,))(*operand(1, shape=(3, 3, 3, 2))(g, n)),
        "weights (3, 3, 3, 2)",
    ),
    "a depthwise of another window": (
        "DepthwiseConv2d", operand(1, shape=(1, 2, 4)), "for a window (1, 1)",
    ),
    "an unknown rule": ("Conv2d", requant(rule="q8"), "a requantization rule 'q8'"),
    "a mean of no pool": ("MaxPool", requant(rule="mean"), "a requantization rule 'mean'"),
    "a bound too low": ("MaxPool", requant(low=-129), "bounds -129 to"),
    "a bound too high": ("MaxPool", requant(high=128), "to 128"),
    "bounds that cross": ("MaxPool", requant(low=5, high=4), "bounds 5 to 4"),
    "multipliers of bytes": (
        "Conv2d", table("multiplier", np.ones(4, np.int8), dtype=DType.S8), "tables of other types",
    ),
    "a shift too large": ("Conv2d", shift(63), "a shift of more than 62"),
    "zero points that differ": (
        "Conv2d",
        lambda g, n: table("rounding", np.arange(4, dtype=np.int32))(
            *requant(rule=RequantRule.Q32)(g, n)
        ),
        "zero points of channels that differ",
    ),
    "tables of two axes": ("Conv2d", tables(2, 2), "requantization tables of [4, 4, 4]"),
    "one table of two axes": (
        "Conv2d", table("multiplier", np.ones((2, 2), np.int32)), "requantization tables of",
    ),
    "two entries for four": ("Conv2d", tables(2), "requantization tables of [2, 2, 2]"),
    "one shift for four": ("Conv2d", table("shift", np.ones(1, np.uint8)), "[4, 4, 1]"),
    "one for two operands": ("Add", tables(1), "requantization tables of [1, 1, 1]"),
    "three for four counts": ("AveragePool", tables(3), "requantization tables of [3, 3, 3]"),
    "a slope a channel alone": ("PRelu", tables(4), "requantization tables of [4, 4, 4]"),
    "three for two parts": ("Concat", tables(3), "requantization tables of [3, 3, 3]"),
}  # fmt: skip


@pytest.mark.parametrize("case", FAULTS)
def test_a_broken_rule_of_operands_is_named(case: str) -> None:
    op, change, said = FAULTS[case]
    faults = found(op, change)
    if said:
        assert any(said in fault for fault in faults), faults
    else:
        assert faults == []


FINE: dict[str, tuple[str, Change]] = {
    "the largest kernel": ("MaxPool", window(kernel=(1, MOST - 1))),
    "the largest pad": ("MaxPool", window(pads=Pads(MOST - 1, 0, 0, 0))),
    "the first axis": ("Concat", attrs(axis=0)),
    "a slice of one": ("Slice", attrs(begin=(0, 5, 5, 3))),
    "no pad": ("Pad", attrs(before=(0, 0, 0, 0))),
    "once": ("Resize", attrs(factors=(1, 1))),
    "blocks of one": ("DepthToSpace", attrs(block=1)),
    "alike operands": ("Mul", operand(1, shape=(1, 6, 6, 4))),
    "the widest bounds": ("MaxPool", requant(low=-128, high=127)),
    "a single result": ("MaxPool", requant(low=3, high=3)),
    "the largest shift": ("Conv2d", shift(62)),
    "one entry for all": ("Conv2d", tables(1)),
    "a rescale to another type": ("Rescale", operand(-1, dtype=DType.S16)),
    "several outputs a channel": (
        "DepthwiseConv2d",
        lambda g, n: tables(1)(*operand(2, shape=(8,))(*operand(1, shape=(1, 1, 8))(g, n))),
    ),
}


@pytest.mark.parametrize("case", FINE)
def test_what_rules_just_allow_has_no_faults(case: str) -> None:
    op, change = FINE[case]
    assert found(op, change) == []


def test_int16_interpolates_in_a_table_of_its_own() -> None:
    """An entry at every 128th input and one behind the last; with 256 the kernel would leave it."""
    assert found("Table", operand(1, shape=(513,)), bits=16) == []
    for count in (256, 512, 65_536):
        assert found("Table", operand(1, shape=(count,)), bits=16) != []


def test_int16_has_bounds_of_its_own() -> None:
    assert found("MaxPool", requant(low=-32768, high=32767), bits=16) == []
    assert found("MaxPool", requant(low=-32769), bits=16) != []
    assert found("MaxPool", requant(high=32768), bits=16) != []
