"""Writes an LSTM keyword spotter and a GRU denoiser with random weights, and samples for each.

    python docs/examples/recurrent/write_networks.py FOLDER [GAIN]

GAIN (1) multiplies the weights of the spotter, which are uniform over 1/sqrt(units).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper


class _Weights:
    """Seeded uniform weights, by name."""

    def __init__(self, spread: float):
        self._rng, self._spread = np.random.default_rng(0), spread
        self.tensors: list[TensorProto] = []

    def add(self, name: str, *shape: int) -> str:
        array = self._rng.uniform(-self._spread, self._spread, shape).astype(np.float32)
        return self.keep(name, array)

    def keep(self, name: str, array: np.ndarray) -> str:
        self.tensors.append(numpy_helper.from_array(array, name))
        return name


def spotter(
    gain: float = 1.0, steps: int = 49, features: int = 10, units: int = 64, words: int = 12
) -> ModelProto:
    """As PyTorch writes LSTM(batch_first=True) and a Linear layer of the last state."""
    w = _Weights(gain / np.sqrt(units))
    gates = 4 * units
    shapes = {"W": (1, gates, features), "R": (1, gates, units), "B": (1, 2 * gates)}
    numbers = [w.add(name, *shape) for name, shape in shapes.items()]
    dense = [w.add("fc.weight", words, units), w.add("fc.bias", words)]
    axis = w.keep("axis", np.int64([0]))
    nodes = [
        helper.make_node("Transpose", ["input"], ["steps"], "transpose", perm=[1, 0, 2]),
        helper.make_node("LSTM", ["steps", *numbers], ["", "last"], "lstm", hidden_size=units),
        helper.make_node("Squeeze", ["last", axis], ["state"], "squeeze"),
        helper.make_node("Gemm", ["state", *dense], ["output"], "fc", transB=1),
    ]
    return _model(nodes, w, (1, steps, features), (1, words))


def denoiser(steps: int = 16, bands: int = 24, units: int = 48) -> ModelProto:
    """As PyTorch writes GRU(batch_first=True) and a Linear layer: a mask for each step."""
    w = _Weights(1.5 / np.sqrt(units))
    gates = 3 * units
    shapes = {"W": (1, gates, bands), "R": (1, gates, units), "B": (1, 2 * gates)}
    numbers = [w.add(name, *shape) for name, shape in shapes.items()]
    dense, bias, axis = w.add("fc.weight", units, bands), w.add("fc.bias", bands), "axis"
    w.keep(axis, np.int64([1]))
    words = {"hidden_size": units, "linear_before_reset": 1}
    nodes = [
        helper.make_node("Transpose", ["input"], ["steps"], "transpose", perm=[1, 0, 2]),
        helper.make_node("GRU", ["steps", *numbers], ["states", ""], "gru", **words),
        helper.make_node("Squeeze", ["states", axis], ["rows"], "squeeze"),
        helper.make_node("Transpose", ["rows"], ["sequence"], "back", perm=[1, 0, 2]),
        helper.make_node("MatMul", ["sequence", dense], ["product"], "fc"),
        helper.make_node("Add", ["product", bias], ["sum"], "fc_bias"),
        helper.make_node("Sigmoid", ["sum"], ["mask"], "sigmoid"),
        helper.make_node("Mul", ["mask", "input"], ["output"], "masked"),
    ]
    return _model(nodes, w, (1, steps, bands), (1, steps, bands))


def _model(
    nodes: list[NodeProto], weights: _Weights, taken: tuple[int, ...], given: tuple[int, ...]
) -> ModelProto:
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in (("input", taken), ("output", given))
    ]
    graph = helper.make_graph(nodes, "recurrent", ends[:1], ends[1:], weights.tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def speech(steps: int, features: int, loudness: float = 1.0, count: int = 64) -> np.ndarray:
    """Samples whose steps follow from each other."""
    x = np.random.default_rng(7).normal(size=(count, steps, features)).astype(np.float32)
    for step in range(1, steps):
        x[:, step] = 0.8 * x[:, step - 1] + 0.6 * x[:, step]
    return np.float32(loudness) * x


def write(folder: Path, gain: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(spotter(gain), folder / "spotter.onnx")
    onnx.save(denoiser(), folder / "denoiser.onnx")
    np.savez(folder / "spotter.npz", input=speech(49, 10, loudness=2.0))
    np.savez(folder / "denoiser.npz", input=speech(16, 24))


if __name__ == "__main__":
    write(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 1.0)
