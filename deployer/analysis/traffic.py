"""How often the bytes of each buffer are read and written in one inference: a simple count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from deployer.analysis.cost import node_macs
from deployer.analysis.layout import layout_of
from deployer.analysis.liveness import owners, places, scratch_id, step_nodes
from deployer.ir import OPS, Family, Graph, Node

CHANNELS_PER_READ = 4  # output channels that share a byte read from the input


def buffer_traffic(graph: Graph, scratch: Mapping[str, int] | None = None) -> dict[str, int]:
    """Bytes moved per buffer of ``lifetimes``, reads of every product counted.

    A convolution or dense layer reads a byte a product for every four output channels, a depthwise
    one a byte a product, a pool its windows, all others each input once. Every output is written
    once, inputs of the network by their source, scratch written and read once. What patches compute
    twice is counted once.
    """
    buffer_of = _buffers(graph)
    there = (name for name in graph.inputs if name not in graph.outside)
    moved = Counter({buffer_of[name]: graph.values[name].bytes for name in there})
    for node in step_nodes(graph):
        for name in (n for n in node.outputs if n not in graph.outside):
            moved[buffer_of[name]] += graph.values[name].bytes
        for name in (n for n in graph.activations(node) if n not in graph.outside):
            moved[buffer_of[name]] += _reads(graph, node, name)
        if size := (scratch or {}).get(node.name, 0):
            moved[scratch_id(node.name)] += 2 * size
    return dict(moved)


def _buffers(graph: Graph) -> dict[str, str]:
    """The buffer that holds each activation, or its piece or ring."""
    layouts = (layout_of(graph, region) for region in graph.regions)
    slot = {name: slot.owner for layout in layouts for name, slot in layout.slots.items()}
    place, owner = places(graph), owners(graph)
    found = {}
    for name in owner:
        held = slot.get(name, owner[name])
        found[name] = place[held].buffer if held in place else held
    return found


def _reads(graph: Graph, node: Node, name: str) -> int:
    value, spec = graph.values[name], OPS[node.op]
    if spec.linear:
        shared = 1 if spec.channelwise else CHANNELS_PER_READ
        return node_macs(graph, node) // shared * value.dtype.bytes
    if spec.family is Family.POOL:
        taps: int = node.attrs.window.taps
        return graph.values[node.output].bytes * taps
    return value.bytes
