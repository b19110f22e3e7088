"""Integer graphs of one node, with random windows and integers, for hypothesis."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph, Node, Requant
from deployer.ir.ops import window_output
from deployer.ir.types import DType, Layout, QuantParams, Value

STEADY = settings(deadline=None, derandomize=True)  # the same examples every time
SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def windows(draw: Any, height: int, width: int, largest: int = 4) -> Window:
    """Any window that fits the padded image; pads stay below the window's span."""
    kernel = (draw(st.integers(1, largest)), draw(st.integers(1, largest)))
    dilation = (draw(st.integers(1, 2)), draw(st.integers(1, 2)))
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    pads = Pads(*(draw(st.integers(0, spans[i % 2] - 1)) for i in range(4)))
    stride = (draw(st.integers(1, 3)), draw(st.integers(1, 3)))
    window = Window(kernel, stride, dilation, pads)
    if min(window_output(window, height, width)) < 1:
        return Window((1, 1), stride)
    return window


def one_node(
    op: str,
    attrs: Any,
    shapes: tuple[tuple[int, ...], ...],
    out_shape: tuple[int, ...],
    *,
    tables: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
    rule: str = "shift",
    bounds: tuple[int, int] = (-128, 127),
    zeros: tuple[int, int] = (0, 0),
    constants: dict[str, np.ndarray] | None = None,
    scales: tuple[float, float] = (1.0, 1.0),
    types: tuple[DType, DType] = (DType.S8, DType.S8),
) -> Graph:
    """Activations x0, x1, … of ``shapes``, then ``constants``, to y. ``zeros``, ``scales`` and
    ``types`` are those of all inputs and of the output; the default tables pass a small
    accumulator on."""
    arrays = dict(constants or {})
    inputs = tuple(f"x{i}" for i in range(len(shapes)))
    requant = None
    if tables is not None:
        arrays |= dict(zip(("m", "r", "s"), tables, strict=True))
        requant = Requant(rule, "m", "r", "s", *bounds)
    operands = (*inputs, *(constants or {}))
    node = Node("node", op, operands, ("y",), attrs, requant)
    quants = [
        QuantParams((scale,), zero, bits=16 if kind is DType.S16 else 8)
        for scale, zero, kind in zip(scales, zeros, types, strict=True)
    ]
    values = {
        name: Value(name, shape, types[0], Layout.NHWC, quants[0])
        for name, shape in zip(inputs, shapes, strict=True)
    }
    values["y"] = Value("y", out_shape, types[1], Layout.NHWC, quants[1])
    for name, array in arrays.items():
        values[name] = Value(name, array.shape, DType(array.dtype.name), Layout.VECTOR)
    return Graph("one", values, (node,), inputs, ("y",), arrays)


def trivial_tables(channels: int, shift: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``acc >> shift`` for every channel."""
    return (
        np.ones(channels, dtype=np.int32),
        np.zeros(channels, dtype=np.int32),
        np.full(channels, shift, dtype=np.uint8),
    )


def random_int8(rng: np.random.Generator, *shape: int, lowest: int = -128) -> np.ndarray:
    """int8 with many extremes among them."""
    array = rng.integers(lowest, 128, shape)
    corner = rng.choice([lowest, 127], shape)
    return np.where(rng.random(shape) < 0.3, corner, array).astype(np.int8)


def random_int16(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """int16 with many extremes among them."""
    array = rng.integers(-32768, 32768, shape)
    corner = rng.choice([-32768, 32767], shape)
    return np.where(rng.random(shape) < 0.3, corner, array).astype(np.int16)
