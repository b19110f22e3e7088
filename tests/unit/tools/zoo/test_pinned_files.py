"""Every node and number of files of each style, pinned: of a network with a layer of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from deployer.tools.zoo.builder import NetworkBuilder
from deployer.tools.zoo.emit import to_onnx
from deployer.tools.zoo.layers import Network
from deployer.tools.zoo.styles import STYLES
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"


@pytest.mark.parametrize("style", STYLES)
def test_the_files_of_a_style_are_those_pinned(style: str) -> None:
    lines = []
    for batch_norm in (False, True):
        model = to_onnx(every_kind(), STYLES[style], seed=3, batch_norm=batch_norm)
        lines += [f"batch norm {batch_norm}", *_lines(model)]
    pinned(FOLDER / f"{style}-file.txt", "\n".join(lines))


def every_kind() -> Network:
    """A layer of each kind, with and without batch norm, bias, pads and a rounded-up pool."""
    s = NetworkBuilder("kinds", classes=4, slope=0.3, width=0.5)
    x = s.conv(s.input(3, 19, 14), s.scaled(20), (4, 3), stride=2, pads=(1, 0, 2, 1), act="relu6")
    x = s.depthwise(x, bias=True, act="hardswish")
    x = s.max_pool(x, 3, stride=2, ceil=True)
    y = s.conv(x, s.scaled(30), 1, norm=False, act="leaky", gain=0.5)
    y = s.norm(s.avg_pool(s.conv(y, s.scaled(30), groups=4, act=""), 3, stride=1, pad=1))
    y = s.avg_pool(s.concat(s.conv(x, 8, 3), y), 3, stride=2, ceil=True)
    up = s.conv(s.up(y, 8, act="relu"), 8, 2, pads=0)
    gate = s.act(s.conv(s.global_pool(up), 8, 1, norm=False, act=""), "hardsigmoid")
    part = s.shuffled(s.channels(up, 2, 4), 2)
    sum_ = s.add(s.gate(up, gate), s.act(s.concat(part, s.channels(up, 0, 4)), "sigmoid"))
    hidden = s.dense(s.flatten(sum_), 7, act="relu")
    return s.network(scores=s.dense(hidden, s.classes), means=s.pooled(sum_))


def _lines(model: onnx.ModelProto) -> Iterator[str]:
    graph = model.graph
    opsets = [(each.domain, each.version) for each in model.opset_import]
    yield f"{opsets} {model.ir_version} {model.producer_name} {graph.name}"
    for node in graph.node:
        given = [f"{each.name} {_attribute(each)}" for each in node.attribute]
        props = [each.value for each in node.metadata_props]
        ends = f"{list(node.input)} -> {list(node.output)}"
        yield f"{node.name} = {node.op_type} {ends} {given} {props}"
    for tensor in graph.initializer:
        yield f"{tensor.name} {_numbers(numpy_helper.to_array(tensor))}"
    for value in (*graph.input, *graph.output, *graph.value_info):
        dims = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        yield f"{value.name} {dims} of type {value.type.tensor_type.elem_type}"


def _attribute(given: onnx.AttributeProto) -> str:
    value = helper.get_attribute_value(given)
    is_tensor = isinstance(value, onnx.TensorProto)
    return _numbers(numpy_helper.to_array(value)) if is_tensor else f"{value}"


def _numbers(array: np.ndarray) -> str:
    """Small ones as they are, others as the sums of what is above 0, below, and by place."""
    if array.size <= 8:
        return f"{array.dtype} {array.tolist()}"
    flat = array.reshape(-1).astype(np.float64)
    each = (
        np.maximum(flat, 0).sum(),
        np.maximum(-flat, 0).sum(),
        np.abs(flat) @ np.arange(len(flat)),
    )
    return f"{array.dtype} {array.shape} " + " ".join(f"{float(number):.6e}" for number in each)
