"""An order of many axes by operators that know few: Transposes of three axes, and blocks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from deployer.frontend.rearrangement import Blocks, Move, Transpose

Order = tuple[int, ...]
_MAX_AXES = 6  # 720 orders; one axis more takes seconds
_MAX_MOVES = 3
_PERMS = tuple(perm for perm in itertools.permutations(range(3)) if perm != (0, 1, 2))


def transposes_for(sizes: Sequence[int], order: Order) -> tuple[Move, ...] | None:
    """The fewest moves that take axes of ``sizes`` to ``order``; None where that needs many.

    A last axis that stays last may hold one of a block's: then it is seen as two.
    """
    plain = _searched(sizes, order)
    if plain is not None and len(plain) <= 1:
        return plain
    candidates = [
        plain,
        *(_searched(*_halved(sizes, order, part)) for part in _parts(sizes, order)),
    ]
    return min((found for found in candidates if found is not None), key=len, default=None)


def _parts(sizes: Sequence[int], order: Order) -> list[int]:
    if order[-1] != len(sizes) - 1:
        return []
    return [part for part in sorted(set(sizes[:-1])) if part > 1 and sizes[-1] % part == 0]


def _halved(sizes: Sequence[int], order: Order, part: int) -> tuple[list[int], Order]:
    return [*sizes[:-1], part, sizes[-1] // part], (*order, len(sizes))


def _searched(sizes: Sequence[int], order: Order) -> tuple[Move, ...] | None:
    if len(sizes) > _MAX_AXES:
        return None
    start = tuple(range(len(sizes)))
    found: dict[Order, tuple[Move, ...]] = {start: ()}
    front = [start]
    for _ in range(_MAX_MOVES):
        if order in found:
            break
        front = _next(sizes, front, found)
    return found.get(order)


def _next(
    sizes: Sequence[int], front: Sequence[Order], found: dict[Order, tuple[Move, ...]]
) -> list[Order]:
    """The orders that one more move reaches first."""
    fresh = []
    for state in front:
        for reached, move in (*_blocks(sizes, state), *_transposes(sizes, state)):
            if reached not in found:
                found[reached] = (*found[state], move)
                fresh.append(reached)
    return fresh


def _transposes(sizes: Sequence[int], state: Order) -> Iterator[tuple[Order, Move]]:
    for groups in _split(state, 3):
        shape = tuple(_size(sizes, group) for group in groups)
        for perm in _PERMS:
            yield _joined(groups, perm), Transpose(shape, perm)


def _blocks(sizes: Sequence[int], state: Order) -> Iterator[tuple[Order, Move]]:
    """SpaceToDepth and DepthToSpace, wherever two axes of one size can be a block's."""
    for groups in _split(state, 5):
        n = [_size(sizes, group) for group in groups]
        if n[1] == n[3]:
            shape = (n[0] * n[1], n[2] * n[3], n[4])
            yield _joined(groups, (0, 2, 1, 3, 4)), Blocks(shape, n[1], False, False)
            yield _joined(groups, (0, 2, 4, 1, 3)), Blocks(shape, n[1], True, False)
        if n[2] == n[3]:
            shape = (n[0], n[1], n[2] * n[3] * n[4])
            yield _joined(groups, (0, 2, 1, 3, 4)), Blocks(shape, n[2], False, True)
        if n[3] == n[4]:
            shape = (n[0], n[1], n[2] * n[3] * n[4])
            yield _joined(groups, (0, 3, 1, 4, 2)), Blocks(shape, n[3], True, True)


def _split(state: Order, count: int) -> Iterator[tuple[Order, ...]]:
    """``state`` as ``count`` runs of axes, of which some may be empty."""
    cuts = itertools.combinations_with_replacement(range(len(state) + 1), count - 1)
    for ends in cuts:
        edges = (0, *ends, len(state))
        yield tuple(state[a:b] for a, b in itertools.pairwise(edges))


def _joined(groups: Sequence[Order], perm: Sequence[int]) -> Order:
    return tuple(axis for i in perm for axis in groups[i])


def _size(sizes: Sequence[int], group: Order) -> int:
    return math.prod(sizes[axis] for axis in group)
