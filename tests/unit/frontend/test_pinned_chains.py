"""Nodes in a row, as exporters write them: what the passes make of each row, with its numbers.

Each is compared with ONNX Runtime too.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph_text import Case, outcome

from models import Sketch
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"
ROOT = float(np.sqrt(0.5))
TO_LAST, TO_FIRST = [0, 2, 3, 1], [0, 3, 1, 2]


def number(s: Sketch, value: float) -> str:
    return s.constant(np.float32(value))


def vector(s: Sketch, *numbers: float, shape: tuple[int, ...] = (-1, 1, 1)) -> str:
    return s.constant(np.array(numbers, np.float32).reshape(shape))


def image(s: Sketch) -> str:
    return s.conv(s.input(1, 2, 3, 3), (4, 2, 1, 1))


def scaled(s: Sketch, x: str, factor: float) -> str:
    return s.node("Mul", x, number(s, factor))


def shifted(s: Sketch, x: str, offset: float) -> str:
    return s.node("Add", x, number(s, offset))


def bounded(s: Sketch, x: str, low: float | None, high: float | None) -> str:
    return s.node("Clip", x, *("" if b is None else number(s, b) for b in (low, high)))


def curve(s: Sketch, kind: str, x: str, **attrs: Any) -> str:
    return s.node(kind, x, **attrs)


def hard(s: Sketch, x: str, scale: float, offset: float, low: Any, high: Any) -> str:
    return s.node("Mul", x, bounded(s, shifted(s, scaled(s, x, scale), offset), low, high))


def erf(s: Sketch, x: str, scale: float = ROOT, one: float = 1.0, shift: float = 0.0) -> str:
    inner = scaled(s, x, scale)
    inner = shifted(s, inner, shift) if shift else inner
    return shifted(s, s.node("Erf", inner), one)


def flat_sigmoid(s: Sketch, x: str) -> str:
    y = s.node("Sigmoid", s.node("Reshape", x, s.constant([1, 36])))
    return s.node("Reshape", y, s.constant([1, 4, 3, 3]))


GATES: dict[str, Any] = {
    "swish": lambda s, x: s.node("Mul", x, curve(s, "Sigmoid", x)),
    "swish, its factor first": lambda s, x: s.node("Mul", curve(s, "Sigmoid", x), x),
    "swish of twice": lambda s, x: s.node("Mul", scaled(s, x, 2), curve(s, "Sigmoid", x)),
    "three swish": lambda s, x: s.node("Mul", x, scaled(s, curve(s, "Sigmoid", x), 3)),
    "swish by both sides": lambda s, x: s.node(
        "Mul", scaled(s, x, -2), scaled(s, curve(s, "Sigmoid", x), 0.25)
    ),
    "a steeper swish": lambda s, x: s.node("Mul", x, curve(s, "Sigmoid", scaled(s, x, 2))),
    "a moved swish": lambda s, x: s.node("Mul", shifted(s, x, 1), curve(s, "Sigmoid", x)),
    "a swish moved inside": lambda s, x: s.node("Mul", x, curve(s, "Sigmoid", shifted(s, x, 1))),
    "a swish of the positive": lambda s, x: s.node("Mul", s.relu(x), curve(s, "Sigmoid", x)),
    "a bounded sigmoid": lambda s, x: s.node(
        "Mul", x, bounded(s, curve(s, "Sigmoid", x), 0.2, 0.8)
    ),
    "a sigmoid of the bounded": lambda s, x: s.node(
        "Mul", x, curve(s, "Sigmoid", bounded(s, x, -1, 1))
    ),
    "one more than a sigmoid": lambda s, x: s.node("Mul", x, shifted(s, curve(s, "Sigmoid", x), 1)),
    "a swish then bounded": lambda s, x: s.relu(s.node("Mul", x, curve(s, "Sigmoid", x))),
    "a swish of a flat view": lambda s, x: s.node("Mul", x, flat_sigmoid(s, x)),
    "a gate by tanh": lambda s, x: s.node("Mul", x, curve(s, "Tanh", x)),
    "a gate by itself": lambda s, x: s.node("Mul", x, x),
    "a gate by another": lambda s, x: s.node(
        "Mul", x, curve(s, "Sigmoid", s.conv(x, (4, 4, 1, 1)))
    ),
    "mish": lambda s, x: s.node("Mul", x, curve(s, "Tanh", curve(s, "Softplus", x))),
    "twice mish": lambda s, x: s.node(
        "Mul", x, scaled(s, curve(s, "Tanh", curve(s, "Softplus", x)), 2)
    ),
    "mish turned round": lambda s, x: s.node("Mul", x, curve(s, "Softplus", curve(s, "Tanh", x))),
    "a mish scaled within": lambda s, x: s.node(
        "Mul", x, curve(s, "Tanh", scaled(s, curve(s, "Softplus", x), 2))
    ),
    "hard swish": lambda s, x: hard(s, x, 1, 3, 0, 6),
    "hard swish to one": lambda s, x: hard(s, x, 1 / 6, 0.5, 0, 1),
    "hard swish to three": lambda s, x: hard(s, x, 0.5, 1.5, 0, 3),
    "hard swish of another slope": lambda s, x: hard(s, x, 1.1, 3, 0, 6),
    "hard swish from elsewhere": lambda s, x: hard(s, x, 1, 2.9, 0, 6),
    "hard swish from below": lambda s, x: hard(s, x, 1, 3, -0.1, 6),
    "hard swish without an end": lambda s, x: hard(s, x, 1, 3, 0, None),
    "hard swish without a beginning": lambda s, x: hard(s, x, 1, 3, None, 6),
    "hard swish below zero": lambda s, x: hard(s, x, -1, -3, -6, -1),
    "hard swish divided": lambda s, x: scaled(s, hard(s, x, 1, 3, 0, 6), 1 / 6),
    "hard swish divided inside": lambda s, x: s.node(
        "Mul", x, scaled(s, bounded(s, shifted(s, x, 3), 0, 6), 1 / 6)
    ),
    "hard swish by a negative": lambda s, x: s.node(
        "Mul", x, scaled(s, bounded(s, shifted(s, x, 3), 0, 6), -1 / 6)
    ),
    "hard swish in two bounds": lambda s, x: s.node(
        "Mul", x, s.node("Min", s.relu(shifted(s, x, 3)), number(s, 6))
    ),
    **{
        f"hard sigmoid of {alpha} and {beta}": lambda s, x, a=alpha, b=beta: s.node(
            "Mul", x, curve(s, "HardSigmoid", x, alpha=a, beta=b)
        )
        for alpha, beta in ((1 / 6, 0.5), (0.166668, 0.5), (0.16667, 0.5), (0.2, 0.5), (1 / 6, 0.4))
    },
    "gelu": lambda s, x: s.node("Mul", scaled(s, x, 0.5), erf(s, x)),
    "twice gelu": lambda s, x: s.node("Mul", x, erf(s, x)),
    "gelu of eight digits": lambda s, x: s.node("Mul", x, erf(s, x, 0.70710678)),
    "gelu of four digits": lambda s, x: s.node("Mul", x, erf(s, x, 0.7071)),
    "gelu of other halves": lambda s, x: s.node("Mul", x, erf(s, x, one=0.9)),
    "gelu from elsewhere": lambda s, x: s.node("Mul", x, erf(s, x, shift=0.1)),
    "gelu of halves": lambda s, x: s.node("Mul", x, scaled(s, erf(s, x), 0.5)),
    "a bounded gelu": lambda s, x: s.node("Mul", x, bounded(s, erf(s, x), None, 1.5)),
}  # fmt: skip


def gates() -> Iterator[Case]:
    for name, spell in GATES.items():
        yield name, lambda s, spell=spell: spell(s, image(s))
    for name in ("three swish", "mish", "hard swish", "twice gelu"):
        yield f"{name} of a row", lambda s, f=GATES[name]: f(s, s.gemm(s.input(1, 3), 3, 5))
        yield f"{name} of an input", lambda s, f=GATES[name]: f(s, s.input(1, 3, 2, 2))
        yield (
            f"{name} of a sequence",
            lambda s, f=GATES[name]: f(s, s.conv(s.input(1, 3, 4), (5, 3, 1))),
        )
    for count, side in product((7, 8), ("straight", "bent")):
        yield f"{count} returned factors, {side}", lambda s, n=count, t=side: _returned(s, n, t)


def _returned(s: Sketch, count: int, side: str) -> tuple[str, ...]:
    """A swish whose one side has factors that nothing may join, since each is returned."""
    x = image(s)
    ends = {"straight": x, "bent": curve(s, "Sigmoid", x)}
    steps = []
    for _ in range(count):
        ends[side] = scaled(s, ends[side], 1.25)
        steps.append(ends[side])
    return s.node("Mul", ends["straight"], ends["bent"]), *steps


LAYERS: dict[str, Any] = {
    "Conv": image,
    "depthwise": lambda s: s.conv(s.input(1, 2, 4, 4), (4, 1, 3, 3), group=2),
    "ConvTranspose": lambda s: s.node(
        "ConvTranspose", s.input(1, 2, 3, 3), s.weight(2, 4, 2, 2), s.weight(4), strides=[2, 2]
    ),
    "Gemm": lambda s: s.gemm(s.input(1, 3), 3, 4),
}


def along(s: Sketch, layer: str, *numbers: float) -> str:
    return vector(s, *numbers, shape=(-1,) if layer == "Gemm" else (-1, 1, 1))


BEHIND: dict[str, Any] = {
    "times four": lambda s, x, k: s.node("Mul", x, along(s, k, 0.5, -1, 2, 3)),
    "plus four": lambda s, x, k: s.node("Add", along(s, k, 0.5, -1, 2, 3), x),
    "minus four": lambda s, x, k: s.node("Sub", x, along(s, k, 0.5, -1, 2, 3)),
    "four minus": lambda s, x, k: s.node("Sub", along(s, k, 0.5, -1, 2, 3), x),
    "by four": lambda s, x, k: s.node("Div", x, along(s, k, 0.5, -1, 2, 4)),
    "batch norm": lambda s, x, _: s.batch_norm(x, 4),
    "batch norm of 0.1": lambda s, x, _: s.node(
        "BatchNormalization", x, *(s.constant(np.float32([1, 2, 3, 4])) for _ in range(4)),
        epsilon=0.1,
    ),
    "bounds, then twice": lambda s, x, _: scaled(s, s.relu6(x), 2),
    "bounds, then back": lambda s, x, _: scaled(s, s.relu6(x), -2),
    "bounds, then nothing": lambda s, x, _: scaled(s, s.relu6(x), 0),
    "bounds, then one more": lambda s, x, _: shifted(s, s.relu6(x), 1),
    "bounds, then four": lambda s, x, k: s.node("Mul", s.relu6(x), along(s, k, 1, 1, 1, 2)),
    "bounds, then four more": lambda s, x, k: s.node("Add", s.relu6(x), along(s, k, 1, 1, 1, 2)),
    "bounds, a factor, bounds": lambda s, x, _: bounded(s, scaled(s, s.relu6(x), 2), 1, 9),
    "bounds beyond bounds": lambda s, x, _: bounded(s, bounded(s, x, 0, 1), 2, 3),
    "bounds below bounds": lambda s, x, _: bounded(s, bounded(s, x, 2, 3), 0, 1),
    "from below in bounds": lambda s, x, _: bounded(s, bounded(s, x, None, 1), -1, None),
    "two readers": lambda s, x, _: s.node("Sub", scaled(s, x, 2), s.node("Tanh", x)),
    "a curve between": lambda s, x, _: scaled(s, s.node("Tanh", x), 2),
}  # fmt: skip


def joined() -> Iterator[Case]:
    for (layer, make), (name, end) in product(LAYERS.items(), BEHIND.items()):
        yield f"{layer}, {name}", lambda s, make=make, end=end, k=layer: end(s, make(s), k)
    yield "a returned layer, twice", lambda s: _with_itself(s, lambda s, x: scaled(s, x, 2))
    yield "a returned layer, bounded", lambda s: _with_itself(s, lambda s, x: s.relu(x))
    for factor, offset in ((1 + 4e-7, 0), (1 + 3e-6, 0), (1, 4e-7), (1, 3e-6), (1, 0), (-1, 0)):
        yield (
            f"nearly nothing: {factor}, {offset}",
            lambda s, f=factor, o=offset: shifted(
                s, scaled(s, s.node("MaxPool", s.input(1, 2, 3, 3), kernel_shape=[2, 2]), f), o
            ),
        )
    yield "nothing but bounds", lambda s: s.relu(scaled(s, s.input(1, 2, 3, 3), 1))
    yield "four, then one channel", lambda s: _reshaped(s, lambda s, x: scaled(s, x, 2))
    yield "four, then one bounded", lambda s: _reshaped(s, lambda s, x: s.relu(shifted(s, x, 2)))
    yield "four, returned, then one", lambda s: _reshaped(s, None)
    yield "flat, then four by four", lambda s: _flat(s, np.linspace(-1, 1, 16))
    yield "flat, then all alike", lambda s: _flat(s, np.full(16, 0.5))


def _with_itself(s: Sketch, end: Any) -> tuple[str, str]:
    x = image(s)
    return end(s, x), x


def _reshaped(s: Sketch, end: Any) -> Any:
    """A pooled row of channels as an image of one."""
    x = s.node("GlobalMaxPool", s.input(1, 16, 2, 2))
    y = s.node("Reshape", x, s.constant([1, 1, 4, 4]))
    if end is None:
        return scaled(s, y, 2), y
    return s.conv(end(s, y), (2, 1, 2, 2))


def _flat(s: Sketch, numbers: np.ndarray) -> str:
    x = s.node("Flatten", s.conv(s.input(1, 2, 2, 2), (4, 2, 1, 1)))
    return s.gemm(s.node("Mul", x, s.constant(numbers.astype(np.float32))), 16, 3)


LAST: dict[str, Any] = {
    "relu": lambda s, x: s.relu(x),
    "sigmoid": lambda s, x: s.node("Sigmoid", x),
    "one more": lambda s, x: shifted(s, x, 1),
    "times each channel": lambda s, x: s.node("Mul", x, s.constant(np.float32([1, 2, 3, 4]))),
    "times each row": lambda s, x: s.node("Mul", x, vector(s, 1, 2, 3)),
    "joined along the width": lambda s, x: s.node("Concat", x, s.node("Tanh", x), axis=2),
    "joined along the channels": lambda s, x: s.node("Concat", x, s.node("Tanh", x), axis=-1),
    "a slice": lambda s, x: s.node(
        "Slice", x, *(s.constant([n, n]) for n in (1, 3)), s.constant([1, 3])
    ),
    "a border": lambda s, x: s.node("Pad", x, s.constant([0, 1, 0, 0, 0, 0, 2, 1]), number(s, 0.5)),
    "with itself": lambda s, x: s.node("Mul", x, s.node("Sub", x, s.node("Tanh", x))),
    "softmax": lambda s, x: s.node("Softmax", x, axis=-1),
    "softmax of rows": lambda s, x: s.node("Softmax", x, axis=1),
    "a mean of channels": lambda s, x: s.node("ReduceMean", x, axes=[3], keepdims=1),
    "a mean of the image": lambda s, x: s.node("ReduceMean", x, axes=[1, 2], keepdims=0),
    "flat": lambda s, x: s.node("Flatten", x),
}


def channels_last() -> Iterator[Case]:
    for name, middle in LAST.items():
        yield (
            f"in a layer, {name}",
            lambda s, f=middle: f(
                s, s.node("Transpose", s.conv(s.input(1, 2, 3, 5), (4, 2, 1, 1)), perm=TO_LAST)
            ),
        )
        if name not in ("a mean of the image", "flat"):
            yield f"between layers, {name}", lambda s, f=middle: _between(s, f)
            yield (
                f"at an input, {name}",
                lambda s, f=middle: s.node(
                    "MaxPool",
                    s.node("Transpose", f(s, s.input(1, 3, 5, 4)), perm=TO_FIRST),
                    kernel_shape=[2, 1],
                ),
            )
    yield "an input read twice", _read_twice
    yield "an input in two layouts", lambda s: _read_twice(s, returned=True)
    yield "two inputs", _two_inputs


def _between(s: Sketch, middle: Any) -> str:
    x = s.node("Transpose", s.conv(s.input(1, 2, 3, 5), (4, 2, 1, 1)), perm=TO_LAST)
    return s.node("MaxPool", s.node("Transpose", middle(s, x), perm=TO_FIRST), kernel_shape=[2, 1])


def _read_twice(s: Sketch, *, returned: bool = False) -> Any:
    x = s.node("Transpose", s.input(1, 3, 3, 2), perm=TO_FIRST)
    y = s.node("Add", s.conv(x, (2, 2, 1, 1)), s.node("Tanh", x))
    return (y, x) if returned else y


def _two_inputs(s: Sketch) -> str:
    x = s.node("Transpose", s.input(1, 3, 3, 2), perm=TO_FIRST)
    y = s.conv(s.input(1, 2, 3, 3, name="second"), (2, 2, 1, 1))
    return s.node("Concat", s.conv(x, (2, 2, 1, 1)), y, axis=1)


def chain(s: Sketch, x: str, *steps: Any) -> str:
    """Tuples permute, lists reshape."""
    for step in steps:
        if isinstance(step, tuple):
            x = s.node("Transpose", x, perm=list(step))
        else:
            x = s.node("Reshape", x, s.constant(step))
    return x


ORDERS: dict[str, tuple[Any, ...]] = {
    "two groups shuffled": ([1, 2, 4, 3, 4], (0, 2, 1, 3, 4), [1, 8, 3, 4]),
    "four groups shuffled": ([1, 4, 2, 3, 4], (0, 2, 1, 3, 4), [1, 8, 3, 4]),
    "blocks to channels": ([1, 8, 3, 1, 2, 2], (0, 3, 5, 1, 2, 4), [1, 16, 3, 2]),
    "channels to blocks": ([1, 2, 2, 2, 3, 4], (0, 1, 4, 2, 5, 3), [1, 2, 6, 8]),
    "turned and back": ((0, 1, 3, 2), (0, 1, 3, 2)),
    "a quarter turn": ((0, 1, 3, 2),),
    "all round": ((0, 3, 1, 2), (0, 3, 1, 2), (0, 3, 1, 2)),
    "windows": ([1, 8, 3, 2, 2], (0, 2, 3, 4, 1), [3, 2, 2, 8], [1, 6, 16]),
    "a row": ([1, 96],),
    "a row turned": ((0, 2, 3, 1), [1, 96]),
    "a table": ([1, 8, 12], (0, 2, 1)),
    "five axes": ([1, 2, 4, 3, 4], (0, 4, 3, 2, 1)),
    "an uneven cut": ([1, 6, 16], (0, 2, 1), [1, 8, 3, 4], (0, 1, 3, 2)),
    "another image": ([1, 4, 6, 4],),
    "one axis more": ([1, 1, 8, 12],),
}


def orders() -> Iterator[Case]:
    for name, steps in ORDERS.items():
        yield f"input, {name}", lambda s, n=steps: s.relu(chain(s, s.input(1, 8, 3, 4), *n))
        yield (
            f"layer, {name}",
            lambda s, n=steps: chain(s, s.conv(s.input(1, 2, 3, 4), (8, 2, 1, 1)), *n),
        )
        if name.startswith("a "):
            yield (
                f"{name}, dense",
                lambda s, n=steps: s.gemm(
                    s.node("Flatten", chain(s, s.conv(s.input(1, 2, 3, 4), (8, 2, 1, 1)), *n)),
                    96,
                    3,
                ),
            )
    for steps in ([1, 2, 3, 3], [1, 3, 6]), ([1, 9, 2], (0, 2, 1)), ([1, 3, 3, 2], (0, 3, 1, 2)):
        yield (
            f"dense, {steps}",
            lambda s, n=steps: s.relu(chain(s, s.gemm(s.input(1, 3), 3, 18), *n)),
        )
    yield (
        "dense, then layers",
        lambda s: s.conv(chain(s, s.gemm(s.input(1, 3), 3, 18), [1, 2, 3, 3]), (2, 2, 2, 2)),
    )
    yield (
        "dense in bounds, then layers",
        lambda s: s.conv(
            s.relu(chain(s, s.gemm(s.input(1, 3), 3, 18), [1, 2, 3, 3])), (2, 2, 2, 2)
        ),
    )


def bordered(s: Sketch, x: str, *sides: int, value: float = 0.0) -> str:
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


def _forked(s: Sketch) -> tuple[str, ...]:
    x = bordered(s, s.input(1, 2, 5, 6), 1, 1, 1, 1)
    return s.conv(x, (3, 2, 3, 3)), s.conv(x, (3, 2, 1, 1))


def shaped(s: Sketch, x: str, *sizes: int) -> str:
    return s.node("Reshape", x, s.constant(list(sizes)))


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


def gated(s: Sketch, whole: tuple[int, ...], gate: tuple[int, ...], *, first: bool = False) -> str:
    ends = s.input(*whole), s.node("Sigmoid", s.input(*gate, name="gate"))
    return s.node("Mul", *(ends[::-1] if first else ends))


def _sum_of_five(s: Sketch) -> str:
    x = shaped(s, s.input(1, 4, 3, 4), 1, 2, 2, 3, 4)
    return s.node("Add", s.node("Tanh", x), s.node("Sigmoid", x))


def _parts(s: Sketch) -> tuple[str, ...]:
    s.node_of("Split", [s.input(1, 6, 3), s.constant([1, 3, 2])], ["a", "b", "c"], axis=1)
    return s.relu("c"), s.node("Tanh", "b")


def shapes() -> Iterator[Case]:
    yield from SHAPED.items()


FOLDED: dict[str, Any] = {
    "a shape": lambda s: s.node(
        "Cast", s.node("Gather", s.node("Shape", "input"), s.constant(1)), to=1
    ),
    "a size": lambda s: s.node("Cast", s.node("Size", "input"), to=1),
    "a sum": lambda s: s.node("Add", s.weight(4), s.weight(4)),
    "a sum of sums": lambda s: s.node("Sub", s.weight(4), s.node("Neg", s.weight(1))),
    "joined": lambda s: s.node("Concat", s.weight(1), s.weight(3), axis=0),
    "sliced": lambda s: s.node("Slice", s.weight(9), s.constant([1]), s.constant([8]), "",
                               s.constant([2])),
    "picked": lambda s: s.node("Gather", s.weight(5), s.constant([4, 0, 0, 1])),
    "filled": lambda s: s.node("ConstantOfShape", s.constant([4])),
    "a range": lambda s: s.node("Range", *(number(s, n) for n in (0, 4, 1))),
    "spread": lambda s: s.node("Expand", s.weight(1), s.constant([4])),
    "chosen": lambda s: s.node(
        "Where", s.constant(np.array([True, False, True, True])), s.weight(4), s.weight(1)
    ),
    "a second part": lambda s: _second_part(s),
    "the same": lambda s: s.node("Identity", s.node("Identity", s.weight(4))),
    "a mean": lambda s: s.node("ReduceMean", s.weight(4, 2), axes=[1], keepdims=0),
    "a table in one": lambda s: s.node("Reshape", s.weight(2, 2), s.constant([-1])),
    "turned": lambda s: s.node("Squeeze", s.node("Transpose", s.weight(4, 1)), s.constant([0])),
    "float64": lambda s: s.node("Cast", s.constant(np.float64([1, 2, 3, 4])), to=1),
    "a product": lambda s: s.node("MatMul", s.weight(4, 3), s.weight(3)),
    "a constant node": lambda s: s.node("Constant", value_floats=[1.0, 2.0, 3.0, 4.0]),
    "quantized": lambda s: s.node(
        "DequantizeLinear",
        s.node("QuantizeLinear", s.constant(np.float32([0.24, 0.26, 99, -99])), number(s, 0.5)),
        number(s, 0.5),
    ),
    "quantized, signed": lambda s: s.node(
        "DequantizeLinear",
        s.node("QuantizeLinear", s.constant(np.float32([0.24, 0.76, 99, -99])), number(s, 0.5),
               s.constant(np.int8(3))),
        number(s, 0.5), s.constant(np.int8(3)),
    ),
}  # fmt: skip


def _second_part(s: Sketch) -> str:
    s.node_of("Split", [s.weight(6), s.constant([2, 4])], ["other", "part"], axis=0)
    return "part"


def folded() -> Iterator[Case]:
    for name, build in FOLDED.items():
        yield name, lambda s, f=build: s.node("Mul", s.input(1, 4), f(s))


def picked(s: Sketch, x: str, index: Any, axis: int = 1) -> str:
    return s.node("Gather", x, s.constant(np.array(index)), axis=axis)


def stepped(s: Sketch, x: str, axis: int, begin: int, end: int, step: int) -> str:
    return s.node("Slice", x, *(s.constant([n]) for n in (begin, end, axis, step)))


SWAP = [1, 0, 3, 2]
PICKS: dict[str, Any] = {
    "channels": lambda s, x: picked(s, x, [3, 0, 1, 2]),
    "channels from the end": lambda s, x: picked(s, x, [-1, -2]),
    "one row": lambda s, x: picked(s, x, 1, 2),
    "one channel": lambda s, x: picked(s, x, [2]),
    "rows twice": lambda s, x: picked(s, x, [0, 0, 1, 1], 2),
    "a table of columns": lambda s, x: picked(s, x, [[0, 1], [2, 3]], 3),
    "pixels": lambda s, x: s.node("GatherND", x, s.constant([[[0, 2], [0, 1]]]), batch_dims=0),
    "spread": lambda s, x: s.node(
        "Expand", s.node("GlobalMaxPool", x), s.constant([1, 4, 2, 3])
    ),
    "tiles": lambda s, x: s.node("Tile", x, s.constant([1, 1, 2, 1])),
    "every second column": lambda s, x: stepped(s, x, 3, 0, 9, 2),
    "columns backwards": lambda s, x: stepped(s, x, 3, -1, -9, -1),
    "rows backwards, every second": lambda s, x: stepped(s, x, 2, -1, -9, -2),
    "twice": lambda s, x: picked(s, picked(s, x, SWAP), SWAP),
    "twice, another axis": lambda s, x: picked(s, picked(s, x, SWAP), [2, 1, 0], 2),
    "with a bound between": lambda s, x: picked(s, s.relu(picked(s, x, SWAP)), [2, 1, 0], 2),
    "with bounds between": lambda s, x: picked(
        s, bounded(s, picked(s, x, SWAP), -1, 1), [2, 1, 0], 2
    ),
    "with a curve between": lambda s, x: stepped(
        s, s.node("Sigmoid", shaped(s, x, 1, 2, 2, 3, 4)), 3, -1, -9, -1
    ),
    "five axes and back": lambda s, x: shaped(
        s, s.relu(s.node("Transpose", shaped(s, x, 1, 2, 2, 3, 4), perm=[0, 2, 1, 3, 4])),
        1, 4, 3, 4,
    ),
    "with slopes between": lambda s, x: picked(
        s, s.node("PRelu", picked(s, x, SWAP), s.weight(4, 1, 1)), SWAP
    ),
    "with a sum between": lambda s, x: picked(
        s, s.node("Add", picked(s, x, SWAP), picked(s, x, [0, 1, 2, 3])), SWAP
    ),
    "returned on the way": lambda s, x: _on_the_way(s, x),
    "read on the way": lambda s, x: _read_on_the_way(s, x),
    "taken names": lambda s, x: _taken(s, x),
    "a flat view": lambda s, x: picked(s, shaped(s, x, 1, 48), list(range(0, 48, 3))),
    "no first axis": lambda s, x: shaped(s, picked(s, shaped(s, x, 48), [5, 4, 3, 2], 0), 1, 4),
    "too many pieces": lambda s, x: picked(
        s, shaped(s, x, 1, 48), np.random.default_rng(3).permutation(48)
    ),
    "nothing": lambda s, x: picked(s, x, np.zeros(0, np.int64)),
    "of the batch": lambda s, x: picked(s, x, [0, 0], 0),
    "all of the batch": lambda s, x: picked(s, x, [0], 0),
    "blocks of windows": lambda s, x: s.node(
        "SpaceToDepth", stepped(s, x, 2, 0, 2, 1), blocksize=2
    ),
    "blocks, then picked": lambda s, x: picked(
        s, s.node("SpaceToDepth", stepped(s, x, 2, 0, 2, 1), blocksize=2), [1, 0]
    ),
}  # fmt: skip


def _on_the_way(s: Sketch, x: str) -> tuple[str, ...]:
    y = picked(s, x, SWAP)
    return stepped(s, y, 3, -1, -9, -1), y


def _read_on_the_way(s: Sketch, x: str) -> tuple[str, ...]:
    y = picked(s, x, SWAP)
    return stepped(s, y, 3, -1, -9, -1), s.node("Tanh", y)


def _taken(s: Sketch, x: str) -> tuple[str, ...]:
    """The names that nodes before a chain would get are there already."""
    y = picked(s, x, SWAP)
    count = len(s._nodes)
    taken = [s.node("Tanh", x, output=f"relu_{count + 2}/first{end}") for end in ("", "_2")]
    return picked(s, s.relu(y), [2, 1, 0], 2), *taken


def picks() -> Iterator[Case]:
    for name, pick in PICKS.items():
        yield name, lambda s, f=pick: f(s, s.conv(s.input(1, 2, 3, 4), (4, 2, 1, 1)))
    for name in ("channels", "twice, another axis", "columns backwards", "a flat view", "spread"):
        yield f"{name} of an input", lambda s, f=PICKS[name]: f(s, s.input(1, 4, 3, 4))
    yield "steps of a sequence", lambda s: stepped(s, s.input(1, 4, 6), 2, 5, -9, -2)
    yield (
        "channels of a sequence, then a layer",
        lambda s: s.conv(picked(s, s.conv(s.input(1, 2, 6), (4, 2, 1)), SWAP), (2, 4, 3)),
    )
    yield "of a row", lambda s: s.gemm(picked(s, s.input(1, 4), SWAP), 4, 3)


@pytest.mark.parametrize(
    "draw", [gates, joined, channels_last, orders, borders, shapes, folded, picks]
)
def test_chains_become_what_is_pinned(draw: Any, tmp_path: Path) -> None:
    pinned(FOLDER / f"chains-{draw.__name__}.txt", "\n".join(outcome(c, tmp_path) for c in draw()))
