"""What a board that fetches weights knows of a schedule: what can be fetched, room, cycles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from deployer.allocate.problem import round_up
from deployer.analysis.launch import launches
from deployer.analysis.liveness import lifetimes
from deployer.board.model import Board
from deployer.codegen.call import array_key
from deployer.codegen.constants import constant_arrays, weight_layout
from deployer.ir.graph import Node
from deployer.ir.plan import Buffer, Schedule, Step
from deployer.pipeline.fit import harness_reserve
from deployer.restructure.board_cost import model_of
from deployer.restructure.cost import whole_cost
from deployer.tile.room import outer_of, room_of, tiled_layer
from deployer.tile.search import best_tiling
from deployer.tile.stream import Traffic, Transfer, link_cycles

ALIGN = 8  # bytes, of arrays in the outer memory
CODE, CODE_A_KERNEL, CODE_A_STEP = 17 << 10, 6 << 10, 560  # estimated: harness and port; the rest


@dataclass(frozen=True)
class Streamable:
    """Weights that a step in tiles, and no other, copies to the innermost memory, wherever they
    lie."""

    step: int
    node: str
    array: str
    bytes: int


@dataclass(frozen=True, eq=False)
class Streaming:
    """A schedule on a board whose arena's memory is filled from an outer one. ``code_excess`` as of
    a Job."""

    schedule: Schedule
    board: Board
    code_excess: int = 0

    @cached_property
    def streamable(self) -> tuple[Streamable, ...]:
        graph, room = self.schedule.graph, room_of(self.board)
        nodes, found = {node.name: node for node in graph.nodes}, []
        arrays = list(constant_arrays(self.schedule))
        readers = Counter(key for _, key, _ in arrays)
        for step, key, array in arrays:
            node, layout = nodes[step.node], weight_layout(step)
            if readers[key] == 1 and layout and key == array_key(node, node.inputs[1], layout):
                layer = tiled_layer(graph, node, step.kernel, room)
                if layer is not None and layer.group_bytes:
                    found.append(Streamable(step.index, node.name, key, round_up(array.nbytes, 4)))
        return tuple(found)

    @cached_property
    def constants(self) -> int:
        """Bytes of all constants."""
        found = {key: array.nbytes for _, key, array in constant_arrays(self.schedule)}
        return sum(round_up(size, ALIGN) for size in found.values())

    @property
    def memory(self) -> str:
        return self.board.place.arena[0]

    @property
    def code(self) -> int:
        """Estimated bytes of the image without constants."""
        steps = self.schedule.steps
        kernels = {step.kernel for step in steps if step.kernel}
        estimate = CODE + CODE_A_KERNEL * len(kernels) + CODE_A_STEP * len(steps)
        return estimate + self.code_excess

    @property
    def room(self) -> int:
        """Bytes for the arena and for weights that could be fetched."""
        board = self.board
        fixed = self.constants - sum(item.bytes for item in self.streamable)
        used = dict(harness_reserve(board)).get(self.memory, 0)
        used += fixed if board.place.weights == self.memory else 0
        used += self.code if board.place.text == self.memory else 0
        return (board.memory(self.memory).size - used) // 4 * 4

    @cached_property
    def buffers(self) -> tuple[Buffer, ...]:
        """Of the arena, without weights."""
        scratch = {step.node: step.scratch for step in self.schedule.steps}
        return lifetimes(self.schedule.graph, scratch)

    @cached_property
    def alive(self) -> tuple[int, ...]:
        """Bytes of ``buffers`` by step."""
        return tuple(levels_of(self.buffers, len(self.schedule.steps)).tolist())

    @cached_property
    def cycles(self) -> tuple[float, ...]:
        """Estimated, of each step."""
        nodes = {node.name: node for node in self.schedule.graph.nodes}
        return tuple(self._cycles(step, nodes[step.node]) for step in self.schedule.steps)

    def _cycles(self, step: Step, node: Node) -> float:
        graph, room = self.schedule.graph, room_of(self.board)
        layer = tiled_layer(graph, node, step.kernel, room)
        if layer is None or room is None:
            whole = whole_cost(graph, node, model_of(self.board)(graph, node))
            return whole / self.board.cores if step.kernel else 0.0
        tiling = best_tiling(layer, room)
        return float(tiling.costs.cycles) if tiling else 0.0

    @cached_property
    def traffic(self) -> Traffic:
        """Everything fetched."""
        outer = outer_of(self.board)
        assert outer is not None
        moved = [
            Transfer(item.step, item.bytes, link_cycles(outer[1], item.bytes))
            for item in self.streamable
        ]
        entries = [launch.steps[0].index for launch in launches(self.schedule)]
        return Traffic(self.cycles, self.alive, moved, entries)


def streaming(schedule: Schedule, board: Board, code_excess: int = 0) -> Streaming | None:
    """None where nothing can be fetched."""
    if outer_of(board) is None or board.place.weights != board.place.arena[0]:
        return None
    found = Streaming(schedule, board, code_excess)
    return found if found.streamable else None


def levels_of(buffers: Iterable[Buffer], steps: int) -> np.ndarray:
    """Bytes alive by step."""
    levels = np.zeros(max(steps, 1), np.int64)
    for buffer in buffers:
        levels[buffer.lower : buffer.upper] += round_up(buffer.size, 4)
    return levels
