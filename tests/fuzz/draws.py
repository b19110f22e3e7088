"""What mutations draw from: wild numbers and names, and the parts of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto

Rng = np.random.Generator

INTEGERS = (-(2**63), -(2**31), -2, -1, 0, 1, 2, 3, 7, 255, 2**15, 2**20, 2**31, 2**62)
REALS = (0.0, -1.0, 1e-45, 1e-30, 1e30, -1e38, float("nan"), float("inf"), float("-inf"))
NAMES = (
    *("", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "a\nb", "\0", "../../evil", "/etc/passwd"),
    *("x" * 5000, "\u202etxt", "a/b", "%s%n", "input", "output", "{}", "\ud7ff", "*/ int x; /*"),
    *('"quoted"', "\\", "-o", "CON", "int", "network_run"),
)
KINDS = (
    *("Abs", "Add", "ArgMax", "AveragePool", "Cast", "Clip", "Concat", "Constant", "Conv"),
    *("ConvTranspose", "CumSum", "DepthToSpace", "DequantizeLinear", "Div", "Einsum", "Erf"),
    *("Expand", "Flatten", "GRU", "Gather", "GatherElements", "GatherND", "Gemm", "Identity"),
    *("If", "LayerNormalization", "Loop", "MatMul", "Max", "MaxPool", "Mean", "Mul", "NonZero"),
    *("OneHot", "PRelu", "Pad", "Pow", "QuantizeLinear", "Range", "ReduceMean", "ReduceSum"),
    *("Reshape", "Resize", "RoiAlign", "Scan", "ScatterND", "SequenceConstruct", "Shape", "Slice"),
    *("Softmax", "SpaceToDepth", "Split", "SplitToSequence", "Squeeze", "StringNormalizer", "Sub"),
    *("Tile", "TopK", "Transpose", "Trilu", "Unique", "Unsqueeze", "Upsample", "Where", "Xor"),
    *("NoSuchOperator", ""),
)


def one(rng: Rng, items: Sequence[Any]) -> Any:
    return items[int(rng.integers(len(items)))] if len(items) else None


def a_node(model: ModelProto, rng: Rng) -> NodeProto:
    return one(rng, model.graph.node) or model.graph.node.add()


def a_tensor(model: ModelProto, rng: Rng) -> TensorProto:
    return one(rng, model.graph.initializer) or model.graph.initializer.add(name="added")


def all_names(model: ModelProto) -> list[str]:
    found = [name for node in model.graph.node for name in node.output]
    found += [tensor.name for tensor in model.graph.initializer]
    return [*found, *(item.name for item in model.graph.input), "", "nowhere"]
