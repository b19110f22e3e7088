"""How each step is cut into tiles. On a flat memory kernels work in the arena itself, so one tile
is enough but for layers of a region, which run in its pieces."""

from __future__ import annotations

from collections.abc import Callable

from deployer.analysis import layout_of, places, require_arena_memories
from deployer.board import Board
from deployer.choices import TilerName
from deployer.errors import FitError, UsageError
from deployer.ir import Graph, InvariantError, MemoryPlan, Schedule, StepTiles, TilePlan, Tiling
from deployer.tile.alternatives import gathered_tiling, serial_tiling, whole_tiling
from deployer.tile.dory import dory_tiling, size_tiling
from deployer.tile.first_tile import with_prefetch
from deployer.tile.layer import Layer
from deployer.tile.room import room_of, tiled_layer
from deployer.tile.search import Room, best_tiling
from deployer.units import format_bytes

Tiler = Callable[[Layer, Room], Tiling | None]
TILERS: dict[TilerName, Tiler] = {
    TilerName.COST: best_tiling,
    TilerName.DORY: dory_tiling,
    TilerName.SIZE: size_tiling,
}


def tile(
    schedule: Schedule, plan: MemoryPlan, board: Board, *, tiler: Tiler = best_tiling
) -> TilePlan:
    """The tiles of each step: those of fewest estimated cycles where ``board`` has an inner memory
    and the kernel can be cut; the pieces of a region; else one, the whole output, where ``plan``
    has put it. ``tiler`` picks the tiles of a layer.

    The plan may have been edited by hand. Raises UsageError when it lacks a step's output or names
    a memory ``board`` does not give to arenas, FitError when it needs more than a memory has.
    """
    _check_heights(schedule, plan, board)
    graph = schedule.graph
    placed, buffers, pieces = (
        {p.buffer.id for p in plan.placements},
        _buffers(graph),
        _pieces(graph),
    )
    nodes = {node.name: node for node in graph.nodes}
    room = room_of(board)
    tiles: list[list[StepTiles]] = []
    for step in schedule.steps:
        output = nodes[step.node].output
        if output not in graph.spilled and buffers[output] not in placed:
            raise UsageError(f"the memory plan has no place for {output}, written by {step.node}")
        layer = tiled_layer(graph, nodes[step.node], step.kernel, room)
        if room is not None and layer is not None:
            tiles.append(_options(step.node, layer, room, tiler))
            continue
        shape, count = pieces.get(output, (graph.values[output].shape, 1))
        tiles.append([StepTiles(step.node, shape, count)])
    if room is None:
        return TilePlan(tuple(only for (only,) in tiles))
    waiting = frozenset(dict(plan.prefetch.stalls)) if plan.prefetch else frozenset[str]()
    return TilePlan(with_prefetch(tiles, graph, room, waiting))


def _options(node: str, layer: Layer, room: Room, tiler: Tiler) -> list[StepTiles]:
    """The choice of ``tiler``; beside the best tiles a single one, and the best with their
    output in one place, by which neighbours may gain; and tiles beside which nothing moves."""
    found = [_cut(node, layer, tiler(layer, room))]
    if tiler is not best_tiling:
        return found
    best = found[0].tiling
    others = (
        whole_tiling(layer, room),
        best and gathered_tiling(layer, best, room),
        best and serial_tiling(layer, best, room),
    )
    return [*found, *(_cut(node, layer, other) for other in others if other)]


def _cut(node: str, layer: Layer, tiling: Tiling | None) -> StepTiles:
    if tiling is None:
        raise InvariantError(f"{node} fits no tile, though its smallest one does")
    largest = (1, tiling.rows.tile, tiling.columns.tile, tiling.channels.tile)
    return StepTiles(node, largest, tiling.count, tiling)


def _buffers(graph: Graph) -> dict[str, str]:
    """The buffer of every value: its own, or one it shares."""
    found = {name: place.buffer for name, place in places(graph).items()}
    for region in graph.regions:
        for name, slot in layout_of(graph, region).slots.items():
            found[name] = found.get(slot.owner, slot.owner)
    return found


def _pieces(graph: Graph) -> dict[str, tuple[tuple[int, ...], int]]:
    """Largest piece of every value a region writes, and how many there are."""
    found: dict[str, tuple[tuple[int, ...], int]] = {}
    for region in graph.regions:
        layout = layout_of(graph, region)
        extents: dict[str, list[tuple[int, int]]] = {}
        for piece in layout.pieces():
            tall, wide = (end - begin for begin, end in (piece.rows, piece.columns))
            extents.setdefault(piece.value, []).append((tall, wide))
        for value, each in extents.items():
            largest = map(max, zip(*each, strict=True))
            found[value] = (1, *largest, layout.most_channels(value)), len(each)
    return found


def _check_heights(schedule: Schedule, plan: MemoryPlan, board: Board) -> None:
    require_arena_memories(plan, board)
    for memory, height in plan.heights:
        if height > (size := board.memory(memory).size):
            raise FitError(
                f"{schedule.graph.name} does not fit {memory!r} on {board.name}",
                why=[f"the plan needs {format_bytes(height)} of {format_bytes(size)}"],
                hints=["change the offsets, or run again from the allocate stage"],
            )
