"""The integer network as a differentiable function of its shadow weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import torch

from deployer.ir import Graph, Node
from deployer.tools.train.layer import Layer
from deployer.tools.train.operators import evaluate
from deployer.tools.train.stated import (
    LINEAR,
    SLOPE_STEP,
    WEIGHT_MAX,
    Shadow,
    bias_steps,
    linear_nodes,
    output_step,
)
from deployer.tools.train.straight_through import rounded, tables_of


@dataclass(frozen=True, eq=False)
class Parameters:
    """A ``Shadow`` as leaf tensors."""

    weight: torch.Tensor
    bias: torch.Tensor


def parameters_of(shadows: Mapping[str, Shadow], device: torch.device) -> dict[str, Parameters]:
    """Leaf tensors that hold copies of ``shadows``."""
    return {
        name: Parameters(*(_leaf(array, device) for array in (shadow.weight, shadow.bias)))
        for name, shadow in shadows.items()
    }


def _leaf(array: np.ndarray, device: torch.device) -> torch.Tensor:
    return torch.tensor(array, dtype=torch.float32, device=device, requires_grad=True)


def shadows_of(parameters: Mapping[str, Parameters]) -> dict[str, Shadow]:
    """Copies of the tensors' present values."""
    return {
        name: Shadow(*(t.detach().cpu().numpy().copy() for t in (p.weight, p.bias)))
        for name, p in parameters.items()
    }


@dataclass(frozen=True, eq=False)
class _Slopes:
    """The slopes a PRelu's tables were made of, in steps, and multiplier per step, float64."""

    first: torch.Tensor
    unit: torch.Tensor


@dataclass(frozen=True, eq=False)
class _Units:
    """Real numbers of one output step (float32) and of one accumulator step (float64)."""

    output: torch.Tensor
    accumulator: torch.Tensor


class Student:
    """``integer`` simulated on tensors, with the weights and biases of ``parameters``.

    Its outputs equal numerics.interpret's when ``integer`` is what the pipeline makes of the
    parameters. While they move, weights, biases and slopes follow at every step; multipliers of the
    multiply-shift scheme, which depend on the weights' sums, follow when a new Student is made.
    """

    def __init__(
        self,
        stated: Graph,
        integer: Graph,
        parameters: Mapping[str, Parameters],
        device: torch.device,
    ):
        self._integer = integer
        self._parameters = parameters
        self._units = {
            node.name: _Units(
                torch.tensor(output_step(stated, node), device=device),
                torch.tensor(bias_steps(stated, integer, node), device=device),
            )
            for node in linear_nodes(stated)
        }
        self._layers = [_layer(integer, node, device) for node in integer.nodes]
        self._slopes = {
            layer.node.name: _slopes(layer, parameters[layer.node.name])
            for layer in self._layers
            if layer.node.op == "PRelu"
        }

    def run(self, inputs: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """The outputs for batches of input integers in float32, as integers in float32."""
        outputs = {name: x for name, x in inputs.items() if name in self._integer.outputs}
        for node, result in self.trace(inputs):
            if node.output in self._integer.outputs:
                outputs[node.output] = result
        return outputs

    def trace(self, inputs: Mapping[str, torch.Tensor]) -> Iterator[tuple[Node, torch.Tensor]]:
        """Each node with its output, in order; values are dropped after their last use."""
        live = dict(inputs)
        last = {name: node.name for node in self._integer.nodes for name in node.inputs}
        for layer in self._layers:
            node = layer.node
            names = self._integer.activations(node)
            result = evaluate(self._with_parameters(layer), [live[name] for name in names])
            live[node.output] = result
            yield node, result
            for name in {*names, node.output}:
                if last.get(name, node.name) == node.name:
                    del live[name]

    def _with_parameters(self, layer: Layer) -> Layer:
        if layer.node.op == "PRelu":
            return self._with_slopes(layer)
        if layer.node.op not in LINEAR:
            return layer
        held, units = self._parameters[layer.node.name], self._units[layer.node.name]
        weight = rounded(held.weight).clamp(-WEIGHT_MAX, WEIGHT_MAX)
        bias = rounded((held.bias * units.output).double() / units.accumulator)
        return layer.with_integers(weight, bias)

    def _with_slopes(self, layer: Layer) -> Layer:
        """Multipliers moved as far as the slopes have; unmoved slopes keep the very integers."""
        slopes, tables = self._slopes[layer.node.name], layer.tables
        moved = self._parameters[layer.node.name].weight.double() - slopes.first
        below = rounded(tables.multiplier[1:] + moved * slopes.unit)
        multiplier = torch.cat([tables.multiplier[:1], below])
        return replace(layer, requant=replace(tables, multiplier=multiplier))


def _slopes(layer: Layer, parameters: Parameters) -> _Slopes:
    steps = SLOPE_STEP * layer.sources[0].tensor_scale / layer.target.tensor_scale
    unit = steps * torch.exp2(layer.tables.shift[1:])
    return _Slopes(parameters.weight.detach().double().clone(), unit)


def _layer(integer: Graph, node: Node, device: torch.device) -> Layer:
    names = [] if node.op in LINEAR else [n for n in node.inputs if n in integer.constants]
    return Layer(
        node=node,
        sources=tuple(integer.values[name].q for name in integer.activations(node)),
        target=integer.values[node.output].q,
        requant=tables_of(integer, node, device),
        constants=tuple(torch.as_tensor(integer.constants[n], device=device) for n in names),
    )


def leaves(parameters: Mapping[str, Parameters]) -> list[torch.Tensor]:
    """All tensors in graph order, weight before bias."""
    return list(chain.from_iterable((p.weight, p.bias) for p in parameters.values()))
