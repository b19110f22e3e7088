"""Which layers share an image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deployer.board import Board
from deployer.tools.bench.sweep_layers import SweepLayer

MOST_LAYERS = 32  # of an image: plans of more take longer than images of fewer save
_WEIGHTS = 2  # bytes stored for a weight, about: some kernels have them as int16
_USED = 0.5  # of a memory: the rest is code, tables, stack, the input and its copy
_USED_TIGHT = 0.75  # of the memory beside the caches: the rest is stack, scratch and the source


def packs(layers: Sequence[SweepLayer], board: Board) -> Iterator[tuple[SweepLayer, ...]]:
    """Layers of one width together, in their order, as many as the board's memories should hold.

    Those whose tensors fit in the memory beside the caches share no image with larger ones, so
    that the allocator places each as in a network of its own. A layer that is larger than the
    room of an image is alone.
    """
    room, tight = int(_USED * _room(board)), int(_USED_TIGHT * _tight(board))
    alike: dict[tuple[int, bool], list[SweepLayer]] = {}
    for layer in layers:
        alike.setdefault((layer.bits, layer.live_bytes <= tight), []).append(layer)
    for own in alike.values():
        most = -(-len(own) // -(-len(own) // MOST_LAYERS))  # images of like numbers
        yield from _filled(own, most, room)


def _tight(board: Board) -> int:
    """Bytes of the memory beside the caches; 0 where the arena never lies in one."""
    name = board.timing.tight if board.timing else ""
    return board.memory(name).size if name in board.place.arena else 0


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
