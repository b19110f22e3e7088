"""Regions, stripes and their costs on seeded networks."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.ir.graph import Graph, Node
from deployer.restructure.algorithm3 import sweep
from deployer.restructure.cost import (
    Coefficients,
    Thin,
    added_macs,
    estimated_cycles,
    graph_cost_of,
    macs_only,
)
from deployer.restructure.plan import Planner, Restructured
from deployer.restructure.stripes import Stripes, bytes_of, chains, in_stripes, rows_more
from planned import pinned, planned

FOLDER = Path(__file__).parent / "pinned"


@pytest.mark.parametrize("name", ["patches", "residual", "pools"])
def test_the_regions_are_those_pinned(name: str) -> None:
    graph = planned(name).quantized
    lines = [f"alg3 {_told(Planner(graph).measured(sweep(graph).graph))}"]
    for model in (macs_only, estimated_cycles):
        lines += [f"{model.__name__} {_told(plan)}" for plan in Planner(graph, model).front()]
    lines += [f"streamed {_told(Planner(graph, macs_only, None, True).smallest(added=0.05))}"]
    pinned(FOLDER / f"{name}.txt", "\n".join(lines))


@pytest.mark.parametrize("name", ["residual", "pools"])
def test_the_candidates_of_every_run_are_those_pinned(name: str) -> None:
    graph, lines = planned(name).quantized, []
    scratch = {node.name: 30 + 7 * i for i, node in enumerate(graph.nodes)}
    for last, runs in enumerate(Planner(graph, of_cores, scratch, True).candidates):
        for first, options in runs.items():
            lines.append(f"{graph.nodes[first].name} to {graph.nodes[last].name}")
            lines += [f"  {candidate}" for candidate in options]
    pinned(FOLDER / f"{name}-candidates.txt", "\n".join(lines))


def of_cores(graph: Graph, node: Node) -> Coefficients:
    """Of three cores and kernels that make two rows at once, every number another one."""
    at = [other.name for other in graph.nodes].index(node.name) + 1.25
    thin = Thin(3, 1.5 * at, 7.0 * at)
    return Coefficients(1.0 * at, 10.0 + at, 100.0 * at, 1000.0 + at, thin, 2)


@pytest.mark.parametrize("name", ["patches", "stripes", "residual", "pools"])
def test_the_stripes_are_those_pinned(name: str) -> None:
    pinned(FOLDER / f"{name}-stripes.txt", "\n".join(_stripes(planned(name).quantized)))


def _told(plan: Restructured) -> str:
    graph = plan.graph
    cost = f"{graph_cost_of(graph, estimated_cycles):.6e} {added_macs(graph):.4f}"
    return f"arena {plan.arena} bound {plan.bound} {cost} {graph.regions}"


def _stripes(graph: Graph) -> list[str]:
    lines = []
    for chain in chains(graph):
        nodes = chain[:4]
        names = tuple(node.name for node in nodes)
        rows = graph.values[nodes[-1].output].shape[1]
        for count in range(2, min(rows, 5) + 1):
            sizes = [bytes_of(graph, nodes, count, by_rows=by_rows) for by_rows in (False, True)]
            more = rows_more(graph, nodes, count, [100.0 + i for i in range(len(nodes))])
            lines.append(f"{names} {count}: {sizes} {more:.6g}")
        if rows >= 2:
            parts = in_stripes(graph, Stripes(names, 2)).nodes
            lines += [f"  {n.name} {n.inputs} {n.attrs}" for n in parts if n not in graph.nodes]
    return lines
