"""Memory over time before and after planning, on one axis: the steps of the plain network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deployer.analysis.liveness import lifetimes, step_nodes
from deployer.analysis.peak import Peak, live_peak, live_profile
from deployer.ir import Graph, Schedule


@dataclass(frozen=True)
class Curve:
    """``alive`` bytes at every step of the axis; ``step`` of it is the peak's."""

    title: str
    alive: tuple[int, ...]
    step: int
    peak: Peak


@dataclass(frozen=True)
class Profile:
    """``before``: nothing reordered, restructured or shared. ``after``: what runs, or would.

    ``spans`` are the first and last step of each region, as far as its nodes are neighbours on the
    axis. ``room``: bytes for the arena; ``memories`` says in which, "" when that is not known.
    """

    network: str
    layers: tuple[str, ...]
    before: Curve
    after: Curve | None
    spans: tuple[tuple[int, int], ...] = ()
    room: int = 0
    memories: str = ""

    @property
    def curves(self) -> tuple[Curve, ...]:
        return (self.before, self.after) if self.after else (self.before,)


def plain_graph(graph: Graph) -> Graph:
    """``graph`` in its order, with nothing that a planner decided."""
    return Graph(
        graph.name,
        graph.values,
        graph.nodes,
        graph.inputs,
        graph.outputs,
        graph.constants,
        notes=graph.notes,
        meta=graph.meta,
    )


def profile_of(
    plain: Graph,
    schedule: Schedule,
    *,
    title: str = "as it runs",
    rooms: Sequence[tuple[str, int]] = (),
) -> Profile:
    """The profile of ``schedule``, whose steps are those of ``plain`` or fewer.

    Where both curves are the same, ``after`` is None. ``rooms``: bytes free per memory.
    """
    plain = plain_graph(plain)
    layers, room = tuple(node.name for node in step_nodes(plain)), sum(n for _, n in rooms)
    scratch = {step.node: step.scratch for step in schedule.steps}
    before = _curve("plain", plain, layers, scratch)
    after = _curve(title, schedule.graph, layers, scratch)
    same = after.alive == before.alive and after.peak == before.peak
    return Profile(
        plain.name,
        layers,
        before,
        None if same else after,
        () if same else _spans(schedule.graph, layers),
        room,
        ", ".join(f"{name} {free:,}" for name, free in rooms if free or not room),
    )


def _curve(title: str, graph: Graph, layers: Sequence[str], scratch: Mapping[str, int]) -> Curve:
    """A step of the axis that ``graph`` does not run has what is alive in the one before it; most
    of what is alive in a step that the axis lacks counts for the one before that."""
    steps = [node.name for node in step_nodes(graph)]
    buffers = lifetimes(graph, scratch)
    peak = live_peak(buffers)
    most: dict[str, int] = {}
    place, at, name = {layer: i for i, layer in enumerate(layers)}, 0, ""
    for index, (step, alive) in enumerate(
        zip(steps, live_profile(buffers, len(steps)), strict=True)
    ):
        name = step if step in place or not name else name
        most[name] = max(most.get(name, 0), alive)
        at = place.get(name, 0) if index == peak.step else at
    found: list[int] = []
    for layer in layers:
        found.append(most.get(layer, found[-1] if found else 0))
    return Curve(title, tuple(found), at, peak)


def _spans(graph: Graph, layers: Sequence[str]) -> tuple[tuple[int, int], ...]:
    place = {name: index for index, name in enumerate(layers)}
    found: list[tuple[int, int]] = []
    for region in graph.regions:
        inside = sorted(place[name] for name in region.nodes if name in place)
        first = None
        for index, at in enumerate(inside):
            first = at if first is None else first
            if index + 1 == len(inside) or inside[index + 1] != at + 1:
                found.append((first, at))
                first = None
    return tuple(sorted(found))
