"""Assemble the integer graph: values, constants and nodes from each layer's integers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from deployer.ir import DType, Graph, Layout, Node, QuantParams, Requant, Value, verify
from deployer.numerics import Multipliers
from deployer.quantize.alike import share_constants
from deployer.quantize.layers import convert
from deployer.quantize.ranges import Interval
from deployer.quantize.rounding import Rounder, nearest
from deployer.quantize.scheme import Scheme, Tensor
from deployer.quantize.task import Constant, IntegerLayer, Task

_DTYPES = {dtype.numpy: dtype for dtype in DType}


@dataclass(eq=False)
class _Draft:
    """The integer graph while it grows, and what later layers must know of earlier ones."""

    values: dict[str, Value] = field(default_factory=dict)
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    intervals: dict[str, Interval] = field(default_factory=dict)
    deviations: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class IntegerGraph:
    """``deviations``: per requantized node the bound on what its integer multipliers cost, in
    output steps. ``notes``: scales that had to give way."""

    graph: Graph
    deviations: Mapping[str, float]
    notes: tuple[str, ...]


def assemble(
    graph: Graph,
    activations: Mapping[str, QuantParams],
    scheme: Scheme,
    means: Mapping[str, np.ndarray],
    *,
    rounder: Rounder | None = None,
) -> IntegerGraph:
    """The integer graph of float ``graph``. ``activations`` covers inputs and every own range.

    ``means``, per channel of each activation, correct the biases for rounded weights; those of
    activations that are missing are left alone. ``rounder`` rounds the weights of int16 layers, by
    default to the nearest.
    """
    draft = _Draft()
    for name in graph.inputs:
        quant = activations[name]
        _add_activation(draft, graph.values[name], quant, (quant.low, quant.high))
    for node in graph.nodes:
        sources = graph.activations(node)
        tensors = tuple(Tensor(draft.values[n].q, draft.intervals[n]) for n in sources)
        wanted, mean = activations.get(node.output), means.get(sources[0])
        rounding = rounder.of(node.name) if rounder else nearest
        task = Task(graph, node, tensors, wanted, scheme, mean, rounding)
        _add_layer(draft, graph, node, convert(task))
    result = replace(
        graph,
        values=draft.values,
        nodes=tuple(draft.nodes),
        constants=draft.constants,
        notes=(*graph.notes, *draft.notes),
        ties=(),
    )
    alike = share_constants(result) if graph.ties else result
    return IntegerGraph(verify(alike), draft.deviations, tuple(draft.notes))


def _add_layer(draft: _Draft, graph: Graph, node: Node, layer: IntegerLayer) -> None:
    operands = tuple(
        _add_constant(draft, graph, f"{node.name}.{suffix}", constant)
        for suffix, constant in layer.operands.items()
    )
    _add_activation(draft, graph.values[node.output], layer.output, layer.interval)
    requant = _requant(draft, graph, node, layer)
    inputs = (*graph.activations(node), *operands)
    draft.nodes.append(replace(layer.node or node, inputs=inputs, requant=requant))
    draft.notes.extend(f"{node.name}: {note}" for note in layer.notes)


def _add_activation(draft: _Draft, value: Value, quant: QuantParams, interval: Interval) -> None:
    draft.values[value.name] = replace(value, dtype=quant.dtype, quant=quant)
    draft.intervals[value.name] = interval


def _requant(draft: _Draft, graph: Graph, node: Node, layer: IntegerLayer) -> Requant | None:
    if layer.multipliers is None:
        return None
    draft.deviations[node.name] = layer.multipliers.error
    multiplier, rounding, shift = (
        _add_constant(draft, graph, f"{node.name}.{suffix}", Constant(array, Layout.VECTOR))
        for suffix, array in _tables(layer.multipliers).items()
    )
    low, high = layer.interval
    return Requant(layer.multipliers.rule, multiplier, rounding, shift, low, high)


def _tables(found: Multipliers) -> dict[str, np.ndarray]:
    return {"multiplier": found.multiplier, "rounding": found.rounding, "shift": found.shift}


def _add_constant(draft: _Draft, graph: Graph, name: str, constant: Constant) -> str:
    """Store the constant under ``name``, or ``name`` with underscores where that is taken."""
    while name in draft.values or (name in graph.values and name not in graph.constants):
        name += "_"
    array = constant.array
    dtype = _DTYPES[array.dtype]
    draft.values[name] = Value(name, array.shape, dtype, constant.layout, constant.quant)
    draft.constants[name] = array
    return name
