"""What becomes of computed constants and of picked elements, node by node with its numbers.

Each is compared with ONNX Runtime too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chain_parts import bounded, number, picked, shaped, stepped
from graph_text import Case, outcome

from models import ModelBuilder
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"

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


def _second_part(s: ModelBuilder) -> str:
    s.node_of("Split", [s.weight(6), s.constant([2, 4])], ["other", "part"], axis=0)
    return "part"


def folded() -> Iterator[Case]:
    for name, build in FOLDED.items():
        yield name, lambda s, f=build: s.node("Mul", s.input(1, 4), f(s))


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


def _on_the_way(s: ModelBuilder, x: str) -> tuple[str, ...]:
    y = picked(s, x, SWAP)
    return stepped(s, y, 3, -1, -9, -1), y


def _read_on_the_way(s: ModelBuilder, x: str) -> tuple[str, ...]:
    y = picked(s, x, SWAP)
    return stepped(s, y, 3, -1, -9, -1), s.node("Tanh", y)


def _taken(s: ModelBuilder, x: str) -> tuple[str, ...]:
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


@pytest.mark.parametrize("draw", [folded, picks])
def test_constants_and_picks_become_what_is_pinned(draw: Any, tmp_path: Path) -> None:
    pinned(FOLDER / f"chains-{draw.__name__}.txt", "\n".join(outcome(c, tmp_path) for c in draw()))
