"""What is wrong with the regions of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from deployer.ir.channels import channel_faults
from deployer.ir.graph import Graph
from deployer.ir.region import CHANNELS, LINE_BUFFERS, PATCH, Region
from deployer.ir.scope import Scope, is_spatial, scope_of


def faults(graph: Graph) -> list[str]:
    """What is wrong with the graph's regions, a line each; none when all is well."""
    position = {node.name: i for i, node in enumerate(graph.nodes)}
    found, end = [], 0
    for region in graph.regions:
        places = [position.get(name, -1) for name in region.nodes]
        label = f"region at {region.nodes[0] if region.nodes else 'nothing'}"
        if not places or places != list(range(places[0], places[0] + len(places))):
            found.append(f"{label}: not consecutive nodes of the graph")
            continue
        if places[0] < end:
            found.append(f"{label}: overlaps the region before it")
        end = places[-1] + 1
        found += [f"{label}: {fault}" for fault in _faults(graph, region)]
    return found


def _faults(graph: Graph, region: Region) -> list[str]:
    scope = scope_of(graph, region)
    if region.mode == CHANNELS:
        return list(channel_faults(scope))
    found = [f"{n.name} is not spatial" for n in scope.nodes if not is_spatial(graph, n)]
    if region.mode not in (PATCH, LINE_BUFFERS):
        found.append(f"unknown mode {region.mode!r}")
    if region.grid not in scope.outputs:
        return [*found, f"the grid {region.grid} is no output of it"]
    if found:
        return found
    found += _split_faults("rows", region.rows, scope.extent(region.grid, 0))
    found += _split_faults("columns", region.columns, scope.extent(region.grid, 1))
    if region.mode == LINE_BUFFERS and (region.rows or region.chunk < 1):
        found.append("a stream takes a positive number of rows at a time, not split points")
    return [*found, *_over_faults(scope), *_fetch_faults(scope)]


def _split_faults(what: str, points: Sequence[int], extent: int) -> list[str]:
    if not points:
        return []
    rising = all(a < b for a, b in pairwise(points))
    if rising and len(points) > 1 and (points[0], points[-1]) == (0, extent):
        return []
    return [f"{what} {points} do not cover 0 to {extent} once"]


def _over_faults(scope: Scope) -> list[str]:
    """The input must die in the region and be read once, top to bottom."""
    region, graph = scope.region, scope.graph
    if not region.over:
        return []
    source, target = region.over
    if source not in scope.inputs or target not in scope.outputs:
        return [f"{source} and {target} are not an input and an output of it"]
    names = [node.name for node in graph.nodes]
    behind = set(names[names.index(region.nodes[-1]) + 1 :])
    if source in graph.outputs or any(n.name in behind for n in graph.consumers[source]):
        return [f"{source} is needed behind it, nothing may overwrite it"]
    if len(region.columns) > 2:
        return [f"{source} is read once for each column piece, nothing may overwrite it"]
    return []


def _fetch_faults(scope: Scope) -> list[str]:
    region, graph = scope.region, scope.graph
    found = []
    for name in region.fetch:
        if name not in graph.inputs or name not in scope.inputs:
            found.append(f"{name} cannot be fetched: it is no input of the graph read here")
        elif any(n.name not in region.nodes for n in graph.consumers[name]):
            found.append(f"{name} cannot be fetched: it is read elsewhere")
    rows_in_order = region.mode == LINE_BUFFERS and len(region.columns) <= 2 and not region.reverse
    if region.fetch and (not rows_in_order or set(region.fetch) & set(region.over)):
        found.append("inputs are fetched by whole rows, downwards, and overlap nothing")
    return found
