"""The mean input of every tap, for taking the mean error of rounded weights out of the bias.

Rounding w to v shifts a channel's output by ``Σ (v - w)·E[x]`` on average; taking that from the
bias costs nothing at run time and keeps such shifts from adding up over the layers.
"""

from __future__ import annotations

import numpy as np

from deployer.ir import ConvTransposeAttrs, Graph, Node, Window
from deployer.numerics import taps


def expected_inputs(graph: Graph, node: Node, mean: np.ndarray) -> np.ndarray:
    """(output channels, taps): E[x] beside each weight of ``linear_layers.weight_rows``.

    ``mean`` is the input's mean per channel over samples and positions; taps in the padding count
    as zero.
    """
    weights = graph.constants[node.inputs[1]]
    if node.op == "FullyConnected":
        return np.broadcast_to(mean, weights.shape)
    shape = graph.values[node.inputs[0]].shape
    if node.op == "ConvTranspose2d":
        inside = meeting_shares(node.attrs, shape[1], shape[2]).reshape(-1, 1)
    else:
        inside = _inside_shares(node.attrs.window, shape[1], shape[2]).reshape(-1, 1)
    if node.op == "DepthwiseConv2d":
        repeat = weights.shape[2] // len(mean)
        expected: np.ndarray = np.repeat(mean, repeat)[:, None] * inside.T
        return expected
    groups = mean.reshape(node.attrs.groups, -1)
    rows = (inside[None] * groups[:, None]).reshape(len(groups), -1)
    return np.repeat(rows, len(weights) // len(groups), axis=0)


def _inside_shares(window: Window, height: int, width: int) -> np.ndarray:
    """(kh, kw): in what share of the windows each tap lies inside the tensor."""
    ones = np.ones((1, height, width, 1))
    shares: np.ndarray = taps(ones, window, 0).mean(axis=(0, 1, 2, 3))
    return shares


def meeting_shares(attrs: ConvTransposeAttrs, height: int, width: int) -> np.ndarray:
    """(kh, kw): at what share of the outputs each tap meets an input."""
    window = attrs.window
    axes = []
    for axis, (extent, pad) in enumerate(
        zip((height, width), (window.pads.top, window.pads.left), strict=True)
    ):
        taps_at = np.arange(window.kernel[axis])[:, None] * window.dilation[axis] - pad
        outputs = taps_at + np.arange(extent) * window.stride[axis]
        axes.append(((outputs >= 0) & (outputs < attrs.output[axis])).mean(axis=1) * extent)
    tall, wide = axes
    return np.outer(tall / attrs.output[0], wide / attrs.output[1])
