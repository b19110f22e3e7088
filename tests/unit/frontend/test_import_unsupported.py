"""Networks that cannot be deployed: every node at once, with its place and a way out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_equal import imported

from deployer.errors import ModelError
from deployer.frontend.modules import module_path
from deployer.frontend.operators import OPERATORS, describe, markdown
from deployer.frontend.supported import GENERAL
from models import ModelBuilder, conv_net

DOCS = Path(__file__).parents[3] / "docs" / "operators.md"


def refusal(model: onnx.ModelProto, folder: Path) -> str:
    with pytest.raises(ModelError) as caught:
        imported(model, folder)
    return str(caught.value)


def test_all_unsupported_nodes_are_listed_at_once(tmp_path: Path) -> None:
    s = ModelBuilder(1)
    x = s.conv(s.input(1, 3, 6, 6), (4, 3, 3, 3))
    x = s.node("LpNormalization", s.node("PRelu", x, s.node("GlobalAveragePool", x)))
    crop = {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize"}
    region, scales = np.float32([0, 0, 0, 0, 1, 1, 1, 1]), np.float32([1, 1, 2, 2])
    x = s.node(
        "Resize", s.node("LpNormalization", x), s.constant(region), s.constant(scales), **crop
    )
    x = s.node("LpPool", x, kernel_shape=[2, 2])
    assert refusal(s.model(x), tmp_path) == (
        "model: 5 of 7 nodes cannot be deployed\n"
        "  PRelu needs constant slopes: one number, or one along one axis; "
        "found globalaveragepool_1_out is computed: 'prelu_2'\n"
        "  LpNormalization not supported: 'lpnormalization_3', 'lpnormalization_4'\n"
        "  Resize needs nearest by whole factors, or to any size in an order that few moves make, "
        "as Gather; linear and cubic to any size, without antialias, crops and kept ratios; sizes "
        "that all implementations agree on; found "
        "coordinate_transformation_mode=tf_crop_and_resize: 'resize_5'\n"
        "  LpPool not supported: 'lppool_6'\n"
        "  try: export in evaluation mode, with one slope per channel\n"
        "       LpNormalization: rewrite the model without it, or end the network before it "
        "(--cut NAME)\n"
        "       sizes in place of scales, or nearest with asymmetric, or linear with half_pixel\n"
        "       LpPool: rewrite the model without it, or end the network before it (--cut NAME)"
    )


def test_a_node_behind_an_operator_without_shape_is_not_blamed(tmp_path: Path) -> None:
    """Nothing is known of a foreign operator's output: what reads it is left alone."""
    s = ModelBuilder(2)
    s.input(1, 4)
    model = s.model(s.gemm(s.node("Relu", "input"), 4, 3))
    node = model.graph.node[0]
    node.CopyFrom(
        helper.make_node("Magic", list(node.input), list(node.output), name="m", domain="org.own")
    )
    model.opset_import.append(helper.make_opsetid("org.own", 1))
    text = refusal(model, tmp_path)
    assert "1 of 2 nodes" in text
    assert "org.own.Magic not supported: 'm'" in text


def test_control_flow_is_refused(tmp_path: Path) -> None:
    s = ModelBuilder(4)
    branch = helper.make_graph(
        [helper.make_node("Identity", ["input"], ["b"])],
        "branch",
        [],
        [helper.make_tensor_value_info("b", onnx.TensorProto.FLOAT, [1, 4])],
    )
    s.input(1, 4)
    x = s.node("If", s.constant(np.bool_(True)), then_branch=branch, else_branch=branch)
    assert "If: export with fixed shapes" in refusal(s.model(x), tmp_path)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda s: s.conv(s.input(1, 3, 4, 4, 4), (4, 3, 3, 3, 3)),
            "Conv needs one or two spatial axes",
        ),
        (
            lambda s: s.conv(s.input(1, 3, 8, 8), (4, 3, 3, 3), pads=[-1, 0, 0, 0]),
            r"does not fit its inputs\n.*pads must not contain negative|found pads=\[-1, 0",
        ),
        (
            lambda s: s.node("Conv", s.input(1, 3, 8, 8), s.input(4, 3, 1, 1, name="w")),
            "constant weights and bias",
        ),
        (
            lambda s: s.node("Gemm", s.input(1, 1), s.weight(1, 4), transA=1),
            r"transA = 0; found transA=1: 'gemm_0'",
        ),
        (
            lambda s: s.node("MatMul", s.input(1, 4), s.input(4, 1, name="w")),
            r"two activations of batch 1 .*; found shapes \[1, 4\] and \[4, 1\]",
        ),
        (
            lambda s: s.node("MatMul", s.input(1, 2, 5, 4), s.weight(2, 4, 3)),
            r"found shapes \[1, 2, 5, 4\] and \[2, 4, 3\]",
        ),
        (lambda s: s.node("Cast", s.input(1, 4), to=7), "not floating point"),
        (
            lambda s: s.node(
                "Dropout", s.input(1, 4), s.constant(np.float32(0.5)), s.constant(np.bool_(True))
            ),
            "inference, not training mode; found training_mode=1",
        ),
        (lambda s: s.conv(s.input(1, 3, 2, 2), (4, 3, 3, 3)), "neither empty nor huge"),
    ],
)
def test_attributes_at_fault(build: object, message: str, tmp_path: Path) -> None:
    s = ModelBuilder(5)
    result = build(s)  # type: ignore[operator]
    with pytest.raises(ModelError, match=message):
        imported(s.model(result, checked=False), tmp_path)


def test_a_second_output_in_use_is_refused(tmp_path: Path) -> None:
    s = ModelBuilder(6)
    model = s.model(s.node("MaxPool", s.input(1, 3, 8, 8), kernel_shape=[2, 2]))
    model.graph.node[0].output.append("indices")
    model.graph.output.append(
        helper.make_tensor_value_info("indices", onnx.TensorProto.INT64, [1, 3, 7, 7])
    )
    text = "only its first output in use (Split, LSTM, GRU, RNN: any); found indices is read"
    assert text in refusal(model, tmp_path)


def test_integer_inputs_are_refused(tmp_path: Path) -> None:
    graph = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["y"])],
        "bytes",
        [helper.make_tensor_value_info("x", onnx.TensorProto.UINT8, [1, 4])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.UINT8, [1, 4])],
    )
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
    assert "found x is not floating point" in refusal(model, tmp_path)


def test_the_python_module_is_named_and_paths_are_not(tmp_path: Path) -> None:
    s = ModelBuilder(7)
    model = s.model(s.node("LpNormalization", s.node("Relu", s.input(1, 4))))
    for key, value in {
        "pkg.torch.onnx.name_scopes": "['', 'head', 'head.act', 'sigmoid']",
        "pkg.torch.onnx.stack_trace": 'File "/home/someone/net.py", line 7, in forward',
    }.items():
        model.graph.node[1].metadata_props.add(key=key, value=value)
    text = refusal(model, tmp_path)
    assert "'lpnormalization_1' in head.act\n" in text
    assert "/home" not in text


@pytest.mark.parametrize(
    ("metadata", "path"),
    [
        ({}, ""),
        ({"namespace": ": net.Net/b: torch.nn.Sequential/b.0: net.Block/conv: aten.conv2d"}, "b.0"),
        ({"pkg.torch.onnx.name_scopes": "['', 'conv2d']"}, ""),
        ({"pkg.torch.onnx.name_scopes": "not a list ["}, ""),
        ({"pkg.torch.onnx.name_scopes": "['', '/home/x/net.py', 'conv2d']"}, ""),
    ],
)
def test_module_paths(metadata: dict[str, str], path: str) -> None:
    assert module_path(metadata) == path


def test_nodes_without_or_with_equal_names_stay_apart(tmp_path: Path) -> None:
    model = conv_net()
    for node in model.graph.node:
        node.name = "" if node.op_type == "Conv" else "same"
    names = [node.name for node in imported(model, tmp_path).nodes]
    assert len(names) == len(set(names))


def test_every_constraint_has_a_message_and_a_workaround() -> None:
    for support in OPERATORS.values():
        for constraint in (*GENERAL, *support.constraints):
            needs, hint = describe(constraint)
            assert len(needs.splitlines()) == 1, constraint.__name__
            assert hint, constraint.__name__


def test_the_documented_table_is_the_one_in_force() -> None:
    """When it is not: python -c 'from deployer.frontend.operators import markdown; ...'."""
    assert markdown() in DOCS.read_text()
