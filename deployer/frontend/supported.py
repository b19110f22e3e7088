"""What a node must be like: one function per constraint.

A constraint returns what it found instead, or an empty string when it holds. The first line of
its docstring completes "needs ..." in the error message and is a cell of docs/operators.md; the
paragraph after "Try:" is the workaround. Constraints run in the order listed, so a later one may
rely on the earlier ones of its operator.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from deployer.frontend.attributes import reduced_axes
from deployer.frontend.limits import MAX_ELEMENTS, MAX_TAPS
from deployer.frontend.net import Net, Op
from deployer.frontend.quantized import PAIR
from deployer.frontend.state import MOVERS
from deployer.frontend.windows import (
    always_inside,
    ceil_extra,
    conv_window,
    pool_window,
    spatial_size,
)
from deployer.ir import Window, window_output

Constraint = Callable[[Net, Op], str]

FLOATS = {1, 10, 11, 16}  # ONNX element types FLOAT, FLOAT16, DOUBLE, BFLOAT16
_OF_MANY_OUTPUTS = {"Split", "LSTM", "GRU", "RNN"}
_MAX_STEP = (1 << 15) - 1  # of kernels, strides, dilations and pads


# Every operator


def float_values(net: Net, op: Op) -> str:
    """floating-point activations, or int8 and uint8 between QuantizeLinear and DequantizeLinear

    Try: convert the input on the host, before the network
    """
    for name in (*net.activations(op), op.output):
        stated = name in net.quants and op.type in (*PAIR, *MOVERS)
        if net.elements.get(name, 1) not in FLOATS and not stated:
            return f"{name} is not floating point"
    return ""


def batch_first(net: Net, op: Op) -> str:
    """the batch of 1 in axis 0 of every activation

    Try: give the batch with --input-shape NAME=1,..., or name the axes in squeeze and reshape
    """
    for name in (*net.activations(op)[:1], op.output):
        if len(net.shapes[name]) < 2 or net.shapes[name][0] != 1:
            return f"{name} has shape {list(net.shapes[name])}"
    return ""


def not_empty(net: Net, op: Op) -> str:
    """activations that are neither empty nor huge

    Try: a larger input, fewer strides, or smaller kernels
    """
    for name in (*net.activations(op), op.output):
        if not 0 < math.prod(net.shapes[name]) <= MAX_ELEMENTS:
            return f"{name} has shape {list(net.shapes[name])}"
    return ""


def one_output(net: Net, op: Op) -> str:
    """only its first output in use (Split, LSTM, GRU, RNN: any)

    Try: remove what reads the further outputs
    """
    further = () if op.type in _OF_MANY_OUTPUTS else op.outputs[1:]
    used = [name for name in further if name in net.readers or name in net.outputs]
    return f"{used[0]} is read" if used else ""


GENERAL = (float_values, batch_first, not_empty, one_output)


# Conv


def constant_weights(net: Net, op: Op) -> str:
    """constant weights and bias

    Try: export in evaluation mode, with the weights as initializers
    """
    for index in range(1, len(op.inputs)):
        if op.input(index) and net.constant(op, index) is None:
            return f"input {index} ({op.input(index)}) is computed"
    return ""


def one_per_channel(net: Net, op: Op) -> str:
    """a bias, or statistics, of one number per channel

    Try: check the exporter; this is not valid ONNX
    """
    channels = net.shapes[op.output][1]
    for name in op.inputs[2 if op.type.startswith("Conv") else 1 :]:
        if name and net.shapes[name] != (channels,):
            return f"{name} of shape {list(net.shapes[name])}"
    return ""


def positive_variance(net: Net, op: Op) -> str:
    """variances that are positive with epsilon added

    Try: check the weights; training diverged, or the export was damaged
    """
    variance = net.constant(op, 4)
    least = float("nan") if variance is None else float(np.min(variance, initial=np.inf))
    return "" if least + op.attrs.get("epsilon", 1e-5) > 0 else f"{op.input(4)} holds {least}"


def spatial_axes(net: Net, op: Op) -> str:
    """one or two spatial axes behind the channels

    Try: write three-dimensional layers as several two-dimensional ones
    """
    shape = net.shapes[op.first]
    return "" if len(shape) in (3, 4) else f"an input of shape {list(shape)}"


def image(net: Net, op: Op) -> str:
    """an image of shape (1, C, H, W)

    Try: give it two spatial axes
    """
    shape = net.shapes[op.first]
    return "" if len(shape) == 4 else f"an input of shape {list(shape)}"


def regular_conv(net: Net, op: Op) -> str:
    """positive strides and dilations, pads of at least 0, all below 32768; a padded
    input and a kernel that are not huge

    Try: crop with smaller kernels in place of negative pads
    """
    weights = net.shapes[op.input(1)]
    if op.ints("kernel_shape", weights[2:]) != weights[2:]:
        return f"kernel_shape={list(op.ints('kernel_shape'))}"
    return _irregular(net, op) or _window_misfit(net, op, conv_window(net, op))


def regular_transposed(net: Net, op: Op) -> str:
    """positive strides and dilations, pads of at least 0, all below 32768; a padded
    input and a kernel that are not huge

    Try: crop with Slice in place of negative pads
    """
    weights = net.shapes[op.input(1)]
    if op.ints("kernel_shape", weights[2:]) != weights[2:]:
        return f"kernel_shape={list(op.ints('kernel_shape'))}"
    extra, axes = op.ints("output_padding"), len(weights) - 2
    if extra and (len(extra) != axes or min(extra) < 0 or max(extra) > _MAX_STEP):
        return f"output_padding={list(extra)}"
    shape = op.ints("output_shape")
    if shape and shape != net.shapes[op.output][2:]:
        return f"output_shape={list(shape)}"
    return _irregular(net, op)


def whole_groups(net: Net, op: Op) -> str:
    """groups that divide the input and output channels

    Try: check the exporter; this is not valid ONNX
    """
    groups, weights = op.attrs.get("group", 1), net.shapes[op.input(1)]
    channels = net.shapes[op.first][1]
    if len(weights) != len(net.shapes[op.first]):
        return f"weights of shape {list(weights)}"
    if op.type == "ConvTranspose":
        fits = groups > 0 and weights[0] == channels and channels % groups == 0
    else:
        fits = groups > 0 and weights[0] % groups == 0 and channels == weights[1] * groups
    if fits:
        return ""
    return f"group={groups}, {channels} channels, weights of shape {list(weights)}"


# Pools


def regular_pool(net: Net, op: Op) -> str:
    """positive strides and dilations, pads of at least 0, all below 32768; a padded
    input and a kernel that are not huge

    Try: crop with smaller kernels in place of negative pads
    """
    return _irregular(net, op)


def exact_ceil(net: Net, op: Op) -> str:
    """ceil_mode with count_include_pad only where nothing is rounded up or no pads are given

    Try: ceil_mode=False with explicit pads
    """
    counted = op.attrs.get("count_include_pad", 0) and any(op.ints("pads"))
    return "both, with pads" if counted and any(ceil_extra(net, op)) else ""


def window_inside(net: Net, op: Op) -> str:
    """at least one element of the tensor in every window

    Try: pads smaller than the kernel
    """
    window, size = pool_window(net, op), spatial_size(net, op.first)
    misfit = _window_misfit(net, op, window)
    if misfit:
        return misfit
    return "" if always_inside(window, size) else "a window that lies in the padding"


def fixed_axes(net: Net, op: Op) -> str:
    """constant axes

    Try: export with axes as plain numbers
    """
    return f"{op.input(1)} is computed" if reduced_axes(net, op) is None else ""


def _irregular(net: Net, op: Op) -> str:
    """The first window attribute out of range."""
    axes = len(net.shapes[op.first]) - 2
    for name in ("strides", "dilations", "kernel_shape"):
        numbers = op.ints(name, (1,) * axes)
        if len(numbers) != axes or min(numbers) < 1 or max(numbers) > _MAX_STEP:
            return f"{name}={list(numbers)}"
    pads = op.ints("pads", (0, 0) * axes)
    if len(pads) != 2 * axes or min(pads) < 0 or max(pads) > _MAX_STEP:
        return f"pads={list(pads)}"
    if math.prod(op.ints("kernel_shape", (1,))) > MAX_TAPS:
        return f"kernel_shape={list(op.ints('kernel_shape'))}"
    sides = zip(net.shapes[op.first][2:], pads[:axes], pads[axes:], strict=True)
    if math.prod(map(sum, sides)) * net.shapes[op.first][1] > MAX_ELEMENTS:
        return f"pads={list(pads)}"
    mode = str(op.attrs.get("auto_pad", "NOTSET"))
    return "" if mode in ("", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER") else f"auto_pad={mode}"


def _window_misfit(net: Net, op: Op, window: Window) -> str:
    """Empty when the window gives the size that ONNX's own shape inference gives."""
    found = window_output(window, *spatial_size(net, op.first))
    expected = spatial_size(net, op.output)
    return "" if found == expected else f"an output of {expected}; the window gives {found}"
