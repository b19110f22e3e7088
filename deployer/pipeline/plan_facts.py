"""A plan as facts for programs: regions, shared bytes, tiles, memory over time."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from deployer.analysis import (
    ChannelLayout,
    Curve,
    Launch,
    Profile,
    RegionLayout,
    launches,
    layout_of,
    node_macs,
)
from deployer.board import Board
from deployer.bundle_facts import (
    CostFacts,
    InferenceFacts,
    RegionFacts,
    RestructureFacts,
    ShareFacts,
    TilingFacts,
)
from deployer.codegen import plain_text, region_title, table_bytes
from deployer.ir import OVER, VIEW, Graph, MemoryPlan, Schedule, StepTiles, TilePlan
from deployer.kernelset import by_symbol, case_of
from deployer.pipeline.facts import CurveFacts, PeakFacts, ProfileFacts
from deployer.plan import arena_in_one_memory
from deployer.restructure import graph_cost_of, model_of, whole_cost
from deployer.units import CounterUnit, FigureKind


def restructure_facts(
    schedule: Schedule, plan: MemoryPlan, board: Board
) -> RestructureFacts | None:
    """What was restructured, None when nothing was. ``added_macs`` are counted, cycles estimated;
    ``table_bytes`` are those of constant tables on a 32-bit core, without the functions that set
    windows."""
    graph = schedule.graph
    if not graph.regions:
        return None
    regions = [_region_facts(graph, each) for each in launches(schedule) if each.region]
    plain = sum(node_macs(graph, node) for node in graph.nodes)
    return {
        "arena_before": _plain_arena(schedule),
        "arena": plan.arena,
        "macs_before": plain,
        "added_macs": sum(launch_macs(graph, each) for each in launches(schedule)) - plain,
        "cost": _cost(graph, board),
        "regions": regions,
    }


def _cost(graph: Graph, board: Board) -> CostFacts:
    """Cycles on ``board`` without and with regions; ``counts`` names the table they come from."""
    model = model_of(board)
    before = graph_cost_of(replace(graph, regions=()), model)
    return {
        "before": round(before),
        "added": round(graph_cost_of(graph, model) - before),
        "unit": CounterUnit.CYCLES,
        "kind": FigureKind.ESTIMATED,
        "board": board.name,
        "counts": board.cost.counts if board.cost else None,
    }


def inference_facts(graph: Graph, tiles: TilePlan, board: Board) -> InferenceFacts:
    """Estimated cycles of all steps: those of tiles where a step has them."""
    model = model_of(board)
    inside = {name for region in graph.regions for name in region.nodes}
    tiled = {step.node: step.tiling.costs.cycles for step in tiles.steps if step.tiling}
    cycles = graph_cost_of(graph, model)
    for node in graph.nodes:
        if node.name in tiled and node.name not in inside:
            cycles += tiled[node.name] - whole_cost(graph, node, model(graph, node))
    return {"cycles": round(cycles), "kind": FigureKind.ESTIMATED}


def _plain_arena(schedule: Schedule) -> int:
    """Bytes in one memory of the same steps without regions, nothing shared."""
    graph = replace(schedule.graph, regions=(), shares=())
    nodes = {node.name: node for node in graph.nodes}
    whole = (
        replace(step, scratch=by_symbol(step.kernel).scratch(case_of(graph, nodes[step.node])))
        for step in schedule.steps
        if step.kernel
    )
    return arena_in_one_memory(replace(schedule, steps=tuple(whole)), graph)


def _region_facts(graph: Graph, launch: Launch) -> RegionFacts:
    region = launch.region
    assert region is not None
    layout = layout_of(graph, region)
    return {
        "step": launch.index,
        "first": plain_text(region.nodes[0]),
        "last": plain_text(region.nodes[-1]),
        "nodes": len(region.nodes),
        "mode": region.mode,
        "title": region_title(region),
        "calls": sum(1 for _ in layout.pieces()) + bool(layout.summed),
        "table_bytes": table_bytes(layout),
    }


def launch_macs(graph: Graph, launch: Launch) -> int:
    """Multiply-accumulates of a launch, those computed again included."""
    nodes = {node.name: node for node in graph.nodes}
    if launch.region is None:
        return node_macs(graph, nodes[launch.steps[0].node])
    return _piece_macs(graph, layout_of(graph, launch.region))


def _piece_macs(graph: Graph, layout: RegionLayout) -> int:
    """Every call's share of its node's, by pixels."""
    if isinstance(layout, ChannelLayout):  # each product once
        return sum(node_macs(graph, node) for node in layout.scope.nodes)
    total = 0
    for piece in layout.pieces():
        if piece.value not in layout.scope.writer:
            continue
        node = graph.producer[piece.value]
        _, height, width, _ = graph.values[piece.value].shape
        tall, wide = (end - begin for begin, end in (piece.rows, piece.columns))
        total += node_macs(graph, node) * tall * wide // (height * width)
    return total


def share_facts(found: Schedule, plan: MemoryPlan) -> ShareFacts | None:
    """What shares bytes, None when nothing does. ``copies_saved`` are bytes that no longer move."""
    graph = found.graph
    if not graph.shares:
        return None
    kinds = Counter(
        "in place" if s.kind == OVER and not s.overlap_offset else s.kind for s in graph.shares
    )
    nodes = {node.name: node for node in graph.nodes}
    moved = (
        min(graph.values[s.value].bytes, graph.values[nodes[s.node].output].bytes)
        for s in graph.shares
        if s.kind == VIEW
    )
    return {
        "arena_before": arena_in_one_memory(found, replace(graph, shares=())),
        "arena": arena_in_one_memory(found) if plan.prefetch else plan.arena,
        "in_place": kinds["in place"],
        "overlaps": kinds[OVER],
        "views": kinds[VIEW],
        "inside": kinds["inside"],
        "copies_saved": sum(moved),
    }


def tiling_facts(step: StepTiles | None) -> TilingFacts | None:
    """None for what works where its tensors lie. Bytes of the inner memory, and moved into it and
    out of it; cycles of the step, of these in kernels and waiting for transfers: estimates."""
    if step is None or step.tiling is None:
        return None
    tiling = step.tiling
    axes, costs = (tiling.rows, tiling.columns, tiling.channels), tiling.costs
    return {
        "memory": tiling.memory,
        "tile": [axis.tile for axis in axes],
        "counts": [axis.count for axis in axes],
        "count": tiling.count,
        "channels_inner": tiling.channels_inner,
        "bytes": tiling.bytes,
        "cycles": costs.cycles,
        "compute": costs.compute,
        "waiting": costs.waiting,
        "bytes_in": costs.bytes_in,
        "bytes_out": costs.bytes_out,
        "early": costs.early,
        "kind": FigureKind.ESTIMATED,
    }


def profile_facts(profile: Profile) -> ProfileFacts:
    """Bytes alive at every step of the plain network; ``after`` is None where it is ``before``.

    ``in_pieces`` are first and last steps of regions.
    """
    return {
        "room": profile.room,
        "steps": profile.layers,
        "before": _curve_facts(profile.before),
        "after": _curve_facts(profile.after) if profile.after else None,
        "in_pieces": profile.spans,
    }


def _curve_facts(curve: Curve) -> CurveFacts:
    peak: PeakFacts = {
        "step": curve.step,
        "bytes": curve.peak.bytes,
        "alive": {buffer.id: buffer.size for buffer in curve.peak.alive},
    }
    return {"what": curve.title, "alive_bytes": curve.alive, "peak": peak}
