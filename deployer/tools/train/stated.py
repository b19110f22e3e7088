"""A float graph that states its quantization: what training starts from and what it hands over.

``quantize`` keeps stated scales, so the integers of such a graph are a function of its weights and
biases alone; weights that lie on their grid become exactly those integers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from deployer.errors import ModelError
from deployer.ir import OPS, DType, Graph, Layout, Node, Value, verify
from deployer.quantize import Scheme, assemble, hoist_clamps, stated_quantization

LINEAR = frozenset(op for op, spec in OPS.items() if spec.linear)
TRAINED = LINEAR | {"PRelu"}
WEIGHT_MAX = 127
SLOPE_STEP = 2.0**-7  # moves the output by about a step where the input is at its lowest


@dataclass(frozen=True, eq=False)
class Shadow:
    """A layer's float parameters between updates, float32.

    ``weight`` counts quantization steps and has the graph's layout; ``bias`` counts steps of the
    layer's output. The slopes of a PRelu are its weights, in steps of SLOPE_STEP; it has no biases.
    """

    weight: np.ndarray
    bias: np.ndarray


def linear_nodes(graph: Graph) -> tuple[Node, ...]:
    """The nodes whose weights and biases are trained."""
    return tuple(node for node in graph.nodes if node.op in LINEAR)


def trained_nodes(graph: Graph) -> tuple[Node, ...]:
    """The nodes with a Shadow."""
    return tuple(node for node in graph.nodes if node.op in TRAINED)


def stated_graph(real: Graph, integer: Graph) -> Graph:
    """Float ``real`` with the scales of its integer graph, each layer owning its constants."""
    owned = _own_constants(hoist_clamps(real))
    values = dict(owned.values)
    for name, value in integer.values.items():
        if name not in integer.constants:
            values[name] = replace(values[name], quant=value.quant)
    for node, step in zip(owned.nodes, integer.nodes, strict=True):
        if node.op in LINEAR:
            weight = node.inputs[1]
            values[weight] = replace(values[weight], quant=integer.values[step.inputs[1]].quant)
    return verify(replace(owned, values=values))


def _own_constants(graph: Graph) -> Graph:
    """Parameters under names of their layer: trained apart even where they were shared."""
    values, constants, nodes = dict(graph.values), dict(graph.constants), []
    for node in graph.nodes:
        if node.op in TRAINED:
            names = []
            for name, suffix in zip(node.inputs[1:], ("weight", "bias"), strict=False):
                own = _free_name(f"{node.name}.{suffix}", values)
                values[own] = replace(graph.values[name], name=own)
                constants[own] = graph.constants[name]
                names.append(own)
            node = replace(node, inputs=(node.inputs[0], *names))
        nodes.append(node)
    used = {name for node in nodes for name in node.inputs}
    idle = {name for name in constants if name not in used}
    return replace(
        graph,
        nodes=tuple(nodes),
        values={name: value for name, value in values.items() if name not in idle},
        constants={name: array for name, array in constants.items() if name not in idle},
    )


def _free_name(name: str, taken: Mapping[str, Value]) -> str:
    while name in taken:
        name += "_"
    return name


def first_shadows(stated: Graph, integer: Graph) -> dict[str, Shadow]:
    """Per trained node the parameters of ``integer``, its bias correction included.

    On the grid, not the float weights beside it: a fraction here would only be noise to the first
    stochastic rounding.
    """
    return {
        node.name: _first_shadow(stated, node, integer, step)
        for node, step in zip(stated.nodes, integer.nodes, strict=True)
        if node.op in TRAINED
    }


def _first_shadow(stated: Graph, node: Node, integer: Graph, step: Node) -> Shadow:
    if node.op not in LINEAR:
        slopes = stated.constants[node.inputs[1]] / np.float32(SLOPE_STEP)
        return Shadow(slopes.astype(np.float32), np.zeros(0, dtype=np.float32))
    weights = integer.constants[step.inputs[1]].astype(np.float32)
    return Shadow(weights, _first_bias(stated, node, integer, step))


def _first_bias(stated: Graph, node: Node, integer: Graph, step: Node) -> np.ndarray:
    bias = integer.constants[step.inputs[2]].astype(np.float64)
    if OPS[node.op].complete_sums:
        weights = integer.constants[step.inputs[1]].astype(np.int64)
        axes = (0, 1) if _is_depthwise(stated, node) else tuple(range(1, weights.ndim))
        bias += integer.values[node.inputs[0]].q.zero_point * weights.sum(axis=axes)
    real = bias * bias_steps(stated, integer, node)
    steps: np.ndarray = (real / output_step(stated, node)).astype(np.float32)
    return steps


def weight_steps(stated: Graph, node: Node) -> np.ndarray:
    """float64 real numbers of one weight step, broadcasting against the weights."""
    scales = np.array(stated.values[node.inputs[1]].q.scale)
    if _is_depthwise(stated, node):
        return scales
    return scales.reshape(-1, *[1] * (stated.constants[node.inputs[1]].ndim - 1))


def bias_steps(stated: Graph, integer: Graph, node: Node) -> np.ndarray:
    """float64 real numbers of one accumulator step, per output channel."""
    scales = np.array(stated.values[node.inputs[1]].q.scale)
    return scales * integer.values[node.inputs[0]].q.tensor_scale


def output_step(stated: Graph, node: Node) -> np.float32:
    """The output's scale, the unit of shadow biases."""
    return np.float32(stated.values[node.output].q.tensor_scale)


def _is_depthwise(graph: Graph, node: Node) -> bool:
    return graph.values[node.inputs[1]].layout is Layout.HWC


def with_shadows(stated: Graph, shadows: Mapping[str, Shadow]) -> Graph:
    """``stated`` with weights rounded to their grid, half to even; biases and slopes as they are
    in ``shadows``."""
    constants = dict(stated.constants)
    for node in trained_nodes(stated):
        shadow = shadows[node.name]
        if node.op not in LINEAR:
            constants[node.inputs[1]] = shadow.weight * np.float32(SLOPE_STEP)
            continue
        steps = np.clip(np.rint(shadow.weight), -WEIGHT_MAX, WEIGHT_MAX)
        constants[node.inputs[1]] = (steps * weight_steps(stated, node)).astype(DType.F32.numpy)
        constants[node.inputs[2]] = shadow.bias * output_step(stated, node)
    return verify(replace(stated, constants=constants))


def to_integers(stated: Graph, scheme: Scheme) -> Graph:
    """The integer graph the pipeline makes of ``stated``.

    Raises ModelError when a weight scale could not be kept: the layer was not trained for another.
    """
    integer = assemble(stated, stated_quantization(stated), scheme, means={}).graph
    for node, step in zip(stated.nodes, integer.nodes, strict=True):
        if node.op not in LINEAR:
            continue
        if integer.values[step.inputs[1]].q.scale != stated.values[node.inputs[1]].q.scale:
            raise ModelError(
                f"{node.op} {node.name} left int32 while it was trained",
                hints=["lower --lr, or use the multiply-shift scheme"],
            )
    return integer
