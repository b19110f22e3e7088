"""Which activations share one quantization, so that joining them loses nothing.

An input of a Concat that nothing else reads takes the Concat's quantization: its values end up at
that scale anyway, and one rounding is saved. Operators that only move elements pass the choice on
to the layer before them. A Concat that others read too takes the scale of the Concat that continues
it, if that is hardly coarser: otherwise a chain of them, as in DenseNet, rounds the same numbers in
each of its members.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

from deployer.ir import OPS, Graph, Node, QuantParams
from deployer.quantize.calibrate import Spread
from deployer.quantize.stated import owners

MAX_SCALE_RATIO = 1.5  # most that a chain's scale may exceed a member's: 0.6 bits of that member
MAX_CLIPPED_SHARE = 0.02  # most of a member's range that the chain's may leave out at either end


def sources(graph: Graph) -> dict[str, str]:
    """Every activation to the one whose quantization it keeps, itself when it has its own."""
    found = {name: name for name in graph.inputs}
    for node in graph.nodes:
        keeps = OPS[node.op].keeps_quantization
        found[node.output] = found[node.inputs[0]] if keeps else node.output
    return found


def shared(
    graph: Graph, activations: Mapping[str, QuantParams], stated: Container[str] = ()
) -> dict[str, QuantParams]:
    """``activations`` with the inputs of each Concat at its quantization where that is free.

    A Concat whose inputs all have one quantization keeps it. Values without an own quantization
    (a Softmax's) stay out, and ``stated`` ones keep what they have.
    """
    found, source = dict(activations), sources(graph)
    joins = [node for node in graph.nodes if node.op == "Concat"]
    for node in reversed(joins):  # the last settles what those before it take
        for name in dict.fromkeys(graph.activations(node)):
            if source[name] in stated:
                continue
            if source[name] not in found:
                continue
            free = _only_feeds(graph, source[name], node)
            if free or _continues(graph, found, source[name], node.output):
                found[source[name]] = found[node.output]
    for node in joins:
        owners = {source[name] for name in graph.activations(node)}
        quants = {found[name] for name in owners if name in found}
        if len(quants) == 1 and owners <= set(found) and node.output not in stated:
            found[node.output] = quants.pop()
    return found


def tied(graph: Graph) -> dict[str, tuple[str, ...]]:
    """By tied activation, all those of its tie that have a quantization of their own."""
    own = owners(graph)
    ties = (tuple(name for name in tie.values if name in own) for tie in graph.ties)
    return {name: names for names in ties for name in names}


def _continues(graph: Graph, found: Mapping[str, QuantParams], name: str, output: str) -> bool:
    """Whether ``name`` is a Concat, and ``output``, joined from it, has about its range."""
    before = graph.producer.get(name)
    if before is None or before.op != "Concat" or name in graph.outputs:
        return False
    own, joined = found[name], found[output]
    if own.bits != joined.bits or joined.tensor_scale > MAX_SCALE_RATIO * own.tensor_scale:
        return False
    (low, high), (least, most) = _range(own), _range(joined)
    slack = MAX_CLIPPED_SHARE * (high - low)
    return least <= low + slack and high - slack <= most


def _range(quant: QuantParams) -> tuple[float, float]:
    ends = (quant.low - quant.zero_point, quant.high - quant.zero_point)
    return ends[0] * quant.tensor_scale, ends[1] * quant.tensor_scale


def _only_feeds(graph: Graph, name: str, join: Node) -> bool:
    """Whether all that is made of ``name`` ends in ``join``, moved but unchanged."""
    readers = graph.consumers.get(name, ())
    if name in graph.outputs or not readers:
        return False
    return all(
        reader.name == join.name
        or (OPS[reader.op].keeps_quantization and _only_feeds(graph, reader.output, join))
        for reader in readers
    )


def with_pad_values(graph: Graph, spreads: Mapping[str, Spread]) -> dict[str, Spread]:
    """``spreads`` with the values that Pads add in the range of what they pad."""
    found, source = dict(spreads), sources(graph)
    for node in graph.nodes:
        if node.op == "Pad" and source[node.output] in found:
            name, value = source[node.output], node.attrs.value
            old = found[name]
            found[name] = replace(old, low=min(old.low, value), high=max(old.high, value))
    return found
