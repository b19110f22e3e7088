"""What an allocator solves: buffers with lifetimes, memories with capacities, an alignment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from deployer.allocate.table import Row, read_rows, write_rows
from deployer.allocate.waits import wait_costs
from deployer.analysis import Peak, buffer_traffic, lifetimes, live_peak, step_nodes
from deployer.board import Board
from deployer.errors import UsageError
from deployer.ir import Buffer, InvariantError, MemoryPlan, Placement, PlanStatus, Schedule
from deployer.kernelset import alignment_of
from deployer.printed import label

ALIGNMENT_BYTES = 4  # kernels load words


@dataclass(frozen=True)
class Problem:
    """``capacities``: bytes free for the arena per memory, tried in this order.

    Offsets and heights are multiples of ``alignment``, so a buffer takes its size rounded up.
    ``costs``, if any: what each buffer costs per memory, such as accesses times cycles; the plan of
    the least sum is sought. Without them a buffer costs the same wherever it lies.
    """

    buffers: tuple[Buffer, ...]
    capacities: tuple[tuple[str, int], ...]
    alignment: int = ALIGNMENT_BYTES
    costs: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        ids = [buffer.id for buffer in self.buffers]
        if len(set(ids)) != len(ids):
            raise InvariantError("two buffers of one id")
        shape = [len(self.capacities)] * len(self.buffers)
        if self.costs and [len(row) for row in self.costs] != shape:
            raise InvariantError("costs are not one per buffer and memory")

    def cost(self, plan: MemoryPlan) -> int:
        """What ``plan`` costs: the sum over its buffers of their cost where they lie."""
        index = {name: k for k, name in enumerate(self.memories)}
        rows = dict(zip((buffer.id for buffer in self.buffers), self.costs, strict=False))
        return sum(rows[p.buffer.id][index[p.memory]] for p in plan.placements) if rows else 0

    @property
    def memories(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.capacities)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Bytes each buffer takes."""
        return tuple([round_up(buffer.size, self.alignment) for buffer in self.buffers])

    @cached_property
    def peak(self) -> Peak:
        """The live-set bound, of rounded sizes; its buffers are the problem's own."""
        sizes = {b.id: size for b, size in zip(self.buffers, self.sizes, strict=True)}
        peak = live_peak(replace(b, size=sizes[b.id]) for b in self.buffers)
        real = {buffer.id: buffer for buffer in self.buffers}
        return replace(peak, alive=tuple(real[buffer.id] for buffer in peak.alive))

    @cached_property
    def bound(self) -> int:
        """Bytes below which there is no plan, over all memories together: ``peak.bytes``."""
        lowers, uppers = [b.lower for b in self.buffers], [b.upper for b in self.buffers]
        return live_bound(lowers, uppers, self.sizes)

    def placements(
        self, offsets: tuple[int, ...], memories: tuple[str, ...]
    ) -> tuple[Placement, ...]:
        """Offset and memory per buffer, in the order of ``buffers``."""
        rows = zip(self.buffers, memories, offsets, strict=True)
        return tuple(Placement(buffer, memory, offset) for buffer, memory, offset in rows)


def live_bound(lowers: Sequence[int], uppers: Sequence[int], sizes: Sequence[int]) -> int:
    """The largest sum of sizes alive in one step."""
    change: dict[int, int] = {}
    for lower, upper, size in zip(lowers, uppers, sizes, strict=True):
        change[lower] = change.get(lower, 0) + size
        change[upper] = change.get(upper, 0) - size
    total = bound = 0
    for step in sorted(change):
        total += change[step]
        bound = max(bound, total)
    return bound


def problem_of(
    schedule: Schedule,
    board: Board,
    *,
    reserved: Mapping[str, int] | None = None,
    alignment: int = 0,
) -> Problem:
    """The arena of ``schedule`` on ``board``; ``reserved`` bytes per memory are taken already;
    ``alignment`` 0 is what the board's kernels want.

    It has costs where the board states what its memories wait: estimated cycles.
    """
    _check_steps(schedule)
    alignment = alignment or alignment_of(board.kernels)
    scratch = {step.node: step.scratch for step in schedule.steps}
    taken = reserved or {}
    capacities = tuple(
        (name, _floor(board.memory(name).size - taken.get(name, 0), alignment))
        for name in board.place.arena
    )
    buffers = lifetimes(schedule.graph, scratch)
    traffic = buffer_traffic(schedule.graph, scratch)
    costs = wait_costs(buffers, board.place.arena, board, traffic)
    return Problem(buffers, capacities, alignment, costs)


def round_up(size: int, alignment: int) -> int:
    """The least multiple of ``alignment`` that is not below ``size``."""
    return -(-size // alignment) * alignment


def _floor(room: int, alignment: int) -> int:
    return max(room, 0) // alignment * alignment


def _check_steps(schedule: Schedule) -> None:
    """Lifetimes come from the graph's order, so the steps must be the graph's."""
    expected = [node.name for node in step_nodes(schedule.graph)]
    if [step.node for step in schedule.steps] != expected:
        raise InvariantError("the schedule's steps are not its graph's nodes in order")


def problem_to_csv(problem: Problem) -> str:
    """The buffers, places unknown."""
    return write_rows((Row(buffer) for buffer in problem.buffers), memory=False)


def problem_from_csv(
    text: str,
    *,
    capacities: tuple[tuple[str, int], ...] = (),
    alignment: int = ALIGNMENT_BYTES,
) -> Problem:
    """The buffers of a table; offsets are ignored. Without ``capacities`` one arena holds all."""
    buffers = tuple(row.buffer for row in read_rows(text))
    total = sum(round_up(buffer.size, alignment) for buffer in buffers)
    return Problem(buffers, capacities or (("arena", total),), alignment)


def plan_to_csv(plan: MemoryPlan) -> str:
    """Every buffer with its offset, and its memory if the plan uses several."""
    named = (replace(p, buffer=replace(p.buffer, id=label(p.buffer.id))) for p in plan.placements)
    rows = (Row(p.buffer, p.offset, p.memory) for p in named)
    return write_rows(rows, memory=len(plan.heights) > 1)


def plan_with_csv(plan: MemoryPlan, text: str, *, alignment: int = ALIGNMENT_BYTES) -> MemoryPlan:
    """``plan`` with the places of a table: itself when they are the same.

    Raises UsageError unless the table has the plan's buffers, each with an offset. Whether the
    places are allowed is validate's to say.
    """
    rows = {row.buffer.id: row for row in read_rows(text)}
    _check_buffers(plan, rows)
    placements = tuple(_moved(p, rows[label(p.buffer.id)]) for p in plan.placements)
    if placements == plan.placements:
        return plan
    heights = heights_of(placements, tuple(name for name, _ in plan.heights), alignment)
    proven = sum(height for _, height in heights) == plan.bound
    return replace(
        plan,
        placements=placements,
        heights=heights,
        status=PlanStatus.OPTIMAL if proven else PlanStatus.FEASIBLE,
        solver="table",
        waits=None,
    )


def heights_of(
    placements: tuple[Placement, ...], memories: tuple[str, ...], alignment: int
) -> tuple[tuple[str, int], ...]:
    """Arena bytes of every memory in use: ``memories`` in their order, then others by name."""
    ends = {p.memory: 0 for p in placements}
    for p in placements:
        ends[p.memory] = max(ends[p.memory], round_up(p.offset + p.buffer.size, alignment))
    order = [*memories, *sorted(set(ends) - set(memories))]
    return tuple((name, ends[name]) for name in order if name in ends)


def _check_buffers(plan: MemoryPlan, rows: Mapping[str, Row]) -> None:
    own = {label(p.buffer.id): replace(p.buffer, id=label(p.buffer.id)) for p in plan.placements}
    why = [f"{name}: not in the plan" for name in rows if name not in own]
    why += [f"{name}: missing" for name in own if name not in rows]
    for name in own.keys() & rows.keys():
        if rows[name].buffer != own[name]:
            why.append(f"{name}: lifetime or size differ from the plan")
        if rows[name].offset is None:
            why.append(f"{name}: no offset")
    if why:
        raise UsageError(
            "the allocation table is not one of this plan",
            why=sorted(why),
            hints=["change offsets and memories only, or run again from the allocate stage"],
        )


def _moved(placement: Placement, row: Row) -> Placement:
    offset = placement.offset if row.offset is None else row.offset
    return replace(placement, offset=offset, memory=row.memory or placement.memory)
