"""Portable C for every operator: what every list falls back to."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel

KERNELS: tuple[Kernel, ...] = (
    Kernel("dpl_conv2d_s8__ref", op="Conv2d"),
    Kernel("dpl_depthwise_conv2d_s8__ref", op="DepthwiseConv2d"),
    Kernel("dpl_fully_connected_s8__ref", op="FullyConnected"),
    Kernel("dpl_add_s8__ref", op="Add"),
    Kernel("dpl_rescale_s8__ref", op="Rescale"),
    Kernel("dpl_average_pool_s8__ref", op="AveragePool"),
    Kernel("dpl_max_pool_s8__ref", op="MaxPool"),
    Kernel("dpl_softmax_s8__ref", op="Softmax"),
    Kernel("dpl_transpose_s8__ref", op="Transpose"),
)
