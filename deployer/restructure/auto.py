"""The restructuring a user asks for: off, Algorithm 3, or the planner under a limit or a goal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from deployer.choices import Objective, Restructuring
from deployer.errors import LimitError, UsageError
from deployer.ir import Graph
from deployer.restructure.algorithm3 import Algorithm3, sweep
from deployer.restructure.cost import CostModel, estimated_cycles
from deployer.restructure.plan import Planner, Restructured
from deployer.units import format_bytes

BALANCED_SHARE = 0.05  # of the plain cost


@dataclass(frozen=True)
class RestructureOptions:
    """``ram``: bytes the arena may take, None for no limit.

    ``optimize``: "time" is the least cost that fits, so nothing changes without a limit; "ram" the
    smallest arena whatever its cost; "balanced" the smallest for at most 5 % more cost.
    ``alpha`` and ``slices`` are Algorithm 3's; None tries alphas 0.1 to 0.9.
    """

    mode: Restructuring = Restructuring.AUTO
    ram: int | None = None
    optimize: Objective = Objective.TIME
    stream_input: bool = False
    alpha: float | None = None
    slices: tuple[int, int] = (2, 2)


def restructure(
    graph: Graph,
    options: RestructureOptions,
    *,
    scratch: Mapping[str, int] | None = None,
    model: CostModel = estimated_cycles,
    share: Callable[[Graph], Graph] | None = None,
    pieces: Callable[[Graph], Mapping[str, int]] | None = None,
) -> Restructured:
    """``graph`` with regions; only Algorithm 3 changes its order.

    ``scratch``: bytes of every node's kernel; ``share`` and ``pieces``: see Planner. Raises
    UsageError for an unknown mode or goal, LimitError when the planner finds nothing within
    ``options.ram``.
    """
    return planned(Planner(graph, model, scratch, options.stream_input, share, pieces), options)


def planned(planner: Planner, options: RestructureOptions) -> Restructured:
    """``restructure`` by a planner that knows whether the input is read by rows."""
    _check("restructuring", options.mode, Restructuring)
    _check("goal", options.optimize, Objective)
    if options.mode == Restructuring.OFF:
        return planner.plain
    if options.mode == Restructuring.ALG3:
        return planner.measured(_algorithm3(planner.plain.graph, options, planner.scratch))
    return _auto(planner, options)


def _check(what: str, name: str, known: type[StrEnum]) -> None:
    if name not in tuple(known):
        raise UsageError(f"unknown {what} {name!r}", hints=[f"known: {', '.join(known)}"])


def _algorithm3(
    graph: Graph, options: RestructureOptions, scratch: Mapping[str, int] | None
) -> Graph:
    if options.alpha is not None:
        return Algorithm3(options.alpha, options.slices, scratch)(graph)
    return sweep(graph, slices=(options.slices,), scratch=scratch).graph


def _auto(planner: Planner, options: RestructureOptions) -> Restructured:
    limit = float("inf") if options.ram is None else options.ram
    fastest = options.optimize == Objective.TIME
    if fastest and planner.plain.arena <= limit and not options.stream_input:
        return planner.plain
    if not fastest:
        added = BALANCED_SHARE if options.optimize == Objective.BALANCED else float("inf")
        found = planner.smallest(added=added)
        if found.arena <= limit:
            return found
    fitting = planner.within(limit)
    if fitting is None:
        raise _too_small(planner, options)
    return fitting


def _too_small(planner: Planner, options: RestructureOptions) -> LimitError:
    least = planner.smallest(added=float("inf"))
    hints = [f"--ram {-(-least.arena // 1024)}KiB, which the planner reaches"]
    if not options.stream_input and planner.graph.inputs:
        rows = replace(planner, stream_input=True).smallest(added=float("inf"))
        if options.ram is not None and rows.arena <= options.ram:
            hints.append(f"--stream-input: with the input by rows {format_bytes(rows.arena)} do")
    return LimitError(
        f"no restructuring of {planner.graph.name} fits {format_bytes(options.ram or 0)}",
        why=[
            f"plain it needs {format_bytes(planner.plain.arena)}",
            f"the smallest plan needs {format_bytes(least.arena)}",
        ],
        hints=[*hints, "a smaller input: every tensor of the arena shrinks with it"],
    )
