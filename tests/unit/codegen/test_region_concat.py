"""A Concat in a region does nothing about inputs that lie in their place in its scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph
from deployer.ir.region import Region
from deployer.ir.verify import verify
from deployer.numerics.interpret import run
from unit.analysis.spatial_nets import SpatialNet
from unit.codegen.generated_c import Compiler, planned

SAME = Window((3, 3), pads=Pads(1, 1, 1, 1))
MODES: list[dict[str, Any]] = [
    {"mode": "stream"},
    {"mode": "stream", "reverse": True, "chunk": 2, "columns": (0, 3, 9)},
    {"mode": "patch", "rows": (0, 2, 11), "columns": (0, 5, 9)},
]


def fires(kept: Sequence[bool], *, outer: bool = True, **options: Any) -> tuple[Graph, SpatialNet]:
    """Two levels of branches, joined; ``kept``: which of the inner Concat's three inputs have its
    scale, ``outer``: both of the other's. The third input comes from outside and is copied."""
    net = SpatialNet(5)
    x = net.input(11, 9, 4)
    inner = net.concat(net.conv(x, 3, SAME), net.conv(x, 5, Window((1, 1))), x)
    joined = net.concat(inner, net.depthwise(x, SAME))
    for node, same in ((net.nodes[2], kept), (net.nodes[4], [outer, outer])):
        rq = node.rq
        for name, one, other in ((rq.multiplier, 1, 3), (rq.rounding, 0, 1), (rq.shift, 0, 1)):
            net.constants[name] = np.where(same, one, other).astype(net.constants[name].dtype)
    net.conv(joined, 4, SAME)
    nodes = tuple(node.name for node in net.nodes)
    region = Region(nodes, grid=net.nodes[-1].output, **options)
    return verify(net.graph(regions=(region,))), net


def table_of(graph: Graph, index: int) -> str | None:
    """Which inputs the function of node ``index`` copies; None where there is no function."""
    source = planned(graph)[2]["network.c"]
    title = f"/* {graph.nodes[index].name}: Concat */"
    if title not in source:
        return None
    function = source.partition(title)[2].partition("inputs[] = {")[2]
    return function.partition("}")[0]


@pytest.fixture(scope="module")
def compiler(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Compiler:
    return Compiler(tool("gcc"), tmp_path_factory.mktemp("concat"))


@pytest.mark.parametrize("options", MODES, ids=["stream", "strips upwards", "patches"])
@pytest.mark.parametrize("kept", [(True, True, True), (True, False, False), (False, True, True)])
def test_parts_left_alone_are_bit_exact(
    compiler: Compiler, kept: tuple[bool, ...], options: dict[str, Any]
) -> None:
    graph, net = fires(kept, **options)
    sample = net.sample()
    expected, found = run(graph, sample), compiler.run(graph, sample)
    np.testing.assert_array_equal(found[graph.outputs[0]], expected[graph.outputs[0]])


@pytest.mark.parametrize(
    ("kept", "made"),
    [((True, True, True), "2"), ((True, False, False), "1, 2"), ((False, True, True), "0, 2")],
)
def test_only_other_scales_and_other_places_are_made(kept: tuple[bool, ...], made: str) -> None:
    assert table_of(fires(kept, mode="stream")[0], 2) == made


def test_a_concat_with_nothing_to_make_has_no_function() -> None:
    assert table_of(fires((True,) * 3, mode="stream")[0], 4) is None
    assert table_of(fires((True,) * 3, mode="stream", outer=False)[0], 4) == "0, 1"


def test_a_fused_bound_is_not_left_out() -> None:
    """Inputs in their place and scale, but cut below zero."""
    graph, _ = fires((True,) * 3, mode="stream")
    node = graph.nodes[4]
    nodes = (replace(n, requant=replace(n.rq, low=0)) if n is node else n for n in graph.nodes)
    cut = replace(graph, nodes=tuple(nodes))
    assert table_of(cut, 4) == "0, 1"


def test_cores_share_what_is_left(tool: Callable[[str], str], tmp_path: Path) -> None:
    graph, net = fires((True, False, True), mode="stream")
    sample = net.sample()
    found = Compiler(tool("gcc"), tmp_path, cores=True).run(graph, sample)
    expected = run(graph, sample)
    np.testing.assert_array_equal(found[graph.outputs[0]], expected[graph.outputs[0]])
