"""Which kernels find their scratch beside the tiles instead of in the arena."""

from __future__ import annotations

from collections.abc import Sequence

from deployer.board.model import Board
from deployer.ir.graph import Graph, Node
from deployer.schedule.order import KernelChoice, kernel_of
from deployer.tile.room import room_of, tiled_layer


def kernel_choice(board: Board) -> KernelChoice:
    """Symbol and bytes of scratch in the arena of the kernel of a node on ``board``."""
    room = room_of(board)
    if room is None:
        return kernel_of

    def choose(families: Sequence[str], graph: Graph, node: Node) -> tuple[str, int]:
        symbol, scratch = kernel_of(families, graph, node)
        return symbol, 0 if tiled_layer(graph, node, symbol, room) else scratch

    return choose
