"""LSTM, GRU and RNN: what ONNX says of a node, and what it must be like.

Constraints are written like those of supported.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from deployer.frontend.lowering.curves import CURVES
from deployer.frontend.net import Net, Op, Shape
from deployer.ir import TableAttrs

MAX_STEPS = 512  # each is ten nodes or so, planned and generated one by one

# By operator: how many gates it has, and the activations of a direction where none are stated.
_GATES = MappingProxyType({"RNN": 1, "GRU": 3, "LSTM": 4})
_DEFAULTS = MappingProxyType(
    {"RNN": ("tanh",), "GRU": ("sigmoid", "tanh"), "LSTM": ("sigmoid", "tanh", "tanh")}
)
RECURRENT = tuple(_GATES)
# Activations by ONNX's words, in small letters, and which of them read an alpha and a beta.
_CURVES = MappingProxyType({name.lower(): name for name in CURVES})
_WITH_ALPHA = ("leakyrelu", "thresholdedrelu", "hardsigmoid", "elu")
_WITH_BETA = ("hardsigmoid",)
_KNOWN = (
    *("relu", "sigmoid", "tanh", "hardsigmoid", "elu", "leakyrelu", "softplus", "softsign"),
    "thresholdedrelu",
)
_LENGTHS, _HIDDEN, _CELL, _PEEPHOLES = 4, 5, 6, 7  # indices of inputs


@dataclass(frozen=True, eq=False)
class Direction:
    """The numbers of one direction: (gates, hidden, inputs), (gates, hidden, hidden), biases of
    both (gates, hidden), first states (hidden); ``curves`` has None for Relu."""

    backward: bool
    weights: np.ndarray
    recurrent: np.ndarray
    biases: tuple[np.ndarray, np.ndarray]
    hidden: np.ndarray
    cell: np.ndarray
    curves: tuple[TableAttrs | None, ...]


def gates_of(op: Op) -> int:
    return _GATES[op.type]


def hidden_size(net: Net, op: Op) -> int:
    """Of one direction."""
    return net.shapes[op.input(2)][-1]


def direction_count(op: Op) -> int:
    return 2 if _direction(op) == "bidirectional" else 1


def batch_axis(op: Op) -> int:
    """Of the input: layout 0 has the steps in front."""
    return 0 if op.attrs.get("layout", 0) else 1


def directions(net: Net, op: Op) -> tuple[Direction, ...]:
    """Of an operator that meets all constraints."""
    backward = {"forward": (False,), "reverse": (True,)}.get(_direction(op), (False, True))
    return tuple(_one_direction(net, op, index, flag) for index, flag in enumerate(backward))


def _one_direction(net: Net, op: Op, index: int, backward: bool) -> Direction:
    gates, hidden = gates_of(op), hidden_size(net, op)
    weights, recurrent = (
        net.constants[op.input(i)][index].astype(np.float64).reshape(gates, hidden, -1)
        for i in (1, 2)
    )
    bias = _numbers(net, op, 3, index, 2 * gates * hidden).reshape(2, gates, hidden)
    first, cell = (_state(net, op, at, index, hidden) for at in (_HIDDEN, _CELL))
    names = len(_DEFAULTS[op.type])
    curves = _curves(op)[index * names : (index + 1) * names]
    biases = bias[0], bias[1]
    return Direction(backward, weights, recurrent, biases, first, cell, curves)


def _numbers(net: Net, op: Op, at: int, index: int, count: int) -> np.ndarray:
    given = net.constant(op, at)
    return np.zeros(count) if given is None else np.asarray(given[index], np.float64).reshape(-1)


def _state(net: Net, op: Op, at: int, index: int, hidden: int) -> np.ndarray:
    given = net.constant(op, at)
    if given is None:
        return np.zeros(hidden)
    rows = np.asarray(given, np.float64).reshape(-1, hidden)  # of a batch of 1 in either layout
    return np.asarray(rows[index])


def _direction(op: Op) -> str:
    return _text(op.attrs.get("direction", "forward"))


def _text(word: str | bytes) -> str:
    """Words of a list are bytes."""
    return word.decode(errors="replace") if isinstance(word, bytes) else word


def _names(op: Op) -> tuple[str, ...]:
    """The activations of all directions, in small letters."""
    given = tuple(_text(name).lower() for name in op.attrs.get("activations", ()))
    return given or _DEFAULTS[op.type] * direction_count(op)


def _curves(op: Op) -> tuple[TableAttrs | None, ...]:
    """Stated alphas and betas go, in order, to the functions that read some."""
    alphas, betas = (iter(op.attrs.get(f"activation_{kind}", ())) for kind in ("alpha", "beta"))
    found: list[TableAttrs | None] = []
    for name in _names(op):
        if name == "relu":
            found.append(None)
            continue
        function, alpha, beta = CURVES[_CURVES[name]]
        if name in _WITH_ALPHA:
            alpha = float(next(alphas, alpha))
        if name in _WITH_BETA:
            beta = float(next(betas, beta))
        found.append(TableAttrs(function, alpha, beta))
    return tuple(found)


def known_steps(net: Net, op: Op) -> str:
    """a sequence of one batch and of at most 512 steps, all of which count

    Try: export with a batch of 1, a fixed number of steps and no sequence_lens; give
    --input-shape NAME=1,STEPS,FEATURES
    """
    shape, lengths = net.shapes[op.first], net.constant(op, _LENGTHS)
    if len(shape) != 3 or shape[batch_axis(op)] != 1:
        return f"an input of shape {list(shape)}"
    steps = shape[1 - batch_axis(op)]
    if not 0 < steps <= MAX_STEPS:
        return f"{steps} steps"
    if op.input(_LENGTHS) and (lengths is None or np.any(lengths != steps)):
        return f"sequence_lens {op.input(_LENGTHS)}"
    return ""


def fixed_numbers(net: Net, op: Op) -> str:
    """constant weights, biases and first states

    Try: export in evaluation mode, the states left out: a state that is kept between inferences is
    the application's
    """
    for index in (1, 2, 3, _HIDDEN, _CELL):
        if op.input(index) and net.constant(op, index) is None:
            return f"input {index} ({op.input(index)}) is computed"
    return ""


def matching_gates(net: Net, op: Op) -> str:
    """weights, biases and first states of the sizes that ONNX states

    Try: check the exporter; this is not valid ONNX
    """
    count, rows, hidden = direction_count(op), gates_of(op), hidden_size(net, op)
    states: set[Shape] = {
        (count, 1, hidden),
        (1, count, hidden),
    }  # of a batch of 1, in either layout
    expected: Mapping[int, set[Shape]] = {
        1: {(count, rows * hidden, net.shapes[op.first][2])},
        2: {(count, rows * hidden, hidden)},
        3: {(count, 2 * rows * hidden)},
        _HIDDEN: states,
        _CELL: states,
    }
    for index, shapes in expected.items():
        name = op.input(index)
        if name and net.shapes[name] not in shapes:
            return f"{name} of shape {list(net.shapes[name])}, not {list(min(shapes))}"
    stated = op.attrs.get("hidden_size", hidden)
    return "" if stated == hidden else f"hidden_size={stated}, weights of {hidden}"


def plain_gates(net: Net, op: Op) -> str:
    """no peepholes, no clip, no coupled gates (input_forget)

    Try: train without them: exporters write none of them by default
    """
    if op.input(_PEEPHOLES) and np.any(net.constants.get(op.input(_PEEPHOLES), np.ones(1))):
        return f"peepholes {op.input(_PEEPHOLES)}"
    found = [f"{name}={op.attrs[name]}" for name in ("clip", "input_forget") if op.attrs.get(name)]
    return ", ".join(found)


def known_activations(net: Net, op: Op) -> str:
    """activations among Relu, Sigmoid, Tanh, HardSigmoid, Elu, LeakyRelu, Softplus, Softsign and
    ThresholdedRelu; a direction that ONNX has

    Try: train with one of these
    """
    if _direction(op) not in ("forward", "reverse", "bidirectional"):
        return f"direction={_direction(op)}"
    names = _names(op)
    if len(names) != len(_DEFAULTS[op.type]) * direction_count(op):
        return f"{len(names)} activations"
    unknown = [name for name in names if name not in _KNOWN]
    return f"activation {unknown[0]}" if unknown else ""


CONSTRAINTS = (known_steps, known_activations, fixed_numbers, matching_gates, plain_gates)
