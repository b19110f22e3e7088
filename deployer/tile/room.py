"""What a board gives to tiles, and which steps use it."""

from __future__ import annotations

from dataclasses import replace

from deployer.board import OUTER, Board, Dma, Memory
from deployer.ir import Graph, InvariantError, Node, Schedule
from deployer.kernelset import by_symbol
from deployer.tile.layer import Layer, layer_of
from deployer.tile.overlap import is_alike
from deployer.tile.search import Room, smallest, some_fits
from deployer.tile.transfer import Engine


def room_of(board: Board) -> Room | None:
    """The innermost memory, less the stacks there; None where no engine fills it from the arena's
    memory."""
    arena = board.place.arena[0]
    for memory in board.memories:
        into, out = board.dma(arena, memory.name), board.dma(memory.name, arena)
        if memory.level == 1 and into and out and board.tiles:
            stacks = board.stack_bytes if board.place.stack == memory.name else 0
            engine = Engine(into, out, board.tiles)
            return Room(memory.name, memory.size - stacks, engine, board.cores)
    return None


def tiled_layer(graph: Graph, node: Node, kernel: str, room: Room | None) -> Layer | None:
    """``node`` as the tiler sees it; None when its kernel is to work where the tensors lie: in a
    region, when the kernel cannot be cut, when not even the smallest tile fits."""
    inside = any(node.name in region.nodes for region in graph.regions)
    if room is None or not kernel or inside:
        return None
    layer = layer_of(graph, node, by_symbol(kernel))
    if layer is None or some_fits(layer, room):
        return layer
    serial = replace(layer, serial=True)
    if some_fits(serial, room):
        return serial
    if layer.overlap_offset is not None and not is_alike(layer):
        raise InvariantError(f"{node.name} takes the bytes of its input, which only tiles can")
    return None


def outer_of(board: Board) -> tuple[Memory, Dma] | None:
    """The memory behind the arena's, and what fetches from it; None where there is none."""
    for memory in board.memories:
        dma = board.dma(memory.name, board.place.arena[0])
        if memory.level == OUTER and dma:
            return memory, dma
    return None


def tile_needs(schedule: Schedule, board: Board) -> dict[str, int] | None:
    """Bytes of the innermost memory, its stacks included, that the smallest tile of each step
    needs whose kernel can be cut; None on a board without one."""
    room = room_of(board)
    if room is None:
        return None
    nodes = {node.name: node for node in schedule.graph.nodes}
    stacks = board.memory(room.memory).size - room.size
    inside = {name for region in schedule.graph.regions for name in region.nodes}
    found = {}
    for step in schedule.steps:
        if step.kernel and step.node not in inside:
            layer = layer_of(schedule.graph, nodes[step.node], by_symbol(step.kernel))
            if layer is not None:
                found[step.node] = smallest(replace(layer, serial=True)) + stacks
    return found
