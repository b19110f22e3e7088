"""A checked network to the float graph: what lowers each ONNX operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from deployer.frontend.builder import Builder
from deployer.frontend.lowering import curves, images, layers, moves, pairs, shapes
from deployer.frontend.net import Net, Op
from deployer.frontend.quantized import DEQUANTIZE, QUANTIZE
from deployer.ir.graph import Graph


def lower(net: Net) -> Graph:
    """The float graph of a checked ``net``, in NHWC."""
    builder = Builder(net)
    for op in net.ops:
        _LOWER[op.type](builder, op)
    return builder.graph()


_LOWER: Mapping[str, Callable[[Builder, Op], None]] = MappingProxyType(
    {
        **dict.fromkeys(curves.CURVES, curves.curve),
        **dict.fromkeys(("Add", "Div", "Mul", "Sub"), pairs.arithmetic),
        **dict.fromkeys(("AveragePool", "MaxPool"), images.pool),
        **dict.fromkeys((DEQUANTIZE, "Cast", "Dropout", "Identity"), shapes.alias),
        **dict.fromkeys(("DepthToSpace", "SpaceToDepth"), images.blocks),
        **dict.fromkeys(("Flatten", "Reshape", "Squeeze", "Unsqueeze"), shapes.reshape),
        **dict.fromkeys(("GlobalAveragePool", "GlobalMaxPool"), images.global_pool),
        **dict.fromkeys(("Max", "Min"), pairs.extreme),
        "BatchNormalization": layers.batch_norm,
        "Clip": curves.clip,
        "Concat": shapes.concat,
        "Conv": layers.conv,
        "ConvTranspose": layers.conv_transpose,
        "Gather": moves.moved,
        "Gelu": curves.gelu,
        "Gemm": layers.gemm,
        "MatMul": layers.matmul,
        "PRelu": curves.slopes,
        "Pad": shapes.pad,
        QUANTIZE: curves.quantize,
        "ReduceMean": images.reduce_mean,
        "Relu": curves.relu,
        "Resize": images.resize,
        "Slice": shapes.crop,
        "Softmax": curves.softmax,
        "Split": shapes.split,
        "Transpose": shapes.transpose,
    }
)
