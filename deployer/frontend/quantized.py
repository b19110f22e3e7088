"""QuantizeLinear and DequantizeLinear: their parameters, and what they must be like.

The constraints are written like those of supported.py. Integers of uint8 are counted from -128, as
the device has them: their zero points move by 128.
"""

from __future__ import annotations

import numpy as np

from deployer.frontend.net import Net, Op
from deployer.ir import QuantParams

QUANTIZE, DEQUANTIZE = "QuantizeLinear", "DequantizeLinear"
PAIR = (QUANTIZE, DEQUANTIZE)
UINT8, INT8, INT32 = 2, 3, 6  # ONNX element types
INTEGERS = (UINT8, INT8)
_NAMES = {4: "uint16", 5: "int16", INT32: "int32", 21: "uint4", 22: "int4"}
_FLOAT8 = range(17, 21)


def element_of(net: Net, op: Op) -> int:
    """ONNX element type of the integers."""
    if op.type == DEQUANTIZE:
        return net.elements.get(op.first, 0)
    if op.input(2):
        return net.elements.get(op.input(2), 0)
    return int(op.attrs.get("output_dtype", 0)) or UINT8


def offset(element: int) -> int:
    """What the device's integers lack to those of the file."""
    return 128 if element == UINT8 else 0


def parameters(net: Net, op: Op) -> tuple[np.ndarray, np.ndarray]:
    """Scales (float32's values as float64) and zero points (int64), flat, as the file has them."""
    scale, zero = net.constants[op.input(1)], net.constant(op, 2)
    scales = scale.astype(np.float32).astype(np.float64).reshape(-1)
    zeros = np.zeros(1, np.int64) if zero is None else zero.astype(np.int64).reshape(-1)
    return scales, zeros


def quant_of(net: Net, op: Op) -> QuantParams:
    """The quantization of the activation that a checked ``op`` writes or reads, in int8."""
    scales, zeros = parameters(net, op)
    return QuantParams((float(scales[0]),), int(zeros[0]) - offset(element_of(net, op)))


def constant_parameters(net: Net, op: Op) -> str:
    """constant scales and zero points

    Try: static quantization with calibration data: dynamic scales are computed at run time
    """
    computed = [n for n in op.inputs[1:] if n and n not in net.constants]
    return f"{computed[0]} is computed" if computed else ""


def eight_bits(net: Net, op: Op) -> str:
    """int8 or uint8 integers; for constant biases int32

    Try: quantize weights and activations to 8 bits
    """
    element = element_of(net, op)
    bias = op.type == DEQUANTIZE and element == INT32 and op.first in net.constants
    if element in INTEGERS or bias:
        return ""
    return _NAMES.get(element, "float8" if element in _FLOAT8 else f"element type {element}")


def own_zero_type(net: Net, op: Op) -> str:
    """a zero point of the type of its integers, 0 for int32

    Try: check the exporter; this is not valid ONNX
    """
    zero, element = net.constant(op, 2), element_of(net, op)
    if zero is None:
        return ""
    if net.elements.get(op.input(2)) != element:
        return f"{op.input(2)} of another type"
    return f"{op.input(2)} is not 0" if element == INT32 and np.any(zero) else ""


def no_blocks(net: Net, op: Op) -> str:
    """one scale for a whole channel: no blocks

    Try: quantize the weights per tensor or per channel
    """
    size = op.attrs.get("block_size", 0)
    return f"block_size={size}" if size else ""


def positive_scales(net: Net, op: Op) -> str:
    """scales that are finite and above 0

    Try: calibrate again: a scale of 0 or NaN comes from data without a range
    """
    scales, _ = parameters(net, op)
    bad = scales[~(np.isfinite(scales) & (scales > 0))]
    return f"{op.input(1)} holds {bad[0]}" if bad.size else ""


def matching_scales(net: Net, op: Op) -> str:
    """one scale for an activation; for constants one, or one for each element of an axis

    Try: quantize activations per tensor, weights per tensor or per channel
    """
    scale, zero = net.constants[op.input(1)], net.constant(op, 2)
    if zero is not None and zero.size != scale.size:
        return f"{scale.size} scales and {zero.size} zero points"
    if scale.size == 1:
        return ""
    if op.first not in net.constants:
        return f"{scale.size} scales for {op.first}"
    shape, axis = net.shapes[op.first], int(op.attrs.get("axis", 1))
    fits = scale.ndim == 1 and -len(shape) <= axis < len(shape) and shape[axis] == scale.size
    return "" if fits else f"{scale.size} scales along axis {axis} of {list(shape)}"


def known_integers(net: Net, op: Op) -> str:
    """integers that a QuantizeLinear made, or an input of the model, of this scale and zero point

    Try: check the exporter; where scales differ a DequantizeLinear and a QuantizeLinear go between
    """
    name = op.first
    if name in net.constants:
        return ""
    made = net.quants.get(name)
    if made is None:
        return f"{name}, computed"
    here = quant_of(net, op)
    if made == here:
        return ""
    return f"{_shown(made)} where {name} is made, {_shown(here)} here"


def _shown(quant: QuantParams) -> str:
    """As the device counts, in int8."""
    return f"{quant.tensor_scale:g} and {quant.zero_point}"


ONE_OF_ALL = (
    *(constant_parameters, eight_bits, own_zero_type, no_blocks, positive_scales),
    matching_scales,
)
OF_QUANTIZE = ONE_OF_ALL
OF_DEQUANTIZE = (*ONE_OF_ALL, known_integers)


def sound(net: Net, op: Op) -> bool:
    """Whether the parameters can be read."""
    return not any(constraint(net, op) for constraint in ONE_OF_ALL)
