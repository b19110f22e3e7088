"""Run a graph on numpy: float for calibration and accuracy, integer for the golden outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from deployer.ir import DType, Graph, Node, Value
from deployer.numerics import floating, integer
from deployer.numerics.steps import dequantize, quantize

_CHUNK_SAMPLES = 32
_CHUNK_ELEMENTS = 1 << 22


def trace(graph: Graph, inputs: Mapping[str, np.ndarray]) -> Iterator[tuple[Node, np.ndarray]]:
    """Each node with its output, in order. ``inputs`` are NHWC or NC batches of the graph's type.

    A float value that states a quantization is rounded to it, as in the model that states it.
    Values are dropped after their last use, so a long batch needs little memory.
    """
    live = {name: rounded(graph.values[name], inputs[name]) for name in graph.inputs}
    last_use = {name: node.name for node in graph.nodes for name in node.inputs}
    for node in graph.nodes:
        args = [live[n] if n in live else graph.constants[n] for n in node.inputs]
        result = evaluate(graph, node, args)
        live[node.output] = result
        yield node, result
        for name in dict.fromkeys((*node.inputs, *node.outputs)):
            if last_use.get(name, node.name) == node.name:
                live.pop(name, None)


def run(graph: Graph, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Outputs for any number of samples, a chunk at a time."""
    parts: dict[str, list[np.ndarray]] = {name: [] for name in graph.outputs}
    for chunk in chunks(graph, inputs):
        found = {name: chunk[name] for name in graph.outputs if name in chunk}
        for node, result in trace(graph, chunk):
            if node.output in parts:
                found[node.output] = result
        for name in graph.outputs:
            parts[name].append(found[name])
    return {name: np.concatenate(arrays) for name, arrays in parts.items()}


def chunks(graph: Graph, inputs: Mapping[str, np.ndarray]) -> Iterator[dict[str, np.ndarray]]:
    """The batch in consecutive parts, small enough that one activation fits a few megabytes."""
    activations = (v for name, v in graph.values.items() if name not in graph.constants)
    largest = max(value.elements for value in activations)
    step = max(1, min(_CHUNK_SAMPLES, _CHUNK_ELEMENTS // largest))
    for start in range(0, len(next(iter(inputs.values()))), step):
        yield {name: inputs[name][start : start + step] for name in graph.inputs}


def evaluate(graph: Graph, node: Node, args: list[np.ndarray]) -> np.ndarray:
    """The output of one node: ``args`` are batches of its activations, then its constants."""
    value = graph.values[node.output]
    if value.dtype is DType.F32:
        return rounded(value, floating.evaluate(node, args))
    return integer.evaluate(graph, node, args)


def rounded(value: Value, x: np.ndarray) -> np.ndarray:
    """``x`` as the integers of a float value with a stated quantization can hold it."""
    if value.dtype is not DType.F32 or value.quant is None:
        return x
    return dequantize(quantize(x, value.quant), value.quant)
