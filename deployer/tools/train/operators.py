"""Every operator on integers held in float32 tensors: values as numerics.integer, gradients as
numerics.floating. NHWC, like the rest of deployer."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch.nn import functional

from deployer.ir import OPS, QuantParams, RequantRule, TableAttrs, operator_table
from deployer.numerics import functions, taps_inside
from deployer.tools.train import moves, products
from deployer.tools.train.layer import Inputs, Layer, centred, channels_second, padded
from deployer.tools.train.straight_through import EXACT_FLOAT32, Tables, requantize, through


def evaluate(layer: Layer, inputs: Inputs) -> torch.Tensor:
    """The output integers of ``layer`` for batches of its activations."""
    return _OPS[layer.node.op](layer, inputs)


def add(layer: Layer, inputs: Inputs) -> torch.Tensor:
    """Two multipliers, one rounding and one shift; a Sub has the second multiplier negative."""
    tables = layer.tables
    first, second = tables.multiplier.tolist()
    bound = 128 * (abs(first) + abs(second))
    kind = torch.float32 if bound <= EXACT_FLOAT32 else torch.float64
    total = inputs[0].to(kind) * first + inputs[1].to(kind) * second
    ones = torch.ones_like(tables.rounding)
    rest = (tables.rounding, tables.shift, tables.low, tables.high)
    return requantize(total, Tables(RequantRule.SHIFT, ones, *rest), bound=bound)


def rescale(layer: Layer, inputs: Inputs) -> torch.Tensor:
    (x,) = inputs
    return requantize(x, layer.tables)


def mul(layer: Layer, inputs: Inputs) -> torch.Tensor:
    left, right = (x - quant.zero_point for x, quant in zip(inputs, layer.sources, strict=True))
    return requantize(left * right, layer.tables)


def prelu(layer: Layer, inputs: Inputs) -> torch.Tensor:
    """Entry 0 of the tables from the zero point up, entry 1 + channel below it."""
    (given,) = inputs
    x = centred(layer, given)
    channels = torch.arange(1, x.shape[-1] + 1, device=x.device)
    return requantize(x, layer.tables.entry(torch.where(x < 0, channels, 0)))


def average_pool(layer: Layer, inputs: Inputs) -> torch.Tensor:
    (x,), window = inputs, layer.attrs.window
    ones = torch.ones(x.shape[3], 1, *window.kernel, dtype=x.dtype, device=x.device)
    sums = functional.conv2d(
        channels_second(padded(x, window)),
        ones,
        stride=window.stride,
        dilation=window.dilation,
        groups=x.shape[3],
    )
    inside = torch.as_tensor(taps_inside(window, x.shape[1], x.shape[2]), device=x.device)
    entry = (inside.long() - 1)[None, :, :, None]
    return requantize(sums.permute(0, 2, 3, 1), layer.tables.entry(entry))


def max_pool(layer: Layer, inputs: Inputs) -> torch.Tensor:
    (x,), window = inputs, layer.attrs.window
    best = functional.max_pool2d(
        channels_second(padded(x, window, fill=-128)),
        window.kernel,
        stride=window.stride,
        dilation=window.dilation,
    )
    return best.permute(0, 2, 3, 1).clamp(layer.tables.low, layer.tables.high)


def concat(layer: Layer, inputs: Inputs) -> torch.Tensor:
    parts = [
        requantize(x, layer.tables.entry(torch.tensor([i], device=x.device)))
        for i, x in enumerate(inputs)
    ]
    return torch.cat(parts, dim=layer.attrs.axis)


def softmax(layer: Layer, inputs: Inputs) -> torch.Tensor:
    (x,), (powers,) = inputs, layer.constants
    levels, zero = round(1 / layer.target.tensor_scale), layer.target.zero_point
    soft = torch.softmax(x * layer.sources[0].tensor_scale, dim=-1) * levels + zero
    steps = x.detach().long()
    taken = powers.long()[steps.amax(dim=-1, keepdim=True) - steps]
    total = taken.sum(dim=-1, keepdim=True)
    hard = torch.div(taken * levels + total // 2, total, rounding_mode="floor") + zero
    return through(soft, hard.clamp(max=127).float())


def table(layer: Layer, inputs: Inputs) -> torch.Tensor:
    """The gradient is the function's slope over one input step."""
    (x,), (entries,) = inputs, layer.constants
    index = x.detach().long() + 128
    slopes = torch.as_tensor(
        table_slopes(layer.attrs, layer.sources[0], layer.target), device=x.device
    )
    return through(x * slopes[index], entries[index].float())


def table_slopes(attrs: TableAttrs, source: QuantParams, target: QuantParams) -> np.ndarray:
    """float32[256]: output steps per input step at each input, 0 where the output saturates."""
    edges = (np.arange(257) - 128.5 - source.zero_point) * source.tensor_scale
    with np.errstate(over="ignore"):
        real = functions.apply(attrs, edges)
    steps = np.clip(real / target.tensor_scale + target.zero_point, -128, 127)
    return np.diff(steps).astype(np.float32)


_OPS: Mapping[str, Callable[[Layer, Inputs], torch.Tensor]] = operator_table(
    "training (train.operators)",
    {
        "Conv2d": products.conv2d,
        "DepthwiseConv2d": products.depthwise,
        "FullyConnected": products.dense,
        "ConvTranspose2d": products.conv_transpose,
        "Add": add,
        "Sub": add,
        "Mul": mul,
        "PRelu": prelu,
        "Table": table,
        "Concat": concat,
        "Slice": moves.crop,
        "Pad": moves.pad,
        "Resize": moves.resize,
        "DepthToSpace": moves.depth_to_space,
        "SpaceToDepth": moves.space_to_depth,
        "AveragePool": average_pool,
        "MaxPool": max_pool,
        "Rescale": rescale,
        "Softmax": softmax,
        "Reshape": moves.reshape,
        "Transpose": moves.transpose,
    },
    without=[op for op, spec in OPS.items() if not spec.trains],
)
