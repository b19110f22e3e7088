"""Which steps one thread does alone, since handing a part to others takes longer than the part.

A step is handed over by a word that the others look at, and theirs is awaited in the same way: some
two microseconds where they still look. They look for ten before they sleep in the kernel, which
takes fifty to leave (LOOKS in firmware/ports/linux/dpl_threads.c). A step of less than those ten is
left to one thread, and the others still look when it ends. Nothing of this was measured on a board.
"""

from __future__ import annotations

from deployer.analysis import Launch, node_macs
from deployer.ir import Graph

CYCLES_A_MAC = 0.4  # of one thread, roughly those of the kernels for NEON
CYCLES_AN_ELEMENT = 2.0
SHARED_CYCLES = 12_000  # ten microseconds at 1.2 GHz


def is_small(graph: Graph, launch: Launch) -> bool:
    """Whether one thread does the steps of ``launch`` alone."""
    names = {step.node for step in launch.steps}
    nodes = [node for node in graph.nodes if node.name in names]
    macs = sum(node_macs(graph, node) for node in nodes)
    elements = sum(graph.values[node.output].elements for node in nodes)
    return macs * CYCLES_A_MAC + elements * CYCLES_AN_ELEMENT < SHARED_CYCLES
