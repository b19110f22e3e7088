"""What a device runs as one: a step of its own, or all steps of a region."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.ir import Region, Schedule, Step


@dataclass(frozen=True)
class Launch:
    """``steps`` that run together; a probe after them reads ``output``, a whole tensor.

    Without a ``region`` there is one step. Of a region, ``output`` is its grid.
    """

    index: int
    steps: tuple[Step, ...]
    output: str
    region: Region | None = None


def launches(schedule: Schedule) -> tuple[Launch, ...]:
    """The steps of ``schedule`` as the device runs them, in order."""
    graph = schedule.graph
    inside = {name: region for region in graph.regions for name in region.nodes}
    writes = {node.name: node.output for node in graph.nodes}
    found: list[Launch] = []
    for step in schedule.steps:
        region = inside.get(step.node)
        if region is None:
            found.append(Launch(len(found), (step,), writes[step.node]))
        elif step.node == region.nodes[0]:
            steps = tuple(each for each in schedule.steps if inside.get(each.node) is region)
            found.append(Launch(len(found), steps, region.grid, region))
    return tuple(found)
