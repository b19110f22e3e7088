"""Every kernel of a board's families computes some operator of the cost networks."""

from __future__ import annotations

from deployer.ir.ops import OPS
from deployer.ir.verify import verify
from deployer.kernelset.kernel import case_of
from deployer.kernelset.select import candidates, select
from deployer.tools.bench.cost_rounds import rounds
from unit.analysis.spatial_nets import SAME_3, SpatialNet

FAMILIES = ("cortex_m", "ref")


def test_each_round_names_another_kernel_until_all_have_run() -> None:
    net = SpatialNet()
    x, y = net.input(9, 9, 8), net.input(9, 9, 8)
    net.conv(x, 8, SAME_3)
    net.depthwise(y, SAME_3)
    net.add(x, y)
    graph = net.graph()
    ran = set()
    for part in rounds(FAMILIES, graph):
        verify(part)
        ran |= {(node.name, select(FAMILIES, part, node).symbol) for node in part.nodes}
    wanted = {
        (node.name, kernel.symbol)
        for node in graph.nodes
        for kernel in candidates(FAMILIES, case_of(graph, node))
        if not OPS[node.op].alias
    }
    assert ran == wanted


def test_a_node_that_reads_another_keeps_its_kernel() -> None:
    net = SpatialNet()
    net.conv(net.conv(net.input(9, 9, 8), 8, SAME_3), 4, SAME_3)
    graph = net.graph()
    _, *others = rounds(FAMILIES, graph)
    assert {node.name for part in others for node in part.nodes} == {graph.nodes[0].name}
