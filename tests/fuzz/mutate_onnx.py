"""Mutations of an ONNX file: of its bytes, its structure, its numbers; and bombs.

Each takes a model and a generator and changes the model in place, or leaves it where there is
nothing of its kind. All are seeded: the same seed gives the same mutant.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

import numpy as np
from onnx import AttributeProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from . import bombs
from . import mutate_ends as ends
from .draws import INTEGERS, KINDS, NAMES, REALS, Rng, a_node, a_tensor, all_names, one

Change = Callable[[ModelProto, Rng], None]


def mutant(data: bytes, seed: Sequence[int]) -> tuple[bytes, str]:
    """``data`` changed one to three times, and the names of the changes."""
    rng = np.random.default_rng(seed)
    if rng.random() < 0.15:
        return _damaged(data, rng), "bytes"
    model, done = ModelProto.FromString(data), []
    for _ in range(max(1, int(rng.integers(-4, 4)))):
        change = CHANGES[rng.integers(len(CHANGES))]
        done.append(change.__name__)
        with contextlib.suppress(Exception):  # an earlier change may have left nothing to change
            change(model, rng)
    return model.SerializeToString(), "+".join(done)


def _damaged(data: bytes, rng: Rng) -> bytes:
    """One to three changed, removed, inserted or repeated stretches, or a file that breaks off."""
    body = bytearray(data)
    if rng.random() < 0.2:
        return bytes(body[: rng.integers(len(body))])
    for _ in range(rng.integers(1, 4)):
        where, length = int(rng.integers(len(body))), int(rng.integers(1, 9))
        kind = rng.integers(5)
        if kind == 0:
            body[where] = int(rng.integers(256))
        elif kind == 1:
            del body[where : where + length]
        elif kind == 2:
            body[where:where] = rng.bytes(length)
        elif kind == 3:
            body[where:where] = body[where : where + 50 * length]
        else:
            body[where] ^= 1 << int(rng.integers(8))
    return bytes(body)


# Nodes


def drop_node(model: ModelProto, rng: Rng) -> None:
    if model.graph.node:
        del model.graph.node[rng.integers(len(model.graph.node))]


def repeat_node(model: ModelProto, rng: Rng) -> None:
    copy = NodeProto()
    copy.CopyFrom(a_node(model, rng))
    if rng.random() < 0.5:
        del copy.output[:]
        copy.output.append("again")
    model.graph.node.append(copy)


def reorder_nodes(model: ModelProto, rng: Rng) -> None:
    copies = [NodeProto.FromString(node.SerializeToString()) for node in model.graph.node]
    order = rng.permutation(len(copies))
    del model.graph.node[:]
    model.graph.node.extend(copies[i] for i in order)


def retype_node(model: ModelProto, rng: Rng) -> None:
    a_node(model, rng).op_type = one(rng, KINDS)


def change_domain(model: ModelProto, rng: Rng) -> None:
    domains = ("com.microsoft", "ai.onnx", "ai.onnx.ml", "own.domain", "com.microsoft.nchwc")
    node = a_node(model, rng)
    node.domain = one(rng, domains)
    if rng.random() < 0.7:
        model.opset_import.append(helper.make_opsetid(node.domain, one(rng, (0, 1, 17, 2**40))))


def rewire(model: ModelProto, rng: Rng) -> None:
    """Another operand: may be missing, of another shape, or make a cycle."""
    node = a_node(model, rng)
    if node.input:
        node.input[rng.integers(len(node.input))] = one(rng, all_names(model))


def close_cycle(model: ModelProto, rng: Rng) -> None:
    node = a_node(model, rng)
    if node.input and node.output:
        node.input[0] = node.output[0]


def change_operands(model: ModelProto, rng: Rng) -> None:
    """One operand or result fewer or more."""
    node = a_node(model, rng)
    names = node.input if rng.random() < 0.7 else node.output
    if rng.random() < 0.5 and names:
        del names[rng.integers(len(names))]
    else:
        names.append(one(rng, all_names(model)))


def change_attribute(model: ModelProto, rng: Rng) -> None:
    nodes = [node for node in model.graph.node if node.attribute]
    if not nodes:
        return
    attribute = one(rng, one(rng, nodes).attribute)
    if attribute.ints:
        attribute.ints[rng.integers(len(attribute.ints))] = one(rng, INTEGERS)
    attribute.i, attribute.f = one(rng, INTEGERS), one(rng, REALS)
    if attribute.s:
        attribute.s = one(rng, (b"", b"SAME_UPPER", b"VALID", b"linear", b"\xff\xfe", b"CRD"))


def change_length(model: ModelProto, rng: Rng) -> None:
    """A list of numbers that is longer, shorter or empty."""
    lists = [a.ints for node in model.graph.node for a in node.attribute if a.ints]
    if not lists:
        return
    numbers = one(rng, lists)
    if rng.random() < 0.5:
        numbers.append(one(rng, INTEGERS))
    else:
        del numbers[rng.integers(len(numbers)) :]


def change_attribute_type(model: ModelProto, rng: Rng) -> None:
    nodes = [node for node in model.graph.node if node.attribute]
    if nodes:
        attribute = one(rng, one(rng, nodes).attribute)
        attribute.type = one(rng, range(15))


def drop_attribute(model: ModelProto, rng: Rng) -> None:
    nodes = [node for node in model.graph.node if node.attribute]
    if nodes:
        attributes = one(rng, nodes).attribute
        del attributes[rng.integers(len(attributes))]


def add_attribute(model: ModelProto, rng: Rng) -> None:
    names = ("axis", "axes", "perm", "to", "mode", "group", "unknown", "alpha", "blocksize", "pads")
    values = (one(rng, INTEGERS), [one(rng, INTEGERS)], one(rng, REALS), "text", [1.5], ["a"])
    a_node(model, rng).attribute.append(helper.make_attribute(one(rng, names), one(rng, values)))


# Names


def rename(model: ModelProto, rng: Rng) -> None:
    """A value everywhere: nothing is wrong with the graph, only the name is odd."""
    old, new = one(rng, all_names(model)), one(rng, NAMES)
    for node in model.graph.node:
        for names in (node.input, node.output):
            names[:] = [new if name == old else name for name in names]
    for item in (*model.graph.initializer, *model.graph.input, *model.graph.output):
        item.name = new if item.name == old else item.name


def rename_here(model: ModelProto, rng: Rng) -> None:
    """One place only."""
    items = (model.graph, a_node(model, rng), a_tensor(model, rng), *model.graph.input)
    one(rng, items).name = one(rng, (*NAMES, *all_names(model)))


def rename_output(model: ModelProto, rng: Rng) -> None:
    node = a_node(model, rng)
    if node.output:
        node.output[0] = one(rng, (*NAMES, *all_names(model)))


def change_module(model: ModelProto, rng: Rng) -> None:
    text = one(rng, NAMES)
    a_node(model, rng).metadata_props.add(key="pkg.torch.onnx.name_scopes", value=f"['', '{text}']")
    model.doc_string, model.producer_name = text, text


# Tensors


def drop_tensor(model: ModelProto, rng: Rng) -> None:
    if model.graph.initializer:
        del model.graph.initializer[rng.integers(len(model.graph.initializer))]


def repeat_tensor(model: ModelProto, rng: Rng) -> None:
    copy = TensorProto()
    copy.CopyFrom(a_tensor(model, rng))
    model.graph.initializer.append(copy)


def change_dims(model: ModelProto, rng: Rng) -> None:
    dims = a_tensor(model, rng).dims
    kind = rng.integers(3)
    if kind == 0 and dims:
        dims[rng.integers(len(dims))] = one(rng, INTEGERS)
    elif kind == 1:
        dims.append(one(rng, (0, 1, 1, 1, 2, 2**40)))
    else:
        del dims[rng.integers(1 + len(dims)) :]


def reshape_tensor(model: ModelProto, rng: Rng) -> None:
    """Data that fits its shape, and no longer the node."""
    tensor = a_tensor(model, rng)
    array = numpy_helper.to_array(tensor)
    news = (
        array.reshape(-1),
        array[None],
        np.atleast_1d(array)[..., :0],
        array.T,
        array.reshape(-1)[:1],
    )
    new = np.ascontiguousarray(one(rng, news))
    tensor.CopyFrom(numpy_helper.from_array(new, tensor.name))


def retype_tensor(model: ModelProto, rng: Rng) -> None:
    """The same bytes as another type, or the numbers cast to one."""
    tensor = a_tensor(model, rng)
    if rng.random() < 0.4:
        tensor.data_type = one(rng, range(27))
        return
    array = numpy_helper.to_array(tensor)
    kinds = (np.float16, np.float64, np.int8, np.uint8, np.int64, np.bool_, np.complex64, np.str_)
    with np.errstate(all="ignore"):
        new = array.astype(one(rng, kinds))
    new = new.astype(object) if new.dtype.kind == "U" else new
    tensor.CopyFrom(numpy_helper.from_array(new, tensor.name))


def spoil_numbers(model: ModelProto, rng: Rng) -> None:
    tensor = a_tensor(model, rng)
    array = numpy_helper.to_array(tensor).copy()
    if not array.size or array.dtype.kind not in "fiu":
        return
    where = slice(None) if rng.random() < 0.3 else int(rng.integers(array.size))
    with np.errstate(all="ignore"):
        numbers = REALS if array.dtype.kind == "f" else INTEGERS
        array.reshape(-1)[where] = np.asarray(one(rng, numbers)).astype(array.dtype)
    tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))


def move_outside(model: ModelProto, rng: Rng) -> None:
    places = ("../secret", "/etc/passwd", "absent.bin", "/dev/zero", "model.onnx", "", ".", "a\0b")
    tensor = a_tensor(model, rng)
    entries = {"location": one(rng, places)}
    if rng.random() < 0.5:
        entries |= {
            one(rng, ("offset", "length")): str(one(rng, (*INTEGERS, "x", "9" * 5000))),
        }
    tensor.data_location = TensorProto.EXTERNAL
    tensor.ClearField("raw_data")
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)


def make_sparse(model: ModelProto, rng: Rng) -> None:
    values = helper.make_tensor("sparse", TensorProto.FLOAT, [1], [1.0])
    index = helper.make_tensor("index", TensorProto.INT64, [1], [one(rng, INTEGERS)])
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, index, [4]))


def add_subgraph(model: ModelProto, rng: Rng) -> None:
    """A graph within an attribute, some levels deep."""
    body = helper.make_graph([helper.make_node("Identity", ["a"], ["b"])], "body", [], [])
    for _ in range(int(one(rng, (1, 2, 20)))):
        node = helper.make_node("If", ["flag"], ["b"], then_branch=body, else_branch=body)
        body = helper.make_graph([node], "body", [], [])
        if body.ByteSize() > 1 << 20:
            break
    node = a_node(model, rng)
    attribute = AttributeProto(name=one(rng, ("then_branch", "body", "own")), type=5, g=body)
    node.attribute.append(attribute)
    if rng.random() < 0.5:
        node.op_type = one(rng, ("If", "Loop", "Scan"))


def add_function(model: ModelProto, rng: Rng) -> None:
    """A local function, maybe one that calls itself."""
    node = a_node(model, rng)
    inner = helper.make_node(
        node.op_type if rng.random() < 0.5 else "Relu", ["x"], ["y"], domain="own"
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    kind = "Own" if rng.random() < 0.5 else node.op_type or "Own"
    model.functions.append(helper.make_function("own", kind, ["x"], ["y"], [inner], opsets))
    model.opset_import.append(opsets[1])
    node.domain, node.op_type = "own", kind


CHANGES: tuple[Change, ...] = (
    *(drop_node, repeat_node, reorder_nodes, retype_node, change_domain, rewire, close_cycle),
    *(change_operands, change_attribute, change_length, change_attribute_type, drop_attribute),
    *(add_attribute, rename, rename_here, rename_output, change_module, drop_tensor),
    *(repeat_tensor, change_dims, reshape_tensor, retype_tensor, spoil_numbers, move_outside),
    *(
        make_sparse,
        ends.change_input_dim,
        ends.change_input_rank,
        ends.change_input_type,
        ends.change_ends,
    ),
    *(
        ends.change_versions,
        ends.change_opsets,
        ends.contradict_shape,
        ends.spoil_scale,
        ends.spoil_zero_point,
    ),
    *(ends.insert_pair, add_subgraph, add_function, *bombs.BOMBS, change_attribute),
    *(change_attribute, rewire, spoil_numbers, spoil_numbers, rename, rename, change_module),
    *(ends.change_input_dim, ends.spoil_scale, rename_here, ends.contradict_shape),
)
