"""Golden outputs: what every layer must compute, from the numpy reference."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from deployer.analysis import launches
from deployer.ir import ConcatAttrs, Graph, Layout, Schedule, Value, transposed_blocks
from deployer.numerics import dequantize, quantize, trace


@dataclass(frozen=True, eq=False)
class Golden:
    """``inputs`` and ``outputs``: the bytes of the inputs and outputs in graph order, as int8
    (samples, bytes); int16 has the low byte first. ``crcs``: uint32 (samples, launches), CRC-32
    of what each step or region leaves."""

    inputs: np.ndarray
    outputs: np.ndarray
    crcs: np.ndarray


def make_golden(schedule: Schedule, inputs: Mapping[str, np.ndarray]) -> Golden:
    """Run the integer reference over integer NHWC ``inputs``, one sample at a time."""
    count = len(next(iter(inputs.values())))
    rows = [_one(schedule, {k: v[i : i + 1] for k, v in inputs.items()}) for i in range(count)]
    graph = schedule.graph
    outputs = [{name: values[name] for name in graph.outputs} for values in rows]
    probed = [launch.output for launch in launches(schedule)]
    crcs = [[_probed(graph, name, values[name]) for name in probed] for values in rows]
    return Golden(
        inputs=join(laid(graph, inputs), graph.inputs),
        outputs=np.concatenate([join(sample, graph.outputs) for sample in outputs]),
        crcs=np.array(crcs, dtype=np.uint32).reshape(count, len(probed)),
    )


def _probed(graph: Graph, name: str, array: np.ndarray) -> int:
    """CRC of what a probe reads; nothing where parts of a value were spilled one by one."""
    if name in graph.spilled and isinstance(graph.producer[name].attrs, ConcatAttrs):
        return crc(array[:0])
    return crc(_laid(graph.values[name], array))


def _one(schedule: Schedule, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    values = dict(inputs)
    values |= {node.output: result for node, result in trace(schedule.graph, inputs)}
    return values


def laid(graph: Graph, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """NHWC ``arrays`` as they lie in memory."""
    return {name: _laid(graph.values[name], array) for name, array in arrays.items()}


def _laid(value: Value, array: np.ndarray) -> np.ndarray:
    """NHWC as it lies in memory."""
    return transposed_blocks(array) if value.layout is Layout.BLOCKED else array


def crc(array: np.ndarray) -> int:
    """CRC-32 (zlib polynomial) of the tensor's bytes in C order."""
    return zlib.crc32(np.ascontiguousarray(array).tobytes())


def quantize_inputs(graph: Graph, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Real NHWC batches to what the device takes: integers, or the floats of a float network."""
    return {name: _taken(graph.values[name], arrays[name]) for name in graph.inputs}


def _taken(value: Value, array: np.ndarray) -> np.ndarray:
    return array.astype(np.float32) if value.quant is None else quantize(array, value.quant)


def join(arrays: Mapping[str, np.ndarray], names: tuple[str, ...]) -> np.ndarray:
    """(samples, bytes) as int8: the named tensors flattened and laid end to end."""
    return np.concatenate([_bytes(arrays[name]) for name in names], axis=1)


def _bytes(array: np.ndarray) -> np.ndarray:
    rows = np.ascontiguousarray(array.reshape(len(array), -1))
    little = rows.astype(rows.dtype.newbyteorder("<"), copy=False)
    return little.view(np.int8)


def split_outputs(graph: Graph, joined: np.ndarray) -> dict[str, np.ndarray]:
    """The inverse of ``join`` for outputs, as real numbers of the graph's shapes."""
    result, start = {}, 0
    for name in graph.outputs:
        value = graph.values[name]
        part = np.ascontiguousarray(joined[:, start : start + value.bytes])
        elements = part.view(value.dtype.numpy.newbyteorder("<"))
        shaped = elements.reshape(len(joined), *value.shape[1:])
        result[name] = shaped if value.quant is None else dequantize(shaped, value.quant)
        start += value.bytes
    return result
