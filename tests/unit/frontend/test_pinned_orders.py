"""What becomes of channels last and of other orders of axes, node by node with its numbers.

Each is compared with ONNX Runtime too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chain_parts import TO_FIRST, TO_LAST, number, shifted, vector
from graph_text import Case, outcome

from models import ModelBuilder
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"

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


def _between(s: ModelBuilder, middle: Any) -> str:
    x = s.node("Transpose", s.conv(s.input(1, 2, 3, 5), (4, 2, 1, 1)), perm=TO_LAST)
    return s.node("MaxPool", s.node("Transpose", middle(s, x), perm=TO_FIRST), kernel_shape=[2, 1])


def _read_twice(s: ModelBuilder, *, returned: bool = False) -> Any:
    x = s.node("Transpose", s.input(1, 3, 3, 2), perm=TO_FIRST)
    y = s.node("Add", s.conv(x, (2, 2, 1, 1)), s.node("Tanh", x))
    return (y, x) if returned else y


def _two_inputs(s: ModelBuilder) -> str:
    x = s.node("Transpose", s.input(1, 3, 3, 2), perm=TO_FIRST)
    y = s.conv(s.input(1, 2, 3, 3, name="second"), (2, 2, 1, 1))
    return s.node("Concat", s.conv(x, (2, 2, 1, 1)), y, axis=1)


def chain(s: ModelBuilder, x: str, *steps: Any) -> str:
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


@pytest.mark.parametrize("draw", [channels_last, orders])
def test_orders_become_what_is_pinned(draw: Any, tmp_path: Path) -> None:
    pinned(FOLDER / f"chains-{draw.__name__}.txt", "\n".join(outcome(c, tmp_path) for c in draw()))
