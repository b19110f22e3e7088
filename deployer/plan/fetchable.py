"""What a board that fetches weights knows of a schedule: what can be fetched, room, cycles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from deployer.allocate import round_up
from deployer.analysis import launches, lifetimes
from deployer.board import Board, CodeSize
from deployer.ir import Buffer, Graph, Node, Schedule, SliceAttrs, Step
from deployer.kernelset import KernelCase, by_symbol, case_of, code_bytes
from deployer.plan.fit import harness_reserve
from deployer.restructure import model_of, whole_cost
from deployer.schedule import array_key, constant_arrays, weight_layout
from deployer.tile import (
    Traffic,
    Transfer,
    best_tiling,
    divides,
    link_cycles,
    outer_of,
    room_of,
    tiled_layer,
)

ALIGN_BYTES = 8  # of arrays in the outer memory
TABLES_CODE_BYTES = 184  # of a step like another with tables of its own: arguments that name them


@dataclass(frozen=True)
class FetchableArray:
    """Weights that steps in tiles, and no others, copy to the innermost memory, wherever they lie.
    ``step``: the first of them; ``nodes``: all, whose last step is ``until``. ``again``: steps of
    the same layer read it too, and it is fetched for each of them. ``parts``: whether the layer
    can be several, of some of its channels each."""

    step: int
    until: int
    nodes: tuple[str, ...]
    array: str
    bytes: int
    again: bool = False
    parts: bool = True

    @property
    def divides(self) -> bool:
        """Whether the weights are those of one step that can be several."""
        return self.parts and len(self.nodes) == 1 and not self.again


@dataclass(frozen=True, eq=False)
class PrefetchProblem:
    """A schedule on a board whose arena's memory is filled from an outer one. ``code_excess`` as of
    a PlanRequest."""

    schedule: Schedule
    board: Board
    code_excess: int = 0

    @cached_property
    def _arrays(self) -> tuple[tuple[Step, str, np.ndarray], ...]:
        return tuple(constant_arrays(self.schedule))

    @cached_property
    def fetchable(self) -> tuple[FetchableArray, ...]:
        nodes = {node.name: node for node in self.schedule.graph.nodes}
        found: dict[str, FetchableArray] = {}
        for step, key, array in self._arrays:
            if self._copies(step, nodes[step.node], key):
                size, before = round_up(array.nbytes, 4), found.get(key)
                first = before.step if before else step.index
                readers = *(before.nodes if before else ()), step.node
                parts = divides(nodes[step.node])
                found[key] = FetchableArray(first, step.index, readers, key, size, parts=parts)
        readers_of = Counter(key for _, key, _ in self._arrays)
        alone = (item for item in found.values() if readers_of[item.array] == len(item.nodes))
        apart = (each for item in alone for each in self._apart(item, nodes))
        return tuple(sorted(apart, key=lambda item: item.step))

    def _apart(self, item: FetchableArray, nodes: Mapping[str, Node]) -> Iterator[FetchableArray]:
        """``item``, or one for each of the steps that one layer was divided into, as stripes are:
        between them there is room for other weights."""
        origins = {nodes[name].origin for name in item.nodes}
        if len(item.nodes) == 1 or len(origins) > 1 or () in origins:
            yield item
            return
        steps = {step.node: step.index for step in self.schedule.steps}
        for name in item.nodes:
            yield FetchableArray(steps[name], steps[name], (name,), item.array, item.bytes, True)

    def fetched_bytes(self, resident: Container[int] = ()) -> int:
        """Bytes of the arrays that do not stay, each once."""
        rows = enumerate(self.fetchable)
        found = {item.array: item.bytes for i, item in rows if i not in resident}
        return sum(found.values())

    def _copies(self, step: Step, node: Node, key: str) -> bool:
        """Whether ``key`` is weights that ``step`` takes to the innermost memory."""
        layout = weight_layout(step)
        if not layout or key != array_key(node, node.inputs[1], layout):
            return False
        layer = tiled_layer(self.schedule.graph, node, step.kernel, room_of(self.board))
        return layer is not None and bool(layer.group_bytes)

    @cached_property
    def constants(self) -> int:
        """Bytes of all constants."""
        found = {key: array.nbytes for _, key, array in self._arrays}
        return sum(round_up(size, ALIGN_BYTES) for size in found.values())

    @property
    def memory(self) -> str:
        return self.board.place.arena[0]

    @property
    def code_size(self) -> CodeSize:
        """What the board states of its code."""
        assert self.board.code is not None
        return self.board.code

    @property
    def part_cycles(self) -> float:
        """Of a step more, where one is divided."""
        assert self.board.tiles is not None
        return self.board.tiles.part

    @cached_property
    def code(self) -> int:
        """Estimated bytes of the image without constants."""
        steps, kinds = self.schedule.steps, dict(self._kinds())
        kernels = {by_symbol(step.kernel) for step in steps if step.kernel}
        size, runs = self.code_size, sum(bool(step.kernel) for step in steps)
        own = size.step * len(kinds) + size.again * (runs - len(kinds))
        own += TABLES_CODE_BYTES * len(self.tabled - set(kinds.values()))
        named = size.alias * (len(steps) - runs)
        return size.harness + code_bytes(kernels) + own + named + self.code_excess

    @cached_property
    def tabled(self) -> frozenset[str]:
        """Nodes of steps that read constants beside the weights that are fetched."""
        weights = {item.array for item in self.fetchable}
        return frozenset(step.node for step, key, _ in self._arrays if key not in weights)

    def _kinds(self) -> Iterator[tuple[tuple[str, KernelCase], str]]:
        """What steps in tiles that have their code in common are alike in, and the node of each."""
        nodes = {node.name: node for node in self.schedule.graph.nodes}
        for step in self.schedule.steps:
            if step.kernel:
                case = case_of(self.schedule.graph, nodes[step.node])
                yield (step.kernel, replace(case, accumulator_bound=0, lowest_pair=0)), step.node

    @cached_property
    def room(self) -> int:
        """Bytes for the arena and for weights that could be fetched."""
        board = self.board
        fixed = self.constants - self.fetched_bytes()
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
        return tuple(alive_by_step(self.buffers, len(self.schedule.steps)).tolist())

    @cached_property
    def held(self) -> tuple[int, ...]:
        """Bytes by step of weights that a step before needed, too."""
        levels = np.zeros(max(len(self.alive), 1), np.int64)
        for item in self.fetchable:
            levels[item.step + 1 : item.until + 1] += item.bytes
        return tuple(levels.tolist())

    @cached_property
    def cycles(self) -> tuple[float, ...]:
        """Estimated, of each step."""
        nodes = {node.name: node for node in self.schedule.graph.nodes}
        return tuple(self._cycles(step, nodes[step.node]) for step in self.schedule.steps)

    def _cycles(self, step: Step, node: Node) -> float:
        graph, room, outer = self.schedule.graph, room_of(self.board), outer_of(self.board)
        if outer and not graph.outside.isdisjoint((*node.inputs, node.output)):
            moved = isinstance(node.attrs, SliceAttrs)
            return link_cycles(outer[1], graph.values[node.output].bytes) if moved else 0.0
        layer = tiled_layer(graph, node, step.kernel, room)
        if layer is None or room is None:
            whole = whole_cost(graph, node, model_of(self.board)(graph, node))
            return whole / self.board.cores if step.kernel else 0.0
        tiling = best_tiling(layer, room)
        return float(tiling.costs.cycles) if tiling else 0.0

    @cached_property
    def traffic(self) -> Traffic:
        """Everything fetched."""
        return replace(self.untimed, cycles=self.cycles)

    @cached_property
    def untimed(self) -> Traffic:
        """``traffic`` of steps that take no cycles, for what depends on bytes alone: to know cycles
        is to search tiles for every step."""
        outer = outer_of(self.board)
        assert outer is not None
        moved = [
            Transfer(item.step, item.bytes, link_cycles(outer[1], item.bytes))
            for item in self.fetchable
        ]
        entries = [launch.steps[0].index for launch in launches(self.schedule)]
        taken = [alive + held for alive, held in zip(self.alive, self.held, strict=True)]
        return Traffic((0.0,) * len(taken), taken, moved, entries)


def fetches_weights(board: Board) -> bool:
    """Whether weights can lie behind the memory they are read from."""
    return outer_of(board) is not None and board.place.weights == board.place.arena[0]


def weights_overflow(board: Board, graph: Graph) -> bool:
    """Whether the constants alone are too many for the memory they would be fetched into."""
    if not fetches_weights(board):
        return False
    size = board.memory(board.place.weights).size
    return sum(array.nbytes for array in graph.constants.values()) > size


def prefetch_problem(
    schedule: Schedule, board: Board, code_excess: int = 0
) -> PrefetchProblem | None:
    """None where nothing can be fetched."""
    if not fetches_weights(board):
        return None
    found = PrefetchProblem(schedule, board, code_excess)
    return found if found.fetchable else None


def alive_by_step(buffers: Iterable[Buffer], steps: int) -> np.ndarray:
    """Bytes alive by step."""
    levels = np.zeros(max(steps, 1), np.int64)
    for buffer in buffers:
        levels[buffer.lower : buffer.upper] += round_up(buffer.size, 4)
    return levels
