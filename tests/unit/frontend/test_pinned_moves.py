"""Orders of elements as moves: which moves, in which shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest

from deployer.frontend.express import express
from deployer.frontend.rearrangement import Move, applied
from deployer.frontend.transposes import transposes_for
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"
Told = tuple[str, tuple[Move, ...] | None]


def turns() -> Iterator[Told]:
    for sizes in ([2, 3, 5, 7], [2, 2, 3, 2], [3, 2, 2, 6], [2, 3, 3, 4]):
        for order in permutations(range(4)):
            yield f"{sizes} {order}", transposes_for(sizes, order)
    for sizes, order in (
        ([3, 2, 4, 2, 5], (0, 2, 1, 3, 4)), ([3, 2, 4, 2, 5], (0, 2, 4, 1, 3)),
        ([4, 2, 5, 3, 2], (0, 2, 1, 3, 4)), ([3, 4, 2, 2, 5], (0, 2, 1, 3, 4)),
        ([3, 4, 2, 2, 5], (0, 3, 1, 4, 2)), ([3, 4, 5, 2, 2], (0, 3, 1, 4, 2)),
        ([3, 4, 5, 2, 2], (0, 4, 1, 3, 2)),
    ):  # fmt: skip
        yield f"{sizes} {order}", transposes_for(sizes, order)


SHAPES = ((4, 6, 2), (3, 4, 4), (2, 9, 2))
ORDERS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "all": lambda x: x,
    "without the first row": lambda x: x[1:],
    "without the last column": lambda x: x[:, :-1],
    "one channel": lambda x: x[..., 1],
    "every second column": lambda x: x[:, ::2],
    "every second column, from the second": lambda x: x[:, 1::2],
    "every third row and second column": lambda x: x[::3, ::2],
    "turned round": lambda x: x[::-1],
    "turned round twice": lambda x: x[::-1, ::-1],
    "turned over": lambda x: x.transpose(1, 0, 2),
    "channels first": lambda x: x.transpose(2, 0, 1),
    "twice each column": lambda x: x.repeat(2, 1),
    "twice over": lambda x: np.tile(x, (2, 1, 1)),
    "thrice each row, twice each channel": lambda x: x.repeat(3, 0).repeat(2, 2),
    "rolled": lambda x: np.roll(x, 1, 1),
    "picked": lambda x: x[:, [3, 0, 1, 2]],
    "picked twice": lambda x: x[:, [3, 0, 3]][..., [1, 0]],
    "picked, every second": lambda x: x[:, [2, 0]],
    "picked and repeated": lambda x: x[:, [3, 0, 1]].repeat(2, 1),
    "one row turned round": lambda x: x[0, ::-1],
    "rows, then columns backwards": lambda x: x[:, ::-1].transpose(1, 0, 2),
    "the last element": lambda x: x[-1, -1, -1:],
    "the last element, four times": lambda x: x[-1, -1, -1:].repeat(4),
    "a diagonal": lambda x: x.reshape(-1)[:: x.shape[2] + 1],
    "at random": lambda x: np.random.default_rng(1).permutation(x.reshape(-1)),
}


def orders() -> Iterator[Told]:
    for (name, order), shape in product(ORDERS.items(), SHAPES):
        source = np.arange(np.prod(shape)).reshape(shape)
        places = np.ascontiguousarray(order(source)).reshape(-1)
        moves = express(source.size, places)
        if moves is not None:
            np.testing.assert_array_equal(applied(moves, np.arange(source.size)), places)
        yield f"{shape} {name}", moves


@pytest.mark.parametrize("draw", [turns, orders])
def test_moves_are_those_pinned(draw: Callable[[], Iterator[Told]]) -> None:
    lines = [f"{told}: {_said(moves)}" for told, moves in draw()]
    pinned(FOLDER / f"moves-{draw.__name__}.txt", "\n".join(lines))


def _said(moves: tuple[Move, ...] | None) -> str:
    return "none" if moves is None else "".join(f"\n    {move}" for move in moves)
