"""Plans of which none is both smaller and faster than another: arena against estimated cycles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from deployer.choices import KernelPolicy, Restructuring
from deployer.ir import Graph, Region, Schedule, verify
from deployer.plan.aliases import aliased, arena_in_one_memory
from deployer.plan.kernel_code import within_code
from deployer.plan.kernels import fastest, stored_bytes
from deployer.plan.price import Price
from deployer.plan.request import PlanRequest
from deployer.plan.room import fits_with_prefetch
from deployer.restructure import Offer, Planner, Restructured, filled, offers_of, within_scratch
from deployer.schedule import schedule
from deployer.tile import room_of

PlannerOf = Callable[[Graph], Planner]
SCRATCH_BYTES = (float("inf"), 8192, 4096, 2048, 1024, 512, 256, 0)  # most of a kernel's
NEARLY = 1.05  # times a limit: plans that cheaper kernels may bring below it


@dataclass(frozen=True, eq=False)
class FrontPlan:
    """``graph`` with kernels and regions: bytes of its arena in one memory, estimated cycles."""

    graph: Graph
    arena: int
    cycles: float


def has_front(request: PlanRequest) -> bool:
    """Where kernels are chosen by the board's cost table, on whole tensors."""
    limits, board = request.limits, request.board
    by_cost = board.cost is not None and limits.choose == KernelPolicy.COST
    return by_cost and room_of(request.target) is None and limits.restructure == Restructuring.AUTO


@dataclass(frozen=True, eq=False)
class Search:
    """Plans of the integer network ``plain``; ``planner_of`` makes the planner of its regions."""

    plain: Graph
    request: PlanRequest
    planner_of: PlannerOf

    @cached_property
    def price(self) -> Price:
        return Price(self.request.board)

    @cached_property
    def fast(self) -> Graph:
        return fastest(self.plain, self.request)

    @cached_property
    def offers(self) -> dict[str, tuple[Offer, ...]]:
        families = self.request.target.kernels
        return offers_of(self.plain, self.fast, families, self.price.node, stored_bytes)

    @cached_property
    def planners(self) -> list[Planner]:
        """One for each choice of kernels by the scratch they may take, most first."""
        graphs: dict[tuple[str, ...], Graph] = {}
        for most in _levels(self.request.effort.kernel_choices // len(self.plain.nodes)):
            found = within_scratch(self.plain, self.offers, most)
            graphs.setdefault(tuple(node.kernel for node in found.nodes), found)
        families = self.request.target.kernels
        return [self.planner_of(schedule(found, families).graph) for found in graphs.values()]

    @cached_property
    def found(self) -> list[Restructured]:
        """The plans of all planners' fronts, with the kernels these began with."""
        return [each for planner in self.planners for each in planner.front()]

    def _near(self, ram: int) -> list[Restructured]:
        """As ``found``, those near ``ram`` bytes among them."""
        return [each for planner in self.planners for each in planner.front(near=ram)]

    def front(self) -> tuple[FrontPlan, ...]:
        """By falling arena, each slower than the one before."""
        plans = undominated([self.plan(each.graph) for each in self.found])
        better = [self.improved(each.graph, each.arena).graph for each in plans]
        kept = (within_code(graph, self.request) for graph in (self.fast, *better))
        return undominated([self.plan(graph) for graph in kept])

    def within(self, ram: int) -> FrontPlan | None:
        """The fastest plan found of at most ``ram`` bytes that fits the board."""
        near = self._near(ram)
        found = [plan for plan in self._candidates(ram, near) if plan.arena <= ram]
        fitting = _with_other_regions([plan for plan in found if self._fits(plan.graph)])
        better = [
            self.improved(each.graph, ram) for each in fitting[: self.request.effort.improved]
        ]
        better += [each for each in self._shrunk(ram, near) if self._ok(each.graph, ram)]
        return min(better, key=lambda one: (one.cycles, one.arena), default=None)

    def _shrunk(self, ram: int, near: Sequence[Restructured]) -> Iterator[FrontPlan]:
        """Plans a little larger than ``ram``, improved: cheaper kernels may take fewer bytes."""
        above = [self.plan(each.graph) for each in near if ram < each.arena <= ram * NEARLY]
        plans = undominated(above)[-self.request.effort.improved :]
        yield from (self.improved(each.graph, each.arena) for each in plans)

    def smallest(self) -> FrontPlan:
        """The plan of least arena, the fastest of those with as much."""
        return min(self._smallest(), key=lambda one: (one.arena, one.cycles))

    def _smallest(self) -> Iterator[FrontPlan]:
        """Of each planner, the one of least scratch first; of the others what is as small."""
        most = float("inf")
        for planner in reversed(self.planners):
            found = planner.smallest_within(most)
            if found is not None:
                most = min(most, found.arena)
                yield self.plan(found.graph)

    def least(self) -> FrontPlan:
        """The smallest plan with the kernels of least scratch, which ``smallest`` seldom beats."""
        return self.plan(self.planners[-1].smallest(added=float("inf")).graph)

    def _candidates(self, ram: int, near: Sequence[Restructured]) -> Iterator[FrontPlan]:
        """The fastest within ``ram``, and smaller ones, which leave room for improved kernels."""
        for planner in self.planners:
            found = planner.within(ram)
            if found is not None:
                yield self.plan(found.graph)
        yield from (self.plan(each.graph) for each in near if each.arena <= ram)

    def improved(self, graph: Graph, ram: int) -> FrontPlan:
        """With cheaper kernels where ``ram`` bytes allow."""
        return self.plan(filled(graph, self.offers, lambda one: self._ok(one, ram)))

    def plan(self, graph: Graph) -> FrontPlan:
        found = verify(graph)
        return FrontPlan(found, self._arena(found), self.price.graph(found))

    def _ok(self, graph: Graph, ram: int) -> bool:
        return self._arena(graph) <= ram and self._fits(graph)

    def _arena(self, graph: Graph) -> int:
        return arena_in_one_memory(self._aliased(graph))

    def _fits(self, graph: Graph) -> bool:
        return fits_with_prefetch(self._aliased(graph), self.request)

    def _aliased(self, graph: Graph) -> Schedule:
        if graph not in self._known:
            self._known[graph] = aliased(graph, self.request)
        return self._known[graph]

    @cached_property
    def _known(self) -> dict[Graph, Schedule]:
        """Schedules of graphs, which are judged more than once."""
        return {}


def _levels(count: int) -> tuple[float, ...]:
    """``count`` of SCRATCH_BYTES, ends among them: regions of each take a search of their own."""
    count = min(max(2, count), len(SCRATCH_BYTES))
    last = len(SCRATCH_BYTES) - 1
    return tuple(SCRATCH_BYTES[i * last // (count - 1)] for i in range(count))


def _with_other_regions(plans: Sequence[FrontPlan]) -> list[FrontPlan]:
    """By rising time, of plans with the same regions the fastest: their kernels improve alike."""
    kept: dict[tuple[Region, ...], FrontPlan] = {}
    for plan in sorted(plans, key=lambda one: one.cycles):
        kept.setdefault(plan.graph.regions, plan)
    return list(kept.values())


def balanced(plans: Sequence[FrontPlan], ram: int | None) -> FrontPlan | None:
    """The plan of least arena times cycles: from there, a smaller arena costs more of the time than
    it saves of the bytes. None where ``ram`` bytes hold none."""
    fitting = [plan for plan in plans if ram is None or plan.arena <= ram]
    return min(fitting, key=lambda one: one.arena * one.cycles, default=None)


def undominated(plans: Sequence[FrontPlan]) -> tuple[FrontPlan, ...]:
    """Those that no other plan beats in both, by falling arena."""
    kept: list[FrontPlan] = []
    for plan in sorted(plans, key=lambda one: (one.arena, one.cycles)):
        if not kept or plan.cycles < kept[-1].cycles:
            kept.append(plan)
    return tuple(reversed(kept))
