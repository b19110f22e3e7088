"""Networks with LSTM, GRU and RNN, in ONNX's own form and as exporters write them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from onnx import ModelProto

from models import ModelBuilder

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


@dataclass(frozen=True)
class Layer:
    """One recurrent node. ``outputs``: those in use, of Y, Y_h and Y_c."""

    kind: str = "LSTM"
    steps: int = 5
    features: int = 6
    hidden: int = 8
    direction: str = "forward"
    layout: int = 0
    late_reset: int = 0
    biases: bool = True
    states: bool = False
    outputs: tuple[str, ...] = ("Y", "Y_h")
    seed: int = 0

    @property
    def directions(self) -> int:
        return 2 if self.direction == "bidirectional" else 1


def recurrent_node(s: ModelBuilder, x: str, layer: Layer, **attrs: object) -> list[str]:
    """The names of its outputs, "" for those that are not in use."""
    count, gates, hidden = layer.directions, GATES[layer.kind], layer.hidden
    state = (1, count, hidden) if layer.layout else (count, 1, hidden)
    inputs = [x, s.weight(count, gates * hidden, layer.features)]
    inputs.append(s.weight(count, gates * hidden, hidden))
    spread = s.rng.normal(0, 0.5, (count, 2 * gates * hidden)).astype(np.float32)
    inputs.append(s.constant(spread) if layer.biases else "")
    if layer.states:
        first = [s.rng.uniform(-1, 1, state).astype(np.float32) for _ in range(2)]
        inputs += ["", *(s.constant(each) for each in first[: 2 if layer.kind == "LSTM" else 1])]
    known = ("Y", "Y_h", "Y_c") if layer.kind == "LSTM" else ("Y", "Y_h")
    names = [f"{name}_{inputs[1]}" if name in layer.outputs else "" for name in known]
    words = {"hidden_size": hidden, "direction": layer.direction, **attrs}
    if layer.layout:
        words["layout"] = 1
    if layer.kind == "GRU":
        words["linear_before_reset"] = layer.late_reset
    s.node_of(layer.kind, inputs, names, **words)
    return names


def single(layer: Layer, **attrs: object) -> ModelProto:
    """The node alone, between an input and its outputs as ONNX has them."""
    s = ModelBuilder(layer.seed)
    first = (1, layer.steps) if layer.layout else (layer.steps, 1)
    names = recurrent_node(s, s.input(*first, layer.features), layer, **attrs)
    return s.model(*filter(None, names), checked=False)


def keyword_spotter(steps: int = 49, features: int = 10, hidden: int = 64) -> ModelProto:
    """An LSTM over MFCCs and a dense layer behind its last state, as PyTorch writes batch_first."""
    s = ModelBuilder(21)
    x = s.node("Transpose", s.input(1, steps, features), perm=[1, 0, 2])
    layer = Layer("LSTM", steps, features, hidden, outputs=("Y_h",))
    _, last, _ = recurrent_node(s, x, layer)
    last = s.node("Squeeze", last, s.constant(np.int64([0])))
    return s.model(s.gemm(last, hidden, 12))


def denoiser(steps: int = 16, bands: int = 24, hidden: int = 48) -> ModelProto:
    """A GRU over bands of a spectrum, and a mask of each step, as PyTorch writes batch_first."""
    s = ModelBuilder(22)
    x = s.input(1, steps, bands)
    layer = Layer("GRU", steps, bands, hidden, late_reset=1, outputs=("Y",))
    y, _ = recurrent_node(s, s.node("Transpose", x, perm=[1, 0, 2]), layer)
    y = s.node("Squeeze", y, s.constant(np.int64([1])))
    y = s.node("MatMul", s.node("Transpose", y, perm=[1, 0, 2]), s.weight(hidden, bands))
    mask = s.node("Sigmoid", s.node("Add", y, s.weight(bands)))
    return s.model(s.node("Mul", mask, x))


def speech(steps: int, features: int, count: int = 32) -> np.ndarray:
    """Seeded samples whose steps follow from each other."""
    x = np.random.default_rng(7).normal(size=(count, steps, features)).astype(np.float32)
    for step in range(1, steps):
        x[:, step] = 0.8 * x[:, step - 1] + 0.6 * x[:, step]
    return x
