"""Random shares, and the parts of networks that share in every way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from deployer.analysis.alias_facts import AliasFacts
from deployer.analysis.liveness import alias_facts_of, step_nodes
from deployer.analysis.places import Misplaced
from deployer.analysis.sharing import clusters
from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph
from deployer.ir.share import Share
from deployer.kernelset.select import by_symbol
from deployer.schedule.alias_candidates import OverlapOffset, moves
from deployer.schedule.order import kernel_of, overlap_offset_by
from unit.analysis.spatial_nets import SpatialNet


def offsets_of(graph: Graph, cores: int = 1) -> OverlapOffset:
    """What the portable kernels allow."""
    names = {node.name: kernel_of((), graph, node)[0] for node in step_nodes(graph)}
    return overlap_offset_by({node: by_symbol(name) for node, name in names.items()}, cores)


@st.composite
def forced(draw: Any, graph: Graph, cores: int = 1) -> Graph:
    """``graph`` with random shares, whether they serve or not: all that do not clash."""
    facts = alias_facts_of(graph)
    options = [share for move in moves(facts, offsets_of(graph, cores)) for share in move]
    kept: tuple[Share, ...] = ()
    for share in draw(st.permutations(list(dict.fromkeys(options)))):
        if draw(st.integers(0, 3)) and _lie(facts, (*kept, share)):
            kept = (*kept, share)
    return replace(graph, shares=kept)


def _lie(facts: AliasFacts, shares: tuple[Share, ...]) -> bool:
    """Whether all of them can be."""
    try:
        return bool(list(clusters(facts, shares)))
    except Misplaced:
        return False


def dense_block() -> tuple[Graph, SpatialNet]:
    """Each layer reads all before it, joined: what one Concat joins the next one joins again."""
    net = SpatialNet(2, joined=True)
    same = Window((3, 3), pads=Pads(1, 1, 1, 1))
    made = [net.conv(net.input(9, 7, 3), 4, same)]
    for _ in range(3):
        both = net.concat(*made) if len(made) > 1 else made[0]
        made.append(net.conv(net.prelu(both), 3, same))
    net.pool(net.concat(*made), "MaxPool", Window((2, 2), (2, 2)))
    return net.graph(), net
