"""What the passes make of gates, and of what is joined to layers, node by node with its numbers.

Each is compared with ONNX Runtime too.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chain_parts import (
    bounded,
    curve,
    erf,
    flat_sigmoid,
    hard,
    image,
    number,
    scaled,
    shifted,
    vector,
)
from graph_text import Case, outcome

from models import ModelBuilder
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"

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
    for count, side in product((7, 8), ("linear", "gate")):
        yield f"{count} returned factors, {side}", lambda s, n=count, t=side: _returned(s, n, t)


def _returned(s: ModelBuilder, count: int, side: str) -> tuple[str, ...]:
    """A swish whose one side has factors that nothing may join, since each is returned."""
    x = image(s)
    ends = {"linear": x, "gate": curve(s, "Sigmoid", x)}
    steps = []
    for _ in range(count):
        ends[side] = scaled(s, ends[side], 1.25)
        steps.append(ends[side])
    return s.node("Mul", ends["linear"], ends["gate"]), *steps


LAYERS: dict[str, Any] = {
    "Conv": image,
    "depthwise": lambda s: s.conv(s.input(1, 2, 4, 4), (4, 1, 3, 3), group=2),
    "ConvTranspose": lambda s: s.node(
        "ConvTranspose", s.input(1, 2, 3, 3), s.weight(2, 4, 2, 2), s.weight(4), strides=[2, 2]
    ),
    "Gemm": lambda s: s.gemm(s.input(1, 3), 3, 4),
}


def along(s: ModelBuilder, layer: str, *numbers: float) -> str:
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


def _with_itself(s: ModelBuilder, end: Any) -> tuple[str, str]:
    x = image(s)
    return end(s, x), x


def _reshaped(s: ModelBuilder, end: Any) -> Any:
    """A pooled row of channels as an image of one."""
    x = s.node("GlobalMaxPool", s.input(1, 16, 2, 2))
    y = s.node("Reshape", x, s.constant([1, 1, 4, 4]))
    if end is None:
        return scaled(s, y, 2), y
    return s.conv(end(s, y), (2, 1, 2, 2))


def _flat(s: ModelBuilder, numbers: np.ndarray) -> str:
    x = s.node("Flatten", s.conv(s.input(1, 2, 2, 2), (4, 2, 1, 1)))
    return s.gemm(s.node("Mul", x, s.constant(numbers.astype(np.float32))), 16, 3)


@pytest.mark.parametrize("draw", [gates, joined])
def test_chains_become_what_is_pinned(draw: Any, tmp_path: Path) -> None:
    pinned(FOLDER / f"chains-{draw.__name__}.txt", "\n".join(outcome(c, tmp_path) for c in draw()))
