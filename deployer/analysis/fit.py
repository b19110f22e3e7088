"""Does all of it fit the board? Answered before any compiler runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from deployer.analysis.alternatives import arena_room, boards_with_room, weight_room
from deployer.analysis.cost import GraphCost, graph_cost
from deployer.board import Board
from deployer.choices import Word
from deployer.errors import FitError, UsageError
from deployer.ir import Graph, MemoryPlan, PrefetchPlan, Schedule
from deployer.units import format_bytes

CODE_RESERVE_BYTES = 32 << 10  # estimated: harness, port, kernels, C library
_MAX_SHOWN = 4  # layers named
_NOTHING: Mapping[str, int] = MappingProxyType({})


class Certainty(Word):
    """``PLANNED``: no more than this."""

    PLANNED = "planned"
    ESTIMATED = "estimated"


@dataclass(frozen=True)
class Claim:
    """``bytes`` of ``memory`` for ``what``."""

    memory: str
    what: str
    bytes: int
    kind: Certainty = Certainty.PLANNED


@dataclass(frozen=True)
class FitRow:
    """One memory: ``used`` of ``size`` bytes. One estimated part makes ``kind`` estimated."""

    memory: str
    used: int
    size: int
    kind: Certainty
    holds: str

    @property
    def excess(self) -> int:
        """Bytes too many; negative is what is left."""
        return self.used - self.size


@dataclass(frozen=True)
class FitReport:
    """A row per memory of the board, in its order."""

    rows: tuple[FitRow, ...]

    @property
    def fits(self) -> bool:
        return all(row.excess <= 0 for row in self.rows)


def check_fit(
    schedule: Schedule,
    plan: MemoryPlan,
    board: Board,
    *,
    reserved: Mapping[str, int],
    input_copy: Mapping[str, int] = _NOTHING,
    code_reserve: int = CODE_RESERVE_BYTES,
) -> FitReport:
    """The report of a plan that fits.

    The plan may come from an edited file. Raises UsageError when it names a memory the board does
    not give to arenas, FitError naming every memory that is too small and the largest weights.
    """
    report = fit_report(
        schedule,
        plan,
        board,
        reserved=reserved,
        input_copy=input_copy,
        code_reserve=code_reserve,
    )
    if not report.fits:
        raise too_small(schedule.graph, board, report)
    return report


def fit_report(
    schedule: Schedule,
    plan: MemoryPlan,
    board: Board,
    *,
    reserved: Mapping[str, int],
    input_copy: Mapping[str, int] = _NOTHING,
    code_reserve: int = CODE_RESERVE_BYTES,
) -> FitReport:
    """Arena, ``reserved`` (stack and static data), the harness's copy of the inputs (bytes per
    memory, both) and constants, whether they fit or not. Raises UsageError as ``check_fit`` does.
    """
    require_arena_memories(plan, board)
    constants = constant_claims(graph_cost(schedule.graph), board, code_reserve)
    if plan.prefetch:
        constants = prefetch_claims(plan.prefetch, board)
    claims = (
        *ram_claims(plan, board, reserved),
        *(Claim(memory, "input copy", size) for memory, size in input_copy.items()),
        *constants,
        *spill_claims(plan),
    )
    return FitReport(tuple(_row(board, m.name, claims) for m in board.memories))


def ram_claims(plan: MemoryPlan, board: Board, reserved: Mapping[str, int]) -> Iterator[Claim]:
    """The arena, the stack, and what else is reserved, which only the linker knows exactly."""
    for memory, height in plan.heights:
        yield Claim(memory, "arena", height)
    for memory, size in plan.copies.items():
        yield Claim(memory, "copied weights", size)
    for memory, size in reserved.items():
        stack = min(size, board.stack_bytes) if memory == board.place.stack else 0
        yield Claim(memory, "stack", stack)
        yield Claim(memory, "static data", size - stack, Certainty.ESTIMATED)


def constant_claims(cost: GraphCost, board: Board, code_reserve: int) -> Iterator[Claim]:
    """Weights, requantization constants and code."""
    yield Claim(board.place.weights, "weights", cost.weights)
    yield Claim(board.place.weights, "requantization", cost.requant)
    yield Claim(board.place.text, "code", code_reserve, Certainty.ESTIMATED)


def prefetch_claims(prefetch: PrefetchPlan, board: Board) -> Iterator[Claim]:
    """The same where some weights are fetched while the network runs."""
    yield Claim(board.place.weights, "constants", prefetch.resident)
    yield Claim(board.place.text, "code", prefetch.code, Certainty.ESTIMATED)
    yield Claim(prefetch.memory, "weights", prefetch.bytes)


def spill_claims(plan: MemoryPlan) -> Iterator[Claim]:
    """What is spilled."""
    if plan.spills is not None:
        yield Claim(plan.spills.memory, "spilled activations", plan.spills.bytes)


def constant_reserve(
    graph: Graph, board: Board, *, code_reserve: int = CODE_RESERVE_BYTES
) -> dict[str, int]:
    """Bytes of weights and code per memory: less room for an arena that shares their memory."""
    reserve: dict[str, int] = {}
    for claim in constant_claims(graph_cost(graph), board, code_reserve):
        reserve[claim.memory] = reserve.get(claim.memory, 0) + claim.bytes
    return reserve


def _row(board: Board, memory: str, claims: tuple[Claim, ...]) -> FitRow:
    own = [claim for claim in claims if claim.memory == memory and claim.bytes]
    estimated = any(claim.kind == Certainty.ESTIMATED for claim in own)
    holds = ", ".join(
        f"{claim.what} {claim.bytes:,}{' (estimated)' if claim.kind == Certainty.ESTIMATED else ''}"
        for claim in own
    )
    used = sum(claim.bytes for claim in own)
    kind = Certainty.ESTIMATED if estimated else Certainty.PLANNED
    return FitRow(memory, used, board.memory(memory).size, kind, holds)


def require_arena_memories(plan: MemoryPlan, board: Board) -> None:
    """Raise UsageError when ``plan``, maybe edited by hand, uses another memory."""
    for memory, _ in plan.heights:
        if memory not in board.place.arena:
            raise UsageError(
                f"the memory plan uses {memory!r}, which is no arena memory of {board.name}",
                hints=[f"arena memories: {', '.join(board.place.arena)}"],
            )


def too_small(graph: Graph, board: Board, report: FitReport) -> FitError:
    """The error of a report that does not fit."""
    full = [row for row in report.rows if row.excess > 0]
    names = " and ".join(f"'{row.memory}'" for row in full)
    why = [line for row in full for line in _row_lines(row)]
    weights_too_many = board.place.weights in {row.memory for row in full}
    if weights_too_many:
        why.append(f"largest weights: {largest_weights(graph_cost(graph))}")
    return FitError(
        f"{graph.name} does not fit {names} on {board.name}",
        why=why,
        hints=list(_hints(board, report, weights_too_many)),
    )


def _row_lines(row: FitRow) -> tuple[str, str]:
    need = f"needs {format_bytes(row.used)} of {format_bytes(row.size)} ({row.excess:,} too many)"
    return need, f"{row.memory} holds {row.holds}"


def largest_weights(cost: GraphCost) -> str:
    """The layers of most constants with their bytes, the rest summed up."""
    layers = sorted((node for node in cost.nodes if node.bytes), key=lambda node: -node.bytes)
    parts = [f"{node.node} {node.bytes:,}" for node in layers[:_MAX_SHOWN]]
    if rest := layers[_MAX_SHOWN:]:
        parts.append(f"{len(rest)} more {sum(node.bytes for node in rest):,}")
    return "  ".join(parts)


def _hints(board: Board, report: FitReport, weights_too_many: bool) -> Iterator[str]:
    """Fewer weights when they are part of it; a smaller input otherwise."""
    if weights_too_many:
        yield "fewer channels in the largest layers: weights shrink with the square"
    else:
        yield "a smaller input: every tensor of the arena shrinks with it"
    needed = max(row.used for row in report.rows if row.excess > 0)
    room = weight_room if weights_too_many else arena_room
    if larger := boards_with_room(needed, room, but=board.name):
        yield f"a board with more room: {', '.join(larger)}"
