"""Which layers share an image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deployer.board import Board
from deployer.tools.bench.sweep_layers import SweepLayer

MOST_LAYERS = 32  # of an image: plans of more take longer than images of fewer save
_WEIGHTS = 2  # bytes stored for a weight, about: some kernels have them as int16
_USED = 0.5  # of a memory: the rest is code, tables, stack, the input and its copy


def packs(layers: Sequence[SweepLayer], board: Board) -> Iterator[tuple[SweepLayer, ...]]:
    """Layers of one width together, in their order, as many as the board's memories should hold.

    A layer that is larger than that is alone.
    """
    room = int(_USED * _room(board))
    for bits in dict.fromkeys(layer.bits for layer in layers):
        own = [layer for layer in layers if layer.bits == bits]
        most = -(-len(own) // -(-len(own) // MOST_LAYERS))  # images of like numbers
        yield from _filled(own, most, room)


def _filled(layers: Sequence[SweepLayer], most: int, room: int) -> Iterator[tuple[SweepLayer, ...]]:
    pack: list[SweepLayer] = []
    for layer in layers:
        if pack and (len(pack) == most or _bytes([*pack, layer]) > room):
            yield tuple(pack)
            pack = []
        pack.append(layer)
    if pack:
        yield tuple(pack)


def _bytes(layers: Sequence[SweepLayer]) -> int:
    """About what the layers take: all weights, and the tensors of one."""
    weights = sum(_WEIGHTS * layer.weight_bytes for layer in layers)
    return weights + max(layer.live_bytes for layer in layers)


def _room(board: Board) -> int:
    """Bytes for weights and tensors, which may share a memory."""
    names = {board.place.weights, *board.place.arena}
    return sum(board.memory(name).size for name in names)


def halves(pack: Sequence[SweepLayer]) -> tuple[tuple[SweepLayer, ...], ...]:
    """To be tried where the whole does not fit."""
    middle = len(pack) // 2
    return tuple(pack[:middle]), tuple(pack[middle:])
