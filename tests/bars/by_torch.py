"""Networks rebuilt in PyTorch, quantized there and exported by it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import NodeProto, numpy_helper
from torch import nn
from torch.ao.quantization import (
    FakeQuantize,
    MinMaxObserver,
    PerChannelMinMaxObserver,
    QConfig,
    QConfigMapping,
    disable_observer,
)
from torch.ao.quantization.quantize_fx import fuse_fx, prepare_qat_fx

Arrays = dict[str, np.ndarray]


class Rebuilt(nn.Module):
    """The nodes of an ONNX graph, a module each; sums are functions, for FX to see."""

    def __init__(self, model: onnx.ModelProto):
        super().__init__()
        graph = model.graph
        arrays = {item.name: numpy_helper.to_array(item) for item in graph.initializer}
        self.ends = graph.input[0].name, graph.output[0].name
        self.order = [(list(n.input), n.output[0], n.op_type) for n in graph.node]
        self.steps = nn.ModuleList([_module(node, arrays) for node in graph.node])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        live = {self.ends[0]: x}
        for (inputs, output, kind), step in zip(self.order, self.steps, strict=True):
            if kind == "Add":
                live[output] = live[inputs[0]] + live[inputs[1]]
            else:
                live[output] = step(live[inputs[0]])
        return live[self.ends[1]]


def _module(node: NodeProto, arrays: Arrays) -> nn.Module:
    attrs = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    constants = [torch.from_numpy(arrays[n].copy()) for n in node.input if n in arrays]
    simple = {"Relu": nn.ReLU, "Flatten": nn.Flatten, "Add": nn.Identity}
    if node.op_type == "Conv":
        return _convolution(attrs, *constants)
    if node.op_type == "Gemm":
        return _with(nn.Linear(constants[0].shape[1], len(constants[0])), *constants)
    if node.op_type == "GlobalAveragePool":
        return nn.AdaptiveAvgPool2d(1)
    return simple[node.op_type]()


def _convolution(
    attrs: dict[str, Any], weights: torch.Tensor, bias: torch.Tensor | None = None
) -> nn.Module:
    groups = attrs.get("group", 1)
    top, left, bottom, right = attrs.get("pads", [0] * 4)
    even = (top, left) == (bottom, right)
    conv = nn.Conv2d(
        weights.shape[1] * groups,
        len(weights),
        tuple(weights.shape[2:]),
        stride=tuple(attrs.get("strides", (1, 1))),
        padding=(top, left) if even else 0,
        groups=groups,
        bias=bias is not None,
    )
    filled = _with(conv, weights, bias)
    return filled if even else nn.Sequential(nn.ZeroPad2d((left, right, top, bottom)), filled)


def _with(layer: Any, weights: torch.Tensor, bias: torch.Tensor | None) -> nn.Module:
    layer.weight.data = weights
    if bias is not None:
        layer.bias.data = bias
    return layer


def _config() -> QConfigMapping:
    activation = FakeQuantize.with_args(
        observer=MinMaxObserver,
        quant_min=0,
        quant_max=255,
        dtype=torch.quint8,
        qscheme=torch.per_tensor_affine,
    )
    weights = FakeQuantize.with_args(
        observer=PerChannelMinMaxObserver,
        quant_min=-128,
        quant_max=127,
        dtype=torch.qint8,
        qscheme=torch.per_channel_symmetric,
        ch_axis=0,
    )
    return QConfigMapping().set_global(QConfig(activation, weights))


def write(model: onnx.ModelProto, calibrating: np.ndarray, path: Path) -> Path:
    """uint8 activations, int8 weights per channel, as FX's fake quantization is exported."""
    warnings.filterwarnings("ignore")
    samples = torch.from_numpy(calibrating)
    prepared = prepare_qat_fx(fuse_fx(Rebuilt(model).eval()).train(), _config(), (samples[:1],))
    prepared.eval()
    with torch.no_grad():
        prepared(samples)
    prepared.apply(disable_observer)
    torch.onnx.export(
        prepared, (samples[:1],), str(path), input_names=["input"], opset_version=17, dynamo=False
    )
    return path
