"""Regions for a graph: the smallest memory for a cost, or the least cost for a memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from deployer.allocate import Problem, solve
from deployer.analysis import even_split, lifetimes
from deployer.ir import (
    CHANNELS,
    LINE_BUFFERS,
    Graph,
    InvariantError,
    Node,
    Region,
    faults,
)
from deployer.restructure.cost import (
    Coefficients,
    CostModel,
    added_macs,
    estimated_cycles,
    graph_cost_of,
)
from deployer.restructure.facts import Candidate, Facts
from deployer.restructure.profile import candidates
from deployer.restructure.search import cheapest

Run = tuple[int, int, Candidate]  # first and last node
Runs = Sequence[Run]
_FAR = 1.5  # times the bytes that are asked for


@dataclass(frozen=True)
class Pace:
    """Steps of the search, as shares of a budget: ``step_share`` from one of the front to the next,
    ``far_share`` far from the bytes that are asked for; at ``finest_share`` bisection ends."""

    step_share: float = 0.97
    far_share: float = 0.75
    finest_share: float = 0.002


@dataclass(frozen=True, eq=False)
class Restructured:
    """``graph`` with its regions; ``arena`` bytes as allocated, ``bound`` those alive together.

    ``added_macs`` and ``added_cost`` are fractions of the plain graph's.
    """

    graph: Graph
    arena: int
    bound: int
    added_macs: float
    added_cost: float


@dataclass(frozen=True, eq=False)
class Planner:
    """Searches one graph, whose regions are replaced. ``scratch``: bytes per node's kernel, which
    the search reserves; ``pieces`` gives those that a graph with regions needs, never more.

    ``stream_input``: the graph's first input is read by rows where that saves memory.
    ``share``: gives a graph the shares it will be scheduled with, so that they count.
    ``cut``: as in ``Facts``. ``searching``: told the bytes of each budget that is searched.
    """

    graph: Graph
    model: CostModel = estimated_cycles
    scratch: Mapping[str, int] | None = None
    stream_input: bool = False
    share: Callable[[Graph], Graph] | None = None
    pieces: Callable[[Graph], Mapping[str, int]] | None = None
    cut: CostModel | None = None
    pace: Pace = Pace()
    searching: Callable[[float], None] = lambda budget: None

    @cached_property
    def facts(self) -> Facts:
        return Facts(replace(self.graph, regions=()), self.model, self.scratch or {}, self.cut)

    @cached_property
    def candidates(self) -> list[dict[int, list[Candidate]]]:
        return candidates(self.facts, fetch=self.stream_input)

    def priced(self, graph: Graph, node: Node) -> Coefficients:
        """The model's coefficients for a node of the graph, computed once."""
        return self._factors[node.name]

    @cached_property
    def _factors(self) -> dict[str, Coefficients]:
        pairs = zip(self.graph.nodes, self.facts.factors, strict=True)
        return {node.name: factors for node, factors in pairs}

    @cached_property
    def plain(self) -> Restructured:
        return self.measured(self.facts.graph)

    @cached_property
    def plain_cost(self) -> float:
        return graph_cost_of(self.facts.graph, self.priced)

    def within(self, budget: float) -> Restructured | None:
        """The cheapest plan whose arena is at most ``budget`` bytes, as allocated."""
        target = budget
        for attempt in range(10):
            runs = self._runs(target)
            if runs is None:
                return None
            found = self._measured(runs)
            if found.arena <= budget:
                return found
            target -= max(found.arena - budget, 1) * 2**attempt
        return None

    def smallest(self, *, added: float) -> Restructured:
        """The smallest arena found whose cost is at most a fraction ``added`` above the plain."""
        return self._smaller(self._measured(self._runs(float("inf")) or ()), added)

    def smallest_within(self, most: float) -> Restructured | None:
        """The smallest arena found whatever its cost, None where none is of ``most`` bytes."""
        runs = self._runs(most)
        return None if runs is None else self._smaller(self._measured(runs), float("inf"))

    def _smaller(self, best: Restructured, added: float) -> Restructured:
        low, high = 0.0, float(best.arena)
        while high - low > self.pace.finest_share * high:
            middle = (low + high) / 2
            runs = self._runs(middle, added)
            found = self._measured(runs) if runs is not None else None
            if found is None:
                low = middle
                continue
            if found.arena < best.arena:
                best = found
            high = min(middle, float(best.arena))
        return best

    def front(self, near: float = float("inf")) -> list[Restructured]:
        """Plans of rising cost and falling memory, the plain one first; those of far more than
        ``near`` bytes in large steps."""
        found: list[Restructured] = []
        budget, step = float("inf"), self.pace.step_share
        while 1 - step > self.pace.finest_share:
            runs = self._runs(budget)
            if runs is None:
                step = (1 + step) / 2
                budget = found[-1].arena * step
                continue
            plan = self._measured(runs)
            better = not found or plan.arena < found[-1].arena
            if better:
                found.append(plan)
            if plan.arena > _FAR * near:
                budget = min(budget, plan.arena) * self.pace.far_share
            else:
                budget = plan.arena * step if better else budget * self.pace.step_share
        return found

    def _runs(self, budget: float, added: float = float("inf")) -> Runs | None:
        self.searching(budget)
        found = cheapest(self.facts, self.candidates, budget)
        if found is None or found[0] > added * self.plain_cost:
            return None
        return found[1]

    def _measured(self, runs: Runs) -> Restructured:
        key = tuple(runs)
        if key not in self._known:
            self._known[key] = self.measured(self._with(runs))
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[Run, ...], Restructured]:
        """What was measured: near budgets have the same runs."""
        return {}

    def _with(self, runs: Runs) -> Graph:
        graph = replace(self.facts.graph, regions=regions_of(self.facts.graph, runs))
        if wrong := faults(graph):
            raise InvariantError("; ".join(wrong))
        return graph

    def measured(self, graph: Graph) -> Restructured:
        """``graph``, allocated in one arena without a limit, what it will share being shared."""
        inside = self.pieces(graph) if self.pieces and graph.regions else {}
        scratch = {**(self.scratch or {}), **inside}
        buffers = lifetimes(self.share(graph) if self.share else graph, scratch)
        total = sum(buffer.size + 4 for buffer in buffers)
        problem = Problem(buffers, (("arena", total),))
        plan = solve(problem)
        cost = graph_cost_of(graph, self.priced) / self.plain_cost - 1
        return Restructured(graph, plan.arena, problem.bound, added_macs(graph), cost)


def regions_of(graph: Graph, runs: Runs) -> tuple[Region, ...]:
    """A region for every run that is not plain; chained overlaps alternate their direction."""
    found: list[Region] = []
    upwards: dict[str, bool] = {}
    for first, last, candidate in runs:
        if candidate.mode is None:
            continue
        nodes = graph.nodes[first : last + 1]
        grid = nodes[-1].output
        if candidate.mode == CHANNELS:
            names = tuple(node.name for node in nodes)
            found.append(Region(names, CHANNELS, grid, channels=candidate.channels))
            continue
        _, height, width, _ = graph.values[grid].shape
        tall, wide = candidate.split
        reverse = bool(candidate.over) and not upwards.get(candidate.over, True)
        upwards[grid] = reverse
        found.append(
            Region(
                tuple(node.name for node in nodes),
                candidate.mode,
                grid,
                rows=even_split(height, tall)
                if candidate.mode != LINE_BUFFERS and tall > 1
                else (),
                columns=even_split(width, wide) if wide > 1 else (),
                chunk=candidate.chunk,
                reverse=reverse,
                over=(candidate.over, grid) if candidate.over else (),
                fetch=graph.inputs[:1] if candidate.fetch else (),
            )
        )
    return tuple(found)
