"""What tiles change of a schedule: where scratch lies, which bytes may be shared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from deployer.analysis import step_nodes
from deployer.board import Board
from deployer.ir import Graph, Node
from deployer.kernelset import by_symbol
from deployer.schedule import KernelChoice, OverlapOffset, kernel_of, overlap_offset_by
from deployer.tile import overlap_offset_for, room_of, tiled_layer


def kernel_choice(board: Board) -> KernelChoice:
    """Symbol and bytes of scratch in the arena of the kernel of a node on ``board``."""
    room = room_of(board)
    if room is None:
        return kernel_of

    def choose(families: Sequence[str], graph: Graph, node: Node) -> tuple[str, int]:
        symbol, scratch = kernel_of(families, graph, node)
        return symbol, 0 if tiled_layer(graph, node, symbol, room) else scratch

    return choose


def tiled_overlap_offset(
    board: Board, graph: Graph, choose: KernelChoice, cores: int
) -> OverlapOffset:
    """How far the output of a node may lie over an input: where it runs in tiles, these say."""
    symbols = {n.name: choose(board.kernels, graph, n)[0] for n in step_nodes(graph)}
    by_kernel = overlap_offset_by(
        {name: by_symbol(symbol) for name, symbol in symbols.items()}, cores
    )
    room = room_of(board)

    def offset_of(graph: Graph, node: Node, index: int) -> int | None:
        layer = tiled_layer(replace(graph, shares=()), node, symbols.get(node.name, ""), room)
        if layer is None or room is None:
            return by_kernel(graph, node, index)
        return overlap_offset_for(layer, room)

    return offset_of
