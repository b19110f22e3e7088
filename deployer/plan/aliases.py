"""Steps in order, with the bytes that values share where that serves the board."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, wraps

from deployer.allocate import Problem, solve
from deployer.analysis import lifetimes
from deployer.board import Board
from deployer.choices import Objective, Sharing
from deployer.ir import Graph, Schedule
from deployer.plan.fetchable import weights_overflow
from deployer.plan.fit import some_arena_fits
from deployer.plan.request import PlanRequest
from deployer.plan.room import fits_with_prefetch
from deployer.plan.tile_aliases import kernel_choice, tiled_overlap_offset
from deployer.plan.tile_kernels import with_tile_kernels
from deployer.schedule import KernelChoice, OverlapOffset, schedule
from deployer.tile import room_of

AliasPolicy = Callable[[Graph, PlanRequest], Schedule]


def aliased(graph: Graph, request: PlanRequest) -> Schedule:
    """The steps of ``graph``. Values share bytes if the request says so, unless the arena would be
    larger, or would no longer divide among the board's memories. Outputs of steps in tiles lie over
    their inputs only where memory is short, since that binds the order of the tiles."""
    first, *others = policies(request)
    found = first(graph, request)
    if others and not fits_with_prefetch(found, request):
        return others[0](graph, request)
    return found


def policies(request: PlanRequest) -> tuple[AliasPolicy, ...]:
    """To schedule a graph, those first that bind least."""
    if request.limits.share == Sharing.OFF or room_of(request.target) is None:
        return (whole_tensor_aliases,)
    if request.limits.optimize == Objective.RAM:
        return (tile_order_aliases,)
    return (whole_tensor_aliases, tile_order_aliases)


def _in_tiles(policy: AliasPolicy) -> AliasPolicy:
    """``policy`` with the kernels of what runs in tiles."""

    @wraps(policy)
    def scheduled(graph: Graph, request: PlanRequest) -> Schedule:
        return with_tile_kernels(policy(graph, request), request.target)

    return scheduled


@_in_tiles
def whole_tensor_aliases(graph: Graph, request: PlanRequest) -> Schedule:
    """With the aliases that kernels allow on whole tensors. Weights that are fetched take what is
    idle, where they must be."""
    target = request.target
    if request.limits.share == Sharing.OFF:
        return schedule(graph, target.kernels, choose=kernel_choice(target))
    if weights_overflow(target, graph):
        choose = kernel_choice(target)
        return schedule(
            graph, target.kernels, choose=choose, share=True, cores=request.cores, copying=False
        )
    return _on_whole_tensors(graph, _Asked(request.board, target, request.cores))


@dataclass(frozen=True)
class _Asked:
    """What aliases depend on of a request. Boards hold tables, which have no hash."""

    board: Board = field(hash=False)
    target: Board = field(hash=False)
    cores: int


@lru_cache(maxsize=2)
def _on_whole_tensors(graph: Graph, asked: _Asked) -> Schedule:
    """A plan asks for the same graph several times: whether it fits, and then for its steps."""
    return _aliased(graph, asked, kernel_choice(asked.target))


@_in_tiles
def tile_order_aliases(graph: Graph, request: PlanRequest) -> Schedule:
    """With those that bind the order of tiles, too."""
    choose = kernel_choice(request.target)
    offset_of = tiled_overlap_offset(request.target, graph, choose, request.cores)
    asked = _Asked(request.board, request.target, request.cores)
    return _aliased(graph, asked, choose, offset_of)


def _aliased(
    graph: Graph, asked: _Asked, choose: KernelChoice, offset_of: OverlapOffset | None = None
) -> Schedule:
    """``offset_of``: None for what kernels allow on whole tensors."""
    families = asked.target.kernels
    found = schedule(
        graph, families, choose=choose, share=True, cores=asked.cores, offset_of=offset_of
    )
    if not found.graph.shares:
        return found
    plain = schedule(graph, families, choose=choose)
    if arena_in_one_memory(found) > arena_in_one_memory(plain):
        return plain
    if some_arena_fits(found, asked.board) or not some_arena_fits(plain, asked.board):
        return found
    return plain


def arena_in_one_memory(found: Schedule, graph: Graph | None = None) -> int:
    """Bytes in one memory of the steps, of ``graph`` with the same nodes if given."""
    scratch = {step.node: step.scratch for step in found.steps}
    buffers = lifetimes(found.graph if graph is None else graph, scratch)
    total = sum(buffer.size + 4 for buffer in buffers)
    return solve(Problem(buffers, (("arena", total),))).arena
