"""What becomes of borders and of shapes, node by node with its numbers.

Each is compared with ONNX Runtime too.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chain_parts import number, shaped
from graph_text import Case, outcome

from models import ModelBuilder
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"


def bordered(s: ModelBuilder, x: str, *sides: int, value: float = 0.0) -> str:
    """Rows and columns before, then behind."""
    top, left, bottom, right = sides
    pads = s.constant([0, 0, top, left, 0, 0, bottom, right])
    return s.node("Pad", x, pads, number(s, value))


BORDERS = ((1, 2, 2, 1), (0, 0, 0, 1), (2, 0, 0, 0), (0, 2, 1, 0))
WINDOWS: dict[str, Any] = {
    "conv": lambda s, x: s.conv(x, (3, 2, 3, 3), pads=[0, 1, 1, 0]),
    "depthwise": lambda s, x: s.conv(x, (2, 1, 3, 3), group=2, strides=[2, 1]),
    "mean": lambda s, x: s.node("AveragePool", x, kernel_shape=[3, 3]),
    "counted mean": lambda s, x: s.node(
        "AveragePool", x, kernel_shape=[3, 3], pads=[1, 0, 0, 1], count_include_pad=1
    ),
    "own mean": lambda s, x: s.node("AveragePool", x, kernel_shape=[3, 3], pads=[1, 0, 0, 1]),
    "largest": lambda s, x: s.node("MaxPool", x, kernel_shape=[3, 3], pads=[0, 0, 0, 1]),
    "largest of the positive": lambda s, x: s.node("MaxPool", x, kernel_shape=[3, 3]),
    "transposed": lambda s, x: s.node("ConvTranspose", x, s.weight(2, 3, 2, 2)),
    "curve": lambda s, x: s.node("Tanh", x),
}
POSITIVE: dict[str, Any] = {
    **{kind: (lambda s, x, k=kind: s.node(k, x))
       for kind in ("Sigmoid", "HardSigmoid", "Softplus", "Abs", "Tanh", "Relu", "Elu")},
    "Softmax": lambda s, x: s.node("Softmax", x, axis=1),
    "a slice": lambda s, x: s.node(
        "Slice", s.relu(x), *(s.constant([n]) for n in (0, 4, 2))
    ),
    "a mean": lambda s, x: s.node("AveragePool", s.relu(x), kernel_shape=[2, 2]),
    "from zero": lambda s, x: s.node("Max", x, number(s, 0)),
    "from below": lambda s, x: s.node("Max", x, number(s, -0.5)),
    "up to": lambda s, x: s.node("Min", x, number(s, 1)),
    "turned": lambda s, x: s.node("Transpose", s.relu(x), perm=[0, 1, 3, 2]),
    "itself": lambda s, x: x,
}  # fmt: skip


def borders() -> Iterator[Case]:
    for (name, window), sides in product(WINDOWS.items(), BORDERS):
        if name == "largest of the positive":
            continue
        yield (
            f"{name} of {sides}",
            lambda s, f=window, b=sides: f(s, bordered(s, s.input(1, 2, 5, 6), *b)),
        )
    for name, make in POSITIVE.items():
        yield (
            f"the largest of {name}",
            lambda s, f=make: WINDOWS["largest of the positive"](
                s, bordered(s, f(s, s.input(1, 2, 5, 5)), 1, 2, 2, 1)
            ),
        )
    yield (
        "a border of ones",
        lambda s: WINDOWS["conv"](s, bordered(s, s.input(1, 2, 5, 6), 1, 1, 1, 1, value=1.0)),
    )
    for pads in ([0, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0, 0]):
        yield (
            f"a border of channels {pads}",
            lambda s, p=pads: s.conv(
                s.node("Pad", s.input(1, 2, 5, 6), s.constant(p)), (3, 3, 1, 1)
            ),
        )
    yield (
        "a border larger than the window",
        lambda s: WINDOWS["mean"](s, bordered(s, s.input(1, 2, 5, 6), 3, 0, 0, 0)),
    )
    yield "a border that others read", lambda s: _forked(s)


def _forked(s: ModelBuilder) -> tuple[str, ...]:
    x = bordered(s, s.input(1, 2, 5, 6), 1, 1, 1, 1)
    return s.conv(x, (3, 2, 3, 3)), s.conv(x, (3, 2, 1, 1))


SHAPED: dict[str, Any] = {
    "a gate of channels": lambda s: gated(s, (1, 4, 3, 5), (1, 4, 1, 1)),
    "a gate of rows": lambda s: gated(s, (1, 4, 3, 5), (1, 1, 3, 1)),
    "a gate of columns": lambda s: gated(s, (1, 4, 3, 5), (1, 1, 1, 5)),
    "a gate of a sequence": lambda s: gated(s, (1, 4, 3), (1, 4, 1)),
    "a gate of steps": lambda s: gated(s, (1, 4, 3), (1, 1, 3)),
    "a gate before": lambda s: gated(s, (1, 4, 3, 5), (1, 4, 1, 1), first=True),
    "a constant along rows": lambda s: s.node(
        "Mul", s.input(1, 4, 3, 5), s.constant(np.float32([[1], [2], [3]]))
    ),
    "a constant of channels of a sequence": lambda s: s.node(
        "Add", s.input(1, 4, 3), s.constant(np.float32([[1], [2], [3], [4]]))
    ),
    "a constant of steps": lambda s: s.node("Sub", s.constant(np.float32([1, 2, 3])),
                                            s.input(1, 4, 3)),
    "slopes of rows": lambda s: s.node(
        "PRelu", s.input(1, 4, 3, 5), s.constant(np.float32([[1], [2], [3]]))
    ),
    "a curve of five axes": lambda s: s.node("Tanh", shaped(s, s.input(1, 4, 3, 4), 1, 2, 2, 3, 4)),
    "a bound of five axes": lambda s: s.relu(shaped(s, s.input(1, 4, 3, 4), 1, 2, 2, 3, 4)),
    "a sum of five axes": lambda s: _sum_of_five(s),
    "softmax of a sequence": lambda s: s.node("Softmax", s.input(1, 4, 3), axis=1),
    "softmax of steps": lambda s: s.node("Softmax", s.input(1, 4, 3), axis=2),
    "softmax of columns": lambda s: s.node("Softmax", s.input(1, 4, 3, 2), axis=3),
    "softmax of rows": lambda s: s.node("Softmax", s.input(1, 4, 3, 2), axis=-2),
    "a mean of steps": lambda s: s.node("ReduceMean", s.input(1, 4, 3), axes=[2], keepdims=0),
    "a mean of a sequence's channels": lambda s: s.node(
        "ReduceMean", s.input(1, 4, 3), axes=[1], keepdims=1
    ),
    "a mean of rows": lambda s: s.node("ReduceMean", s.input(1, 4, 3, 2), axes=[2], keepdims=0),
    "a mean of channels and rows": lambda s: s.node(
        "ReduceMean", s.input(1, 4, 3, 2), axes=[-3, 2], keepdims=0
    ),
    "a pool of a sequence": lambda s: s.node(
        "MaxPool", s.input(1, 4, 7), kernel_shape=[3], strides=[2], pads=[1, 0]
    ),
    "a mean of all steps": lambda s: s.node("GlobalAveragePool", s.input(1, 4, 7)),
    "a layer of a sequence": lambda s: s.conv(
        s.input(1, 4, 7), (6, 4, 3), strides=[2], dilations=[2], pads=[1, 2]
    ),
    "a layer of a sequence, depthwise": lambda s: s.conv(s.input(1, 4, 7), (8, 1, 3), group=4),
    "a transposed layer of a sequence": lambda s: s.node(
        "ConvTranspose", s.input(1, 4, 5), s.weight(4, 3, 3), strides=[2], pads=[1, 0],
        output_padding=[1],
    ),
    "a transposed layer of a size": lambda s: s.node(
        "ConvTranspose", s.input(1, 2, 4, 4), s.weight(2, 3, 3, 3), strides=[2, 2],
        output_shape=[9, 8],
    ),
    "a transposed layer in groups": lambda s: s.node(
        "ConvTranspose", s.input(1, 4, 4, 4), s.weight(4, 3, 2, 3), group=2, strides=[1, 2]
    ),
    "a resized sequence": lambda s: s.node(
        "Resize", s.input(1, 4, 5), "", s.constant(np.float32([1, 1, 3])), mode="nearest",
        coordinate_transformation_mode="asymmetric", nearest_mode="floor",
    ),
    "a resized size": lambda s: s.node(
        "Resize", s.input(1, 2, 3, 4), "", "", s.constant([1, 2, 6, 16]), mode="linear"
    ),
    "a resized pixel": lambda s: s.node(
        "Resize", s.input(1, 2, 1, 1), "", "", s.constant([1, 2, 6, 7]), mode="linear"
    ),
    "parts of a sequence": lambda s: _parts(s),
    "an output of three axes": lambda s: s.relu(s.input(1, 4, 3)),
    "identities": lambda s: s.node(
        "Identity", s.node("Dropout", s.node("Cast", s.node("Identity", s.input(1, 4, 3, 2)), to=1))
    ),
    "joined to itself": lambda s: s.node("Concat", *[s.input(1, 4, 3, 2)] * 2, axis=2),
    "joined alone": lambda s: s.relu(s.node("Concat", s.input(1, 4, 3, 2), axis=1)),
    "two of a kind": lambda s: s.node("Sub", *[s.input(1, 4)] * 2),
    "bounds from both sides": lambda s: s.node(
        "Min", number(s, 2), s.node("Max", s.input(1, 4), number(s, -1))
    ),
    "the least of one": lambda s: s.node("Min", s.input(1, 4)),
    "axes in and out": lambda s: s.node(
        "Squeeze", s.node("Unsqueeze", s.input(1, 4, 3), s.constant([3])), s.constant([3])
    ),
    "a product and its sum": lambda s: s.node(
        "Add", s.node("MatMul", s.input(1, 4), s.weight(4, 3)), s.weight(3)
    ),
    "a dense layer of one bias": lambda s: s.node(
        "Gemm", s.input(1, 4), s.weight(4, 3), s.weight(1), alpha=0.5, beta=2.0
    ),
    "a dense layer without a bias": lambda s: s.node("Gemm", s.input(1, 4), s.weight(4, 3)),
}  # fmt: skip


def gated(
    s: ModelBuilder, whole: tuple[int, ...], gate: tuple[int, ...], *, first: bool = False
) -> str:
    ends = s.input(*whole), s.node("Sigmoid", s.input(*gate, name="gate"))
    return s.node("Mul", *(ends[::-1] if first else ends))


def _sum_of_five(s: ModelBuilder) -> str:
    x = shaped(s, s.input(1, 4, 3, 4), 1, 2, 2, 3, 4)
    return s.node("Add", s.node("Tanh", x), s.node("Sigmoid", x))


def _parts(s: ModelBuilder) -> tuple[str, ...]:
    s.node_of("Split", [s.input(1, 6, 3), s.constant([1, 3, 2])], ["a", "b", "c"], axis=1)
    return s.relu("c"), s.node("Tanh", "b")


def shapes() -> Iterator[Case]:
    yield from SHAPED.items()


@pytest.mark.parametrize("draw", [borders, shapes])
def test_borders_and_shapes_become_what_is_pinned(draw: Any, tmp_path: Path) -> None:
    pinned(FOLDER / f"chains-{draw.__name__}.txt", "\n".join(outcome(c, tmp_path) for c in draw()))
