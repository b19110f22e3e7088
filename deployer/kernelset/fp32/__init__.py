"""Portable C for every operator of a float network: boards that list it run ``--scheme float``."""

from __future__ import annotations

from deployer.ir import ResizeMode
from deployer.kernelset.arguments import REAL
from deployer.kernelset.kernel import Kernel, by_mode
from deployer.kernelset.order import AT_ONCE, BY_ELEMENTS, BY_PARTS, BY_PIXELS, BY_ROWS, AccessOrder


def _kernel(name: str, op: str, order: AccessOrder | None, *also: str) -> Kernel:
    return Kernel(f"dpl_{name}_f32__fp32", op=op, act=REAL, weights=REAL, also=also, order=order)


def _resize(mode: ResizeMode) -> Kernel:
    return Kernel(
        f"dpl_resize_{mode}_f32__fp32",
        op="Resize",
        act=REAL,
        when=by_mode(mode),
        order=BY_PIXELS,
    )


KERNELS: tuple[Kernel, ...] = (
    _kernel("conv2d", "Conv2d", BY_ROWS),
    _kernel("depthwise_conv2d", "DepthwiseConv2d", BY_ROWS),
    _kernel("fully_connected", "FullyConnected", AT_ONCE),
    _kernel("conv_transpose2d", "ConvTranspose2d", BY_ROWS),
    _kernel("add", "Add", BY_ELEMENTS, "Sub"),
    _kernel("mul", "Mul", BY_ELEMENTS),
    _kernel("maximum", "Maximum", BY_ELEMENTS),
    _kernel("prelu", "PRelu", BY_ELEMENTS),
    _kernel("function", "Table", BY_ELEMENTS),
    _kernel("bound", "Rescale", BY_ELEMENTS),
    _kernel("concat", "Concat", BY_PARTS),
    _kernel("copy", "Slice", BY_ROWS),
    _kernel("pad", "Pad", BY_ROWS),
    _resize(ResizeMode.NEAREST),
    _resize(ResizeMode.LINEAR),
    _kernel("resample", "Resample", None),
    _kernel("depth_to_space", "DepthToSpace", BY_ROWS),
    _kernel("space_to_depth", "SpaceToDepth", BY_ROWS),
    _kernel("average_pool", "AveragePool", BY_PIXELS),
    _kernel("max_pool", "MaxPool", BY_PIXELS),
    _kernel("min_pool", "MinPool", BY_PIXELS),
    _kernel("softmax", "Softmax", BY_PIXELS),
    _kernel("matmul", "MatMul", None),
    _kernel("layer_norm", "LayerNorm", BY_PIXELS),
    _kernel("group_norm", "GroupNorm", None),
    _kernel("transpose", "Transpose", None),
)
