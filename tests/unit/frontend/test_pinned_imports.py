"""What seeded networks are imported as: nodes, attributes, shapes, and sums of the constants."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.ir.graph import Graph
from planned import CASES, pinned, planned

FOLDER = Path(__file__).parent / "pinned"


@pytest.mark.parametrize("name", CASES)
def test_the_graph_is_that_pinned(name: str) -> None:
    pinned(FOLDER / f"{name}.txt", "\n".join(_lines(planned(name).imported)))


def _lines(graph: Graph) -> list[str]:
    values = [f"{v.name} {v.shape} {v.dtype}" for v in graph.values.values()]
    nodes = [f"{n.name}: {n.op} {n.inputs} -> {n.outputs} {n.attrs}" for n in graph.nodes]
    sums = [f"{k} {a.shape} {abs(a).sum():.5e}" for k, a in graph.constants.items()]
    ends = f"{graph.name} {graph.inputs} -> {graph.outputs}"
    return [ends, *graph.notes, *nodes, *values, *sums]
