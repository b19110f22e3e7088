"""Mutations of a model's inputs, outputs, versions and scales."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

from .draws import INTEGERS, NAMES, REALS, Rng, a_node, all_names, one


def change_input_dim(model: ModelProto, rng: Rng) -> None:
    item = one(rng, model.graph.input)
    dims = item.type.tensor_type.shape.dim if item is not None else ()
    if not dims:
        return
    dim = one(rng, dims)
    if rng.random() < 0.2:
        dim.dim_param = one(rng, NAMES)
    else:
        dim.dim_value = one(rng, (*INTEGERS, 5, 64, 1000, 30_000))


def change_input_rank(model: ModelProto, rng: Rng) -> None:
    for item in model.graph.input:
        dims = item.type.tensor_type.shape.dim
        if rng.random() < 0.5 and len(dims):
            del dims[-1]
        else:
            dims.add(dim_value=one(rng, (1, 2, 2**31)))


def change_input_type(model: ModelProto, rng: Rng) -> None:
    item = one(rng, (*model.graph.input, *model.graph.output))
    if item is None:
        return
    if rng.random() < 0.3:
        item.ClearField("type")
        if rng.random() < 0.5:
            item.type.sequence_type.elem_type.tensor_type.elem_type = 1
        return
    item.type.tensor_type.elem_type = one(rng, range(27))


def change_ends(model: ModelProto, rng: Rng) -> None:
    """An output or input more or fewer."""
    ends = model.graph.output if rng.random() < 0.6 else model.graph.input
    if rng.random() < 0.4 and ends:
        del ends[rng.integers(len(ends))]
    else:
        name = one(rng, all_names(model))
        ends.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))


def change_versions(model: ModelProto, rng: Rng) -> None:
    if rng.random() < 0.5:
        model.ir_version = one(rng, (0, 1, 3, 4, 7, 13, 14, 15, 99, 2**62))
    elif model.opset_import:
        model.opset_import[0].version = one(rng, (*range(1, 30), 2**31, 2**62, -1, 0))


def change_opsets(model: ModelProto, rng: Rng) -> None:
    kind = rng.integers(3)
    if kind == 0:
        model.ClearField("opset_import")
    elif kind == 1:
        model.opset_import.append(helper.make_opsetid("", one(rng, (1, 11, 24, 2**40))))
    else:
        model.opset_import.append(helper.make_opsetid(one(rng, NAMES[1:]), 1))


def contradict_shape(model: ModelProto, rng: Rng) -> None:
    """A stated shape of a value that is not what it has."""
    names = [name for node in model.graph.node for name in node.output]
    shape = [one(rng, INTEGERS) for _ in range(rng.integers(5))]
    info = helper.make_tensor_value_info(one(rng, names) or "x", TensorProto.FLOAT, shape)
    model.graph.value_info.append(info)


# Quantized models


def spoil_scale(model: ModelProto, rng: Rng) -> None:
    """The scale of a QuantizeLinear or DequantizeLinear."""
    pairs = [n for n in model.graph.node if n.op_type.endswith("uantizeLinear")]
    node = one(rng, pairs)
    if node is None or len(node.input) < 2:
        return
    for tensor in model.graph.initializer:
        if tensor.name == node.input[1]:
            array = numpy_helper.to_array(tensor).copy()
            array.reshape(-1)[:1] = one(rng, REALS)
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))


def spoil_zero_point(model: ModelProto, rng: Rng) -> None:
    pairs = [n for n in model.graph.node if n.op_type.endswith("uantizeLinear")]
    node = one(rng, pairs)
    if node is None or len(node.input) < 3:
        return
    kinds = (np.int8, np.uint8, np.int16, np.int32, np.int64, np.float32)
    number = np.asarray(one(rng, (-128, 127, 0, 1))).astype(one(rng, kinds))
    shaped = number if rng.random() < 0.7 else np.resize(number, int(rng.integers(4)))
    model.graph.initializer.append(numpy_helper.from_array(shaped, "zero_added"))
    node.input[2] = "zero_added"


def insert_pair(model: ModelProto, rng: Rng) -> None:
    """A QuantizeLinear or DequantizeLinear where none was."""
    node = a_node(model, rng)
    if not node.input:
        return
    scale = numpy_helper.from_array(np.float32(one(rng, (0.05, *REALS))), "scale_added")
    model.graph.initializer.append(scale)
    kind = one(rng, ("QuantizeLinear", "DequantizeLinear"))
    pair = helper.make_node(kind, [node.input[0], "scale_added"], ["pair_added"])
    node.input[0] = "pair_added"
    model.graph.node.insert(0, pair)
