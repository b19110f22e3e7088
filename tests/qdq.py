"""Small quantized ONNX models, in the spellings of the exporters that write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import ModelProto, TensorProto

from deployer.ir.graph import Graph
from deployer.numerics import interpret
from deployer.quantize.samples import device_layout
from models import ModelBuilder


class QdqBuilder(ModelBuilder):
    """Builds models with QuantizeLinear and DequantizeLinear; activations are of ``kind``."""

    def __init__(self, seed: int = 0, opset: int = 17, kind: Any = np.int8):
        super().__init__(seed, opset)
        self.kind = kind

    def numbers(self, scale: Any, zero: Any, kind: Any = None) -> list[str]:
        zeros = np.asarray(zero).astype(kind or self.kind)
        return [self.constant(np.float32(scale)), self.constant(zeros)]

    def q(self, x: str, scale: float, zero: int = 0) -> str:
        return self.node("QuantizeLinear", x, *self.numbers(scale, zero))

    def dq(self, x: str, scale: float, zero: int = 0) -> str:
        return self.node("DequantizeLinear", x, *self.numbers(scale, zero))

    def pair(self, x: str, scale: float, zero: int = 0) -> str:
        return self.dq(self.q(x, scale, zero), scale, zero)

    def stored(self, steps: np.ndarray, scale: Any, *, axis: int = 0) -> str:
        """Integers behind a DequantizeLinear; scales run along ``axis``, or there is one."""
        scales = np.float32(scale)
        attrs = {"axis": axis} if scales.ndim else {}
        numbers = self.numbers(scales, np.zeros_like(scales), steps.dtype)
        return self.node("DequantizeLinear", self.constant(steps), *numbers, **attrs)

    def steps(self, *shape: int) -> np.ndarray:
        """Weights over the whole of int8."""
        found = self.rng.integers(-100, 101, shape).astype(np.int8)
        found.flat[0], found.flat[1] = -128, 127
        return found

    def biased(self, channels: int, scale: Any) -> str:
        found = self.rng.integers(-3000, 3000, channels).astype(np.int32)
        return self.stored(found, np.broadcast_to(np.float32(scale), (channels,)))

    def qconv(
        self, x: str, shape: Sequence[int], scale_x: float, *, step: float = 0.004, **attrs: Any
    ) -> str:
        """Conv with per-channel int8 weights and an int32 bias."""
        scales = np.float32(step * self.rng.uniform(0.5, 1.5, shape[0]))
        weights = self.stored(self.steps(*shape), scales)
        bias = self.biased(shape[0], scales * np.float32(scale_x))
        return self.node("Conv", x, weights, bias, **attrs)


def small_conv_net(opset: int = 17, kind: type = np.int8) -> ModelProto:
    """Convolutions with a stride and a border, ReLU as a zero point, a pool and a dense head."""
    s = QdqBuilder(1, opset, kind)
    shift = 128 if kind is np.uint8 else 0
    x = s.pair(s.input(1, 3, 8, 8), 0.0311, 5 + shift)
    x = s.qconv(x, (6, 3, 3, 3), 0.0311, strides=[2, 2], pads=[0, 0, 1, 1])
    x = s.pair(x, 0.0517, -128 + shift)
    x = s.pair(s.qconv(x, (6, 1, 3, 3), 0.0517, group=6, step=0.01), 0.0597, -20 + shift)
    x = s.node("Flatten", s.node("GlobalAveragePool", x))
    x = s.pair(x, 0.0193, -10 + shift)
    weights = s.stored(s.steps(5, 6), 0.01)
    x = s.node("Gemm", x, weights, s.biased(5, 0.01 * 0.0193), transB=1)
    return s.model(s.pair(x, 0.0711, 3 + shift))


def brevitas_net(scale: Callable[[int], float]) -> ModelProto:
    """Narrow ranges as Clip between the pair, for weights and activations."""
    s = QdqBuilder(4)
    x = s.q(s.input(1, 2, 6, 6), scale(5))
    x = s.dq(s.node("Clip", x, *(s.constant(np.int8(n)) for n in (-127, 127))), scale(5))
    numbers = s.numbers(scale(8), 0)
    weights = s.constant(s.rng.normal(0, 0.2, (4, 2, 3, 3)).astype(np.float32))
    held = s.node("QuantizeLinear", weights, *numbers)
    held = s.node("Clip", held, s.constant(np.int8(-127)), s.constant(np.int8(127)))
    held = s.node("DequantizeLinear", held, *numbers)
    bias = s.biased(4, np.float32(scale(5)) * np.float32(scale(8)))
    x = s.relu(s.node("Conv", x, held, bias))
    x = s.q(x, scale(6), -128)
    x = s.dq(s.node("Clip", x, s.constant(np.int8(-100)), s.constant(np.int8(100))), scale(6), -128)
    x = s.node("Conv", x, s.stored(s.steps(3, 4, 1, 1), scale(8)))
    return s.model(s.pair(x, scale(4)))


def with_types(model: ModelProto, **kinds: int) -> ModelProto:
    """Other element types for some inputs and outputs, by name."""
    for item in (*model.graph.input, *model.graph.output):
        if item.name in kinds:
            item.type.tensor_type.elem_type = kinds[item.name]
    return model


INT8, UINT8 = TensorProto.INT8, TensorProto.UINT8


def runtime(model: ModelProto | Path) -> onnxruntime.InferenceSession:
    """ONNX Runtime without its optimizer, whose int8 kernels saturate on some processors."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    source = str(model) if isinstance(model, Path) else model.SerializeToString()
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def samples_for(graph: Graph, count: int = 8, seed: int = 0) -> dict[str, np.ndarray]:
    """Normal noise in the model's own layout."""
    rng = np.random.default_rng(seed)
    return {
        name: rng.normal(size=(count, *_shape(graph, name)[1:])).astype(np.float32)
        for name in graph.inputs
    }


def _shape(graph: Graph, name: str) -> tuple[int, ...]:
    return tuple(int(size) for size in graph.meta[f"model_shape/{name}"].split(","))


def expected(model: ModelProto | Path, feeds: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What ONNX Runtime gives, one sample at a time, images with their channels last."""
    session = runtime(model)
    names = [item.name for item in session.get_outputs()]
    count = len(next(iter(feeds.values())))
    rows = [session.run(names, {k: v[i : i + 1] for k, v in feeds.items()}) for i in range(count)]
    found = {name: np.concatenate([row[i] for row in rows]) for i, name in enumerate(names)}
    return {n: a.transpose(0, 2, 3, 1) if a.ndim == 4 else a for n, a in found.items()}


def real_steps(graph: Graph, feeds: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The imported graph on the same samples, real numbers."""
    return interpret.run(graph, {n: device_layout(graph, n, a) for n, a in feeds.items()})


def integer_steps(integer: Graph, feeds: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The integer graph on the same samples, its outputs as real numbers."""
    inputs = {
        name: interpret.quantize(device_layout(integer, name, array), integer.values[name].q)
        for name, array in feeds.items()
    }
    return {
        name: interpret.dequantize(array, integer.values[name].q)
        for name, array in interpret.run(integer, inputs).items()
    }


def save(model: ModelProto, folder: Path) -> Path:
    path = folder / "model.onnx"
    onnx.save(model, path)
    return path
