"""Portable C for every operator: what every list falls back to."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel

KERNELS: tuple[Kernel, ...] = (
    Kernel("dpl_conv2d_s8__ref", op="Conv2d"),
    Kernel("dpl_depthwise_conv2d_s8__ref", op="DepthwiseConv2d"),
    Kernel("dpl_fully_connected_s8__ref", op="FullyConnected"),
    Kernel("dpl_conv_transpose2d_s8__ref", op="ConvTranspose2d"),
    Kernel("dpl_add_s8__ref", op="Add", also=("Sub",)),
    Kernel("dpl_mul_s8__ref", op="Mul"),
    Kernel("dpl_prelu_s8__ref", op="PRelu"),
    Kernel("dpl_table_s8__ref", op="Table"),
    Kernel("dpl_concat_s8__ref", op="Concat"),
    Kernel("dpl_copy_s8__ref", op="Slice"),
    Kernel("dpl_pad_s8__ref", op="Pad"),
    Kernel("dpl_resize_nearest_s8__ref", op="Resize", when=lambda c: c.mode == "nearest"),
    Kernel("dpl_resize_linear_s8__ref", op="Resize", when=lambda c: c.mode == "linear"),
    Kernel("dpl_depth_to_space_s8__ref", op="DepthToSpace"),
    Kernel("dpl_space_to_depth_s8__ref", op="SpaceToDepth"),
    Kernel("dpl_rescale_s8__ref", op="Rescale"),
    Kernel("dpl_average_pool_s8__ref", op="AveragePool"),
    Kernel("dpl_max_pool_s8__ref", op="MaxPool"),
    Kernel("dpl_softmax_s8__ref", op="Softmax"),
    Kernel("dpl_transpose_s8__ref", op="Transpose"),
)
