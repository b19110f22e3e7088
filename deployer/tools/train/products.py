"""Layers with weights: sums of products in a float type that holds them exactly."""

from __future__ import annotations

import torch
from torch.nn import functional

from deployer.ir import Window
from deployer.tools.train.layer import Inputs, Layer, centred, channels_second, padded
from deployer.tools.train.straight_through import EXACT_FLOAT32, requantize, through

_MAX_INPUT = 255  # of an int8 with its zero point taken out


def conv2d(layer: Layer, inputs: Inputs) -> torch.Tensor:
    weights = layer.weights.permute(0, 3, 1, 2)
    (x,) = inputs
    return _windowed(layer, x, weights, layer.attrs.groups)


def depthwise(layer: Layer, inputs: Inputs) -> torch.Tensor:
    weights = layer.weights.permute(2, 0, 1)[:, None]
    (x,) = inputs
    return _windowed(layer, x, weights, x.shape[3])


def _windowed(layer: Layer, x: torch.Tensor, weights: torch.Tensor, groups: int) -> torch.Tensor:
    """A convolution with OIHW weights. Padded taps are real zeros, so zero once centred."""
    x, weights, bound = _in_exact_type(centred(layer, x), weights)
    window = layer.attrs.window
    sums = functional.conv2d(
        channels_second(padded(x, window)),
        weights,
        stride=window.stride,
        dilation=window.dilation,
        groups=groups,
    )
    return _with_bias(layer, sums.permute(0, 2, 3, 1), bound)


def conv_transpose(layer: Layer, inputs: Inputs) -> torch.Tensor:
    attrs = layer.attrs
    (given,) = inputs
    x, ohwi, bound = _in_exact_type(centred(layer, given), layer.weights)
    groups, (out, tall, wide, share) = attrs.groups, ohwi.shape
    parts = ohwi.reshape(groups, out // groups, tall, wide, share).permute(0, 4, 1, 2, 3)
    weights = parts.reshape(groups * share, out // groups, tall, wide)
    sums = functional.conv_transpose2d(
        channels_second(x),
        weights,
        stride=attrs.window.stride,
        dilation=attrs.window.dilation,
        groups=groups,
    ).permute(0, 2, 3, 1)
    return _with_bias(layer, _cropped(sums, attrs.window, attrs.output), bound)


def _cropped(full: torch.Tensor, window: Window, output: tuple[int, int]) -> torch.Tensor:
    """``output`` elements behind the pads; positions no tap reaches are zero."""
    top, left = window.pads.top, window.pads.left
    below = max(0, top + output[0] - full.shape[1])
    beside = max(0, left + output[1] - full.shape[2])
    room = functional.pad(full, (0, 0, 0, beside, 0, below))
    return room[:, top : top + output[0], left : left + output[1]]


def dense(layer: Layer, inputs: Inputs) -> torch.Tensor:
    (given,) = inputs
    x, weights, bound = _in_exact_type(centred(layer, given), layer.weights)
    return _with_bias(layer, x @ weights.T, bound)


def _with_bias(layer: Layer, sums: torch.Tensor, bound: float) -> torch.Tensor:
    if sums.is_cuda:  # an algorithm with fractions may have been chosen
        sums = through(sums, sums.detach().round())
    return requantize(sums, layer.tables, layer.bias, bound=bound)


def _in_exact_type(
    x: torch.Tensor, weights: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, float]:
    """Both in the float type that holds every partial sum, and what no sum exceeds; weights have
    output channels first."""
    largest = weights.detach().abs().flatten(1).sum(dim=1).max()
    bound = _MAX_INPUT * float(largest)
    if bound <= EXACT_FLOAT32:
        return x, weights, bound
    return x.double(), weights.double(), bound
