"""Which tensors of a network hold integers, and what those stand for.

Once that is known a network of integers is one of real numbers: what moves them moves the numbers
they stand for, and bounds among them are real bounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from deployer.frontend.net import Net, Op
from deployer.frontend.quantized import (
    DEQUANTIZE,
    INTEGERS,
    QUANTIZE,
    UINT8,
    offset,
    quant_of,
    sound,
)
from deployer.ir import QuantParams

Quants = Mapping[str, QuantParams]

# ONNX operators that take integers and give some of them.
MOVERS = frozenset(
    {
        *(
            "Clip",
            "Concat",
            "DepthToSpace",
            "Flatten",
            "Gather",
            "Identity",
            "Max",
            "MaxPool",
            "Min",
            "Pad",
        ),
        *("Reshape", "Resize", "Slice", "SpaceToDepth", "Split", "Squeeze", "Transpose"),
        "Unsqueeze",
    }
)
_NUMBERS = {"Clip": (1, 2), "Max": (0, 1), "Min": (0, 1), "Pad": (2,)}  # inputs that are integers


def state(net: Net) -> Net:
    """``net`` with its ``quants``, and real numbers where operators had integer bounds."""
    quants = dict(_inputs(net))
    for op in net.ops:
        found = _made(net, op, quants)
        if found is not None:
            quants |= dict.fromkeys((name for name in op.outputs if name), found)
    constants = dict(net.constants)
    ops = tuple(_with_real_numbers(net, op, quants, constants) for op in net.ops)
    notes = (*net.notes, *(_note(name) for name in net.inputs if _shifted(net, name, quants)))
    return replace(net, ops=ops, constants=constants, quants=quants, notes=notes)


def _inputs(net: Net) -> dict[str, QuantParams]:
    """Those of the inputs that are integers: what the first DequantizeLinear behind them says."""
    found = {}
    for name in net.inputs:
        quant = _read_as(net, name) if net.elements.get(name) in INTEGERS else None
        if quant is not None:
            found[name] = quant
    return found


def _read_as(net: Net, name: str) -> QuantParams | None:
    waiting, seen = [name], {name, ""}
    while waiting:
        name = waiting.pop(0)
        for op in net.readers.get(name, ()):
            if op.type == DEQUANTIZE and op.first == name and sound(net, op):
                return quant_of(net, op)
            fresh = [out for out in op.outputs if op.type in MOVERS and out not in seen]
            seen.update(fresh)
            waiting.extend(fresh)
    return None


def _made(net: Net, op: Op, quants: Quants) -> QuantParams | None:
    """The quantization of the integers that ``op`` gives; None when it gives none."""
    if op.type == QUANTIZE:
        return quant_of(net, op) if op.first not in net.constants and sound(net, op) else None
    if op.type not in MOVERS or op.domain:
        return None
    read = {quants.get(name) for name in _moved(net, op)}
    return read.pop() if len(read) == 1 else None


def _moved(net: Net, op: Op) -> tuple[str, ...]:
    """The activations whose elements an operator moves."""
    return net.activations(op) if op.type in ("Concat", "Max", "Min") else op.inputs[:1]


def _with_real_numbers(net: Net, op: Op, quants: Quants, constants: dict[str, np.ndarray]) -> Op:
    quant = quants.get(op.output)
    if quant is None or op.type not in _NUMBERS:
        return op
    shift = offset(net.elements.get(op.output, 0))
    inputs = list(op.inputs)
    if op.type == "Pad" and not op.input(2):
        inputs = [*inputs[:2], f"{op.name}/zero", *inputs[3:]]
        constants[inputs[2]] = np.zeros((), np.int64)
    for index in _NUMBERS[op.type]:
        name = inputs[index] if index < len(inputs) else ""
        if name in constants:
            inputs[index] = f"{op.name}/real{index}"
            steps = constants[name].astype(np.int64) - shift - quant.zero_point
            constants[inputs[index]] = (steps * quant.tensor_scale).astype(np.float32)
    return replace(op, inputs=tuple(inputs))


def _shifted(net: Net, name: str, quants: Quants) -> bool:
    return name in quants and net.elements[name] == UINT8


def _note(name: str) -> str:
    return f"input {name}: uint8 in the model, int8 on the device: 128 less"
