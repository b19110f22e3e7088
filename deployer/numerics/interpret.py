"""Run a graph on numpy: float for calibration and accuracy, integer for the golden outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from deployer.ir.graph import Graph, Node
from deployer.ir.types import DType, QuantParams, Value
from deployer.numerics import floating, integer

_CHUNK = 32
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
    step = max(1, min(_CHUNK, _CHUNK_ELEMENTS // largest))
    for start in range(0, len(next(iter(inputs.values()))), step):
        yield {name: inputs[name][start : start + step] for name in graph.inputs}


def evaluate(graph: Graph, node: Node, args: list[np.ndarray]) -> np.ndarray:
    """The output of one node: ``args`` are batches of its activations, then its constants."""
    value = graph.values[node.output]
    if value.dtype is DType.F32:
        return rounded(value, floating.evaluate(node, args))
    return integer.evaluate(graph, node, args)


def rounded(value: Value, x: np.ndarray) -> np.ndarray:
    """``x`` as the integers of a float value with a stated quantization can hold it.

    In float32, as ONNX defines QuantizeLinear and DequantizeLinear: ties fall as they do there.
    """
    if value.dtype is not DType.F32 or value.quant is None:
        return x
    scale, zero = np.float32(value.quant.tensor_scale), value.quant.zero_point
    steps = np.rint(x / scale)
    return np.clip(steps, -128 - zero, 127 - zero, out=steps) * scale


def quantize(x: np.ndarray, quant: QuantParams) -> np.ndarray:
    """Real to the integers of an activation, half to even, saturated."""
    steps = np.rint(x.astype(np.float64) / quant.tensor_scale) + quant.zero_point
    return np.clip(steps, quant.low, quant.high).astype(quant.dtype.numpy)


def dequantize(q: np.ndarray, quant: QuantParams) -> np.ndarray:
    """Integers to real, float32."""
    return ((q.astype(np.float32) - quant.zero_point) * quant.tensor_scale).astype(np.float32)
