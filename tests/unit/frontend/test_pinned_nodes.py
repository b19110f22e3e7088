"""Single nodes in many ways of writing them: what each becomes, or why it is refused."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph_text import weighed
from onnx_equal import imported

from deployer.errors import ModelError
from deployer.ir.graph import Graph
from models import ModelBuilder
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"
Variant = tuple[str, ModelBuilder, str]
SQUARE, PLAIN, FLAT = (1, 4, 9, 8), (1, 4, 6, 6), (1, 12)
ODD = [
    {"strides": [0, 1]}, {"strides": [2, 3]}, {"strides": [2]}, {"strides": [32768, 1]},
    {"dilations": [2, 1]}, {"dilations": [0, 1]}, {"dilations": [5, 5]}, {"pads": [1, 0, 2, 1]},
    {"pads": [-1, 0, 0, 0]}, {"pads": [1, 1]}, {"auto_pad": "SAME_UPPER"}, {"pads": [3, 3, 3, 3]},
    {"auto_pad": "SAME_LOWER", "strides": [2, 2]}, {"auto_pad": "VALID"}, {"pads": [0, 0, 0, 7]},
]  # fmt: skip


def _drawn(kind: str, shape: tuple[int, ...], *more: Any, **attrs: Any) -> Variant:
    """A node of ``kind`` on an input of ``shape``; arrays are constants, tuples weights."""
    s = ModelBuilder(1, opset=int(attrs.pop("opset", 17)))
    x = s.input(*shape)
    rest = (
        s.weight(*each) if isinstance(each, tuple) else "" if each is None else s.constant(each)
        for each in more
    )
    said = [f"{each.shape}" if isinstance(each, np.ndarray) else f"{each}" for each in more]
    told = f"{kind} {shape} {said} {attrs}"
    return told, s, s.node(kind, x, *rest, **attrs)


def convolutions() -> Iterator[Variant]:
    for attrs in [{}, *ODD, {"kernel_shape": [3, 3]}, {"kernel_shape": [2, 3]}]:
        yield _drawn("Conv", SQUARE, (6, 4, 3, 3), (6,), **attrs)
        yield _drawn("ConvTranspose", SQUARE, (4, 6, 3, 3), (6,), **attrs)
    for group, weights in product((0, 1, 2, 3, 4), ((4, 1, 3, 3), (8, 2, 3, 3), (8, 4, 3, 3))):
        yield _drawn("Conv", SQUARE, weights, group=group)
        yield _drawn("ConvTranspose", SQUARE, weights, group=group)
    for shape, weights in (((1, 4, 9), (6, 4, 3)), ((1, 4, 5, 5, 5), (2, 4, 3, 3, 3))):
        yield _drawn("Conv", shape, weights)
        yield _drawn("Conv", shape, weights, (2,))
    for given in ({"output_padding": [1, 0]}, {"output_padding": [0]}, {"output_padding": [-1, 0]}):
        yield _drawn("ConvTranspose", SQUARE, (4, 6, 3, 3), strides=[2, 2], **given)


def pools() -> Iterator[Variant]:
    for kind, attrs in product(("MaxPool", "AveragePool"), [{}, *ODD]):
        yield _drawn(kind, SQUARE, kernel_shape=[3, 2], **attrs)
    for ceil, counted, pads in product((0, 1), (0, 1), ([0] * 4, [1, 1, 0, 0], [0, 0, 1, 1])):
        attrs = {"ceil_mode": ceil, "pads": pads, "kernel_shape": [2, 2], "strides": [2, 2]}
        yield _drawn("AveragePool", SQUARE, count_include_pad=counted, **attrs)
        yield _drawn("MaxPool", SQUARE, **attrs)
    for axes, keep, shape in product(
        ([2, 3], [-1, -2], [3], [1], [0, 2], [1, 2, 3]), (0, 1), (PLAIN, (1, 4, 6))
    ):
        yield _drawn("ReduceMean", shape, axes=axes, keepdims=keep)
    for kind, shape in product(("GlobalAveragePool", "GlobalMaxPool"), (SQUARE, (1, 4, 9))):
        yield _drawn(kind, shape)


def movements() -> Iterator[Variant]:
    for perm in ([0, 2, 3, 1], [0, 3, 1, 2], [0, 1, 3, 2], [1, 0, 2, 3], [0, 1, 2, 3]):
        yield _drawn("Transpose", PLAIN, perm=perm)
    for starts, ends, axes, steps in (
        ([1], [3], [1], [1]), ([0, 2], [9, -1], [2, 3], [1, 1]), ([-2], [99], [-1], [1]),
        ([0], [4], [2], [2]), ([5], [0], [3], [-1]), ([0], [1], [0], [1]), ([3], [3], [1], [1]),
    ):  # fmt: skip
        yield _drawn("Slice", PLAIN, *(np.array(each) for each in (starts, ends, axes, steps)))
    for block, mode in product((1, 2, 3), ("DCR", "CRD")):
        yield _drawn("DepthToSpace", (1, 8, 6, 4), blocksize=block, mode=mode)
        yield _drawn("SpaceToDepth", (1, 4, 6, 4), blocksize=block)
    for target in ([1, -1], [1, 144], [0, 4, 36], [2, 72], [1, 6, 6, 4], [1, 4, 6, 6], [-1, 12]):
        yield _drawn("Reshape", PLAIN, np.array(target))
    for axis, kind in product((0, 1, 2, -1), ("Flatten", "Softmax")):
        yield _drawn(kind, PLAIN, axis=axis)
        yield _drawn(kind, FLAT, axis=min(axis, 1))
    for pads, mode in product(
        ([0, 0, 1, 1, 0, 0, 1, 1], [0, 1, 0, 0, 0, 2, 0, 0], [1] * 8, [0, 0, -1, 0, 0, 0, 0, 0]),
        ("constant", "reflect", "edge"),
    ):
        yield _drawn("Pad", PLAIN, np.array(pads), np.float32(0.5), mode=mode)
    for repeats in ([1, 1, 2, 2], [1, 3, 1, 1], [2, 1, 1, 1]):
        yield _drawn("Tile", PLAIN, np.array(repeats))


def magnifications() -> Iterator[Variant]:
    modes = ("nearest", "linear", "cubic")
    ways = ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
    for mode, way, rounding, scales in product(
        modes, ways, ("floor", "round_prefer_floor", "ceil"), ((2, 2), (3, 1), (1.5, 2), (0.5, 1))
    ):
        if mode != "nearest" and rounding != "floor":
            continue
        yield _drawn(
            "Resize", PLAIN, None, np.float32([1, 1, *scales]),
            mode=mode, coordinate_transformation_mode=way, nearest_mode=rounding,
        )  # fmt: skip


def elements() -> Iterator[Variant]:
    shapes = ((), (1,), (4, 1, 1), (1, 4, 1, 1), (6,), (1, 1, 6, 6), (4, 6, 6), (1, 1, 6, 1))
    for kind, shape in product(("Add", "Sub", "Mul", "Div", "Max", "Min", "PRelu"), shapes):
        table = np.linspace(0.25, 2, int(np.prod(shape))).astype(np.float32).reshape(shape)
        yield _drawn(kind, PLAIN, table)
    for low, high in ((0.0, 6.0), (-1.0, 1.0), (2.0, 1.0), (None, 3.0), (0.5, None)):
        bounds = (None if each is None else np.float32(each) for each in (low, high))
        yield _drawn("Clip", PLAIN, *bounds)
    for kind in ("Relu", "Sigmoid", "Tanh", "Elu", "HardSwish", "HardSigmoid", "LeakyRelu", "Abs"):
        yield _drawn(kind, PLAIN)
        yield _drawn(kind, FLAT)
    for attrs in ({}, {"alpha": 0.5}, {"beta": 2.0}, {"transA": 1}, {"transB": 1}):
        yield _drawn("Gemm", FLAT, (12, 5), (5,), **attrs)
        yield _drawn("Gemm", FLAT, (5, 12), (1,), **attrs)
        yield _drawn("Gemm", FLAT, (12, 12), **attrs)
    for weights in ((12, 5), (5, 12), (12,)):
        yield _drawn("MatMul", FLAT, weights)


@pytest.mark.parametrize("draw", [convolutions, pools, movements, magnifications, elements])
def test_the_outcomes_are_those_pinned(draw: Any, tmp_path: Path) -> None:
    lines = [f"{told}\n    {_outcome(s, made, tmp_path)}" for told, s, made in draw()]
    pinned(FOLDER / f"nodes-{draw.__name__}.txt", "\n".join(lines))


def _outcome(s: ModelBuilder, made: str, folder: Path) -> str:
    try:
        model = s.model(made, checked=False)
    except Exception as error:  # what the library of ONNX says differs from version to version
        return f"no model: {type(error).__name__}"
    try:
        return _told(imported(model, folder))
    except ModelError as error:
        known = [f"{reason['problem']}; try {reason['hint']}" for reason in error.reasons]
        return f"refused: {known[0] if known else 'by ONNX'}"


def _told(graph: Graph) -> str:
    nodes = [f"{node.op} {node.inputs} {node.attrs}" for node in graph.nodes]
    sums = [f"{name} {weighed(array):.4e}" for name, array in graph.constants.items()]
    return "\n    ".join([f"{nodes} -> {graph.shapes(graph.outputs)}", *graph.notes, *sums])
