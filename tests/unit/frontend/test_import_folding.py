"""Constant expressions, operator set versions, dynamic batch, external data, other widths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_equal import check_equal, imported

from deployer.errors import ModelError, UsageError
from deployer.frontend.onnx_import import import_model
from deployer.numerics import interpret
from models import ModelBuilder, conv_net, dense_net, residual_net


def test_shape_arithmetic_of_the_old_exporter(tmp_path: Path) -> None:
    """``x.view(x.size(0), x.size(1) * x.size(2) * x.size(3))`` with a dynamic batch."""
    s = ModelBuilder(1)
    x = s.relu(s.conv(s.input("N", 2, 5, 4), (3, 2, 2, 2)))
    sizes = [s.node("Gather", s.node("Shape", x), s.constant(axis), axis=0) for axis in range(4)]
    product = s.node("Mul", s.node("Mul", sizes[1], sizes[2]), sizes[3])
    parts = [s.node("Unsqueeze", size, s.constant([0])) for size in (sizes[0], product)]
    x = s.node("Reshape", x, s.node("Concat", *parts, axis=0))
    graph = check_equal(s.model(s.gemm(x, 36, 5)), tmp_path)
    assert [node.op for node in graph.nodes] == ["Conv2d", "Reshape", "FullyConnected"]
    assert graph.notes == ("input input: the dynamic batch 'N' is fixed to 1",)


def test_the_pad_chain_of_the_old_exporter(tmp_path: Path) -> None:
    """``F.pad`` as ConstantOfShape, Concat, Reshape, Slice, Transpose, Cast and Pad."""
    s = ModelBuilder(2)
    x = s.input(1, 3, 6, 5)
    zero = helper.make_tensor("zero", onnx.TensorProto.INT64, [1], [0])
    zeros = s.node("ConstantOfShape", s.constant([4]), value=zero)
    pads = s.node(
        "Reshape", s.node("Concat", s.constant([1, 2, 0, 1]), zeros, axis=0), s.constant([-1, 2])
    )
    back = [s.constant([number]) for number in (-1, np.iinfo(np.int64).min, 0, -1)]
    pads = s.node("Slice", pads, *back)
    pads = s.node("Reshape", s.node("Transpose", pads, perm=[1, 0]), s.constant([-1]))
    y = s.node("Pad", x, s.node("Cast", pads, to=7), s.constant(np.float32(0)))
    (node,) = check_equal(s.model(s.conv(y, (4, 3, 3, 3))), tmp_path).nodes
    pads = node.attrs.window.pads
    assert (pads.top, pads.left, pads.bottom, pads.right) == (0, 1, 1, 2)


def test_constant_nodes_and_identities_of_weights(tmp_path: Path) -> None:
    s = ModelBuilder(3)
    weights = s.rng.normal(size=(4, 3, 2, 2)).astype(np.float32)
    value = onnx.numpy_helper.from_array(weights, "w")
    kernel = s.node("Identity", s.node("Identity", s.node("Constant", value=value)))
    low = s.node("Constant", value_float=0.0)
    high = s.node("Constant", value=onnx.numpy_helper.from_array(np.float32(6)))
    x = s.node("Clip", s.node("Conv", s.input(1, 3, 4, 4), kernel), low, high)
    assert len(check_equal(s.model(x), tmp_path).nodes) == 1


def test_computed_weights_are_folded(tmp_path: Path) -> None:
    s = ModelBuilder(4)
    kernel = s.node("Mul", s.weight(4, 3, 1, 1), s.constant(np.float32(2)))
    kernel = s.node("Expand", kernel, s.constant([4, 3, 2, 2]))
    assert (
        len(check_equal(s.model(s.node("Conv", s.input(1, 3, 4, 4), kernel)), tmp_path).nodes) == 1
    )


def test_parts_of_a_constant_are_those_of_their_names(tmp_path: Path) -> None:
    """The first part has none."""
    s = ModelBuilder(4)
    numbers = np.arange(1, 10, dtype=np.float32)
    s.node_of("Split", [s.constant(numbers), s.constant([2, 3, 4])], ["", "b", "c"], axis=0)
    y, z = (s.node("Mul", s.input(1, n, name=f"in_{n}"), part) for n, part in ((3, "b"), (4, "c")))
    graph = imported(s.model(y, z), tmp_path)
    found = interpret.run(graph, {f"in_{n}": np.ones((1, n), np.float32) for n in (3, 4)})
    assert [found[name].tolist() for name in graph.outputs] == [[[3, 4, 5]], [[6, 7, 8, 9]]]


def test_a_range_between_constant_numbers_is_a_constant(tmp_path: Path) -> None:
    s = ModelBuilder(4)
    steps = s.node("Range", *(s.constant(np.float32(n)) for n in (1, 9, 2)))
    check_equal(s.model(s.node("Mul", s.input(1, 4), steps)), tmp_path)


def test_nodes_that_no_output_needs_are_ignored(tmp_path: Path) -> None:
    s = ModelBuilder(5)
    x = s.conv(s.input(1, 3, 4, 4), (2, 3, 1, 1))
    s.node("Sigmoid", x)
    s.input(1, 3, name="unused")
    graph = imported(s.model(s.relu(x)), tmp_path)
    assert graph.inputs == ("input",)
    assert "input unused: unused, left out" in graph.notes


def test_initializers_listed_as_inputs_are_no_inputs(tmp_path: Path) -> None:
    model = residual_net()
    for tensor in model.graph.initializer:
        item = helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        model.graph.input.append(item)
    assert check_equal(model, tmp_path).inputs == ("input",)


@pytest.mark.parametrize("opset", [11, 12, 13, 14, 16, 18, 20, 21, 22, 23])
def test_every_operator_set_in_range(opset: int, tmp_path: Path) -> None:
    s = ModelBuilder(6, opset=opset)
    x = s.relu6(s.batch_norm(s.conv(s.input(1, 3, 8, 8), (4, 3, 3, 3)), 4))
    x = s.node("AveragePool", s.node("MaxPool", x, kernel_shape=[2, 2]), kernel_shape=[2, 2])
    x = s.node("Dropout", s.node("Flatten", s.node("GlobalAveragePool", x)))
    graph = check_equal(s.model(s.node("Softmax", s.gemm(x, 4, 3))), tmp_path)
    assert graph.meta["opset"] == str(opset)


def test_an_older_operator_set_is_converted(tmp_path: Path) -> None:
    """Before opset 11 the bounds of Clip were attributes."""
    s = ModelBuilder(7, opset=10)
    x = s.node("Clip", s.conv(s.input(1, 3, 5, 5), (4, 3, 3, 3)), min=0.0, max=6.0)
    (node,) = check_equal(s.model(x), tmp_path).nodes
    assert (node.attrs.clamp.low, node.attrs.clamp.high) == (0.0, 6.0)


def test_foreign_operator_sets_that_no_node_uses(tmp_path: Path) -> None:
    model = conv_net()
    for domain in ("com.microsoft", "ai.onnx.ml", "org.example.unknown"):
        model.opset_import.append(helper.make_opsetid(domain, 1))
    check_equal(model, tmp_path)


def test_local_functions_are_inlined(tmp_path: Path) -> None:
    s = ModelBuilder(8)
    model = s.model(s.node("Relu", s.input(1, 3)))
    body = [helper.make_node("Relu", ["a"], ["b"]), helper.make_node("Relu", ["b"], ["c"])]
    opsets = [helper.make_opsetid("", 17)]
    model.functions.append(helper.make_function("local", "Twice", ["a"], ["c"], body, opsets))
    model.opset_import.append(helper.make_opsetid("local", 1))
    model.graph.node[0].CopyFrom(
        helper.make_node("Twice", ["input"], ["output"], domain="local", name="twice")
    )
    assert [node.op for node in check_equal(model, tmp_path).nodes] == ["Rescale"]


@pytest.mark.parametrize("kind", [np.float16, np.float64])
def test_weights_of_other_widths(kind: Any, tmp_path: Path) -> None:
    s = ModelBuilder(9)
    narrow = s.rng.normal(size=(4, 3, 1, 1)).astype(kind)
    kernel = s.node("Cast", s.constant(narrow), to=1)
    y = s.node("Conv", s.input(1, 3, 4, 4), kernel)
    graph = check_equal(s.model(y), tmp_path)
    assert graph.constants[graph.nodes[0].inputs[1]].dtype == np.float32


def test_a_float16_model_is_read_as_float32(tmp_path: Path) -> None:
    weights = np.float16([[1.5, -2.0], [0.25, 1.0]])
    half = onnx.TensorProto.FLOAT16
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "half",
        [helper.make_tensor_value_info("x", half, [1, 2])],
        [helper.make_tensor_value_info("y", half, [1, 2])],
        [onnx.numpy_helper.from_array(weights, "w")],
    )
    opsets = [helper.make_opsetid("", 17)]
    result = imported(helper.make_model(graph, ir_version=8, opset_imports=opsets), tmp_path)
    assert np.array_equal(result.constants[result.nodes[0].inputs[1]], weights.T)
    assert "numbers of other widths are read as float32" in result.notes


@pytest.mark.parametrize("batch", ["batch", None, -1])
def test_a_dynamic_batch_is_fixed_to_one(batch: Any, tmp_path: Path) -> None:
    s = ModelBuilder(10)
    s.input(batch, 3, 6, 6)
    graph = check_equal(s.model(s.relu(s.conv("input", (4, 3, 3, 3)))), tmp_path)
    assert graph.values["input"].shape == (1, 6, 6, 3)
    assert len(graph.notes) == 1


def resizable() -> onnx.ModelProto:
    s = ModelBuilder(11)
    x = s.conv(s.input("N", 3, "height", "width"), (4, 3, 3, 3))
    return s.model(s.gemm(s.node("Flatten", s.node("GlobalAveragePool", x)), 4, 2))


def test_other_dynamic_axes_need_the_user(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        imported(resizable(), tmp_path)
    assert str(caught.value) == (
        "input 'input' has no fixed shape\n"
        "  open: axis 2 (height), axis 3 (width); memory is planned for one exact shape\n"
        "  try: --input-shape input=1,3,96,96   (with your sizes for the open axes)"
    )


def test_the_users_shape_wins(tmp_path: Path) -> None:
    shapes = {"input": (1, 3, 7, 9)}
    graph = check_equal(resizable(), tmp_path, input_shapes=shapes)
    assert graph.values["input"].shape == (1, 7, 9, 3)
    assert graph.notes == ()


def test_a_shape_for_one_input_fixes_the_symbols_it_shares(tmp_path: Path) -> None:
    s = ModelBuilder(12)
    a, b = s.input("N", 2, "size", "size"), s.input("N", 2, "size", "size", name="second")
    model = s.model(s.node("Add", a, b))
    graph = check_equal(model, tmp_path, input_shapes={"input": (1, 2, 5, 5)})
    assert graph.values["second"].shape == (1, 5, 5, 2)


def test_a_fixed_batch_of_eight_can_be_overridden(tmp_path: Path) -> None:
    s = ModelBuilder(13)
    model = s.model(s.conv(s.input(8, 3, 6, 6), (4, 3, 3, 3)))
    with pytest.raises(ModelError, match=r"(?s)batch of 1 in axis 0.*--input-shape"):
        imported(model, tmp_path)
    imported(model, tmp_path, input_shapes={"input": (1, 3, 6, 6)})


@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [
        ("image", (1, 3, 8, 8), r"no input 'image'\n  its inputs are 'input'"),
        ("input", (1, 3, 8), "has 4 axes, 1,3,8 has 3"),
        ("input", (2, 3, 8, 8), "the batch is 1"),
        ("input", (1, 3, 0, 8), "sizes are positive"),
        ("input", (1, 1, 8, 8), "fixes axis 1 of 'input' to 3, not 1"),
    ],
)
def test_shapes_that_contradict_the_model(
    name: str, shape: tuple[int, ...], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=message):
        imported(resizable(), tmp_path, input_shapes={name: shape})


def test_an_input_without_any_shape_is_asked_for(tmp_path: Path) -> None:
    model = resizable()
    model.graph.input[0].type.tensor_type.ClearField("shape")
    with pytest.raises(ModelError, match="--input-shape input=1,3,96,96"):
        imported(model, tmp_path)
    graph = imported(model, tmp_path, input_shapes={"input": (1, 3, 7, 9)})
    assert graph.values["input"].shape == (1, 7, 9, 3)


def test_an_unknown_softmax_choice() -> None:
    with pytest.raises(UsageError, match="softmax is 'gpu'"):
        import_model(Path("any.onnx"), softmax="gpu")


def test_external_data_is_loaded_and_hashed(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    onnx.save(dense_net(), tmp_path / "inside.onnx")
    onnx.save(dense_net(), path, save_as_external_data=True, location="net.data", size_threshold=0)
    apart, inside = import_model(path), import_model(tmp_path / "inside.onnx")
    assert apart.nodes == inside.nodes
    for name, array in inside.constants.items():
        assert np.array_equal(array, apart.constants[name])
    assert len(apart.meta["data_sha256/net.data"]) == 64
