"""What a float graph states about its quantization, and whether a scheme can keep it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from deployer.choices import SchemeName
from deployer.errors import UsageError
from deployer.ir import OPS, Graph, Node, QuantParams, Value
from deployer.quantize.scheme import Scheme

_MAX_SHOWN = 3


@dataclass(frozen=True)
class StatedReport:
    """How much of a network came with a quantization of its own.

    Activations count where they have a scale of their own, weights by layer. ``worst`` is the
    largest bound on what integer multipliers lose in a layer, in output steps, ``layer`` its name.
    """

    activations: int
    stated_activations: int
    weights: int
    stated_weights: int
    worst: float
    layer: str


def stated_quantization(graph: Graph) -> dict[str, QuantParams]:
    """The quantization of every activation of a float graph that states one."""
    activations = (v for name, v in graph.values.items() if name not in graph.constants)
    return {value.name: value.quant for value in activations if value.quant is not None}


def owners(graph: Graph) -> set[str]:
    """Activations with a quantization of their own."""
    return {node.output for node in graph.nodes if OPS[node.op].own_range} | set(graph.inputs)


def layer_weights(graph: Graph) -> tuple[Value, ...]:
    """The weights of every layer that has some."""
    return tuple(graph.values[node.inputs[1]] for node in graph.nodes if OPS[node.op].linear)


def stated_report(
    graph: Graph, integer: Graph, deviations: Mapping[str, float]
) -> StatedReport | None:
    """None for a graph that states nothing. What counts is what ``integer``, the same nodes as
    integers, has kept."""
    own, stated, weights = owners(graph), stated_quantization(graph), layer_weights(graph)
    if not stated and all(value.quant is None for value in weights):
        return None
    layers = zip(graph.nodes, integer.nodes, strict=True)
    kept = sum(_keeps_weights(graph, integer, *nodes) for nodes in layers)
    layer = max(deviations, key=lambda name: deviations[name], default="")
    return StatedReport(
        activations=len(own),
        stated_activations=sum(integer.values[n].quant == stated[n] for n in own & set(stated)),
        weights=len(weights),
        stated_weights=kept,
        worst=deviations.get(layer, 0.0),
        layer=layer,
    )


def _keeps_weights(graph: Graph, integer: Graph, node: Node, step: Node) -> bool:
    """Whether a layer's weights have the scales that they state, where they are not all 0."""
    stated = graph.values[node.inputs[1]].quant if OPS[node.op].linear else None
    if stated is None:
        return False
    value, steps = integer.values[step.inputs[1]], integer.constants[step.inputs[1]]
    rows = np.moveaxis(steps, value.q.axis or 0, 0).reshape(len(value.q.scale), -1)
    same = np.resize(stated.scale, len(rows)) == value.q.scale
    return bool(np.all(same | ~rows.any(axis=1)))


def describe(found: StatedReport) -> str:
    """The report as a sentence or two."""
    steps = max(1, math.ceil(found.worst))
    return (
        f"the model's own quantization is kept for {found.stated_activations} of "
        f"{found.activations} activations and the weights of {found.stated_weights} of "
        f"{found.weights} layers; integer multipliers lose at most {found.worst:.3g} output steps "
        f"({found.layer}), so a layer may differ from other runtimes' by {steps} "
        f"step{'s' if steps > 1 else ''}"
    )


def check_scheme(graph: Graph, scheme: Scheme) -> None:
    """Raises UsageError where the scheme has shifts only and stated scales are no powers of two."""
    if scheme.name != SchemeName.POWER_OF_TWO:
        return
    bad = [f"{name}: {scale:g}" for name, scale in _scales(graph) if math.frexp(scale)[0] != 0.5]
    if bad:
        more = [f"and {len(bad) - _MAX_SHOWN} more"] if len(bad) > _MAX_SHOWN else []
        raise UsageError(
            f"{graph.name} states scales that are not powers of two",
            why=[*bad[:_MAX_SHOWN], *more],
            hints=[
                "--scheme multiply-shift keeps the model's scales as they are",
                "give the float model to quantize it anew with powers of two",
            ],
        )


def _scales(graph: Graph) -> Iterator[tuple[str, float]]:
    for name, value in graph.values.items():
        if value.quant is not None:
            yield from ((name, scale) for scale in value.quant.scale)
