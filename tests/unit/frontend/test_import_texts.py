"""Names and symbols of a file, where it comes from, and what is advised about its operators."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from deployer.errors import ModelError
from deployer.frontend.advice import advice
from deployer.frontend.check import check
from deployer.frontend.cut import proposal
from deployer.frontend.external import inline_external_data
from deployer.frontend.modules import module_path
from deployer.frontend.net import Net, Op
from deployer.frontend.onnx_import import import_model
from deployer.frontend.versions import brief

PLACES = (
    "graph", "domain", "weight", "node", "kind", "vendor", "read", "written", "attribute", "key",
    "value", "input", "output", "symbol",
)  # fmt: skip


def marked() -> onnx.ModelProto:
    """A model with a text of its own in every place; no other model would have them all."""
    node = helper.make_node(
        "the_kind", ["the_read"], ["the_written"], name="the_node", domain="the_vendor"
    )
    node.attribute.append(helper.make_attribute("the_attribute", 1))
    node.metadata_props.add(key="the_key", value="the_value")
    ends = [
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [shape])]
        for name, shape in (("the_input", "the_symbol"), ("the_output", 3))
    ]
    weight = helper.make_tensor("the_weight", TensorProto.FLOAT, [1], [1.0])
    graph = helper.make_graph([node], "the_graph", *ends, [weight])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("the_domain", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


@pytest.mark.parametrize("place", PLACES)
def test_a_text_that_is_not_utf_8_is_damage_wherever_it_is(place: str, tmp_path: Path) -> None:
    """protobuf hands over bytes for it."""
    text = f"the_{place}".encode()
    data = marked().SerializeToString()
    assert data.count(text) == 1
    path = tmp_path / "model.onnx"
    path.write_bytes(data.replace(text, text[:-1] + b"\xff"))
    with pytest.raises(ModelError, match="starts like ONNX but breaks off or is damaged"):
        import_model(path)


def outside(name: str, place: int) -> TensorProto:
    """Two numbers kept in a side file."""
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[2])
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", "side"), ("offset", str(8 * place)), ("length", "8")):
        tensor.external_data.add(key=key, value=value)
    return tensor


def test_tensors_outside_are_found_in_every_place(tmp_path: Path) -> None:
    numbers = np.arange(12, dtype=np.float32)
    (tmp_path / "side").write_bytes(numbers.tobytes())
    inner = helper.make_graph([], "inner", [], [], [outside("inner", 0)])
    deep = helper.make_node("Deep", [], ["d"])
    deep.attribute.add(name="t", type=onnx.AttributeProto.TENSOR).t.CopyFrom(outside("deep", 1))
    nodes = [helper.make_node("Any", [], [f"any_{i}"]) for i in range(4)]
    nodes[0].attribute.add(name="t", type=onnx.AttributeProto.TENSOR).t.CopyFrom(outside("t", 2))
    several = nodes[1].attribute.add(name="ts", type=onnx.AttributeProto.TENSORS)
    several.tensors.extend([outside("first", 3), outside("second", 4)])
    nodes[2].attribute.add(name="g", type=onnx.AttributeProto.GRAPH).g.CopyFrom(inner)
    bodies = nodes[3].attribute.add(name="gs", type=onnx.AttributeProto.GRAPHS)
    bodies.graphs.add().node.append(deep)
    graph = helper.make_graph(nodes, "g", [], [], [outside("weight", 5)])
    model = helper.make_model(graph)
    hashes = inline_external_data(model, tmp_path / "model.onnx")
    assert list(hashes) == ["data_sha256/side"]
    found = [
        *model.graph.initializer, model.graph.node[0].attribute[0].t,
        *model.graph.node[1].attribute[0].tensors,
        *model.graph.node[2].attribute[0].g.initializer,
        model.graph.node[3].attribute[0].graphs[0].node[0].attribute[0].t,
    ]  # fmt: skip
    places = {"weight": 5, "t": 2, "first": 3, "second": 4, "inner": 0, "deep": 1}
    assert {tensor.name for tensor in found} == set(places)
    for tensor in found:
        assert tensor.data_location == TensorProto.DEFAULT
        assert not tensor.external_data
        first = 2 * places[tensor.name]
        assert onnx.numpy_helper.to_array(tensor).tolist() == [first, first + 1]


SCOPES, NAMESPACE = "pkg.torch.onnx.name_scopes", "namespace"


@pytest.mark.parametrize(
    ("metadata", "path"),
    [
        ({SCOPES: "['', 'a', 'a.b', 'conv']"}, "a.b"),
        ({SCOPES: "['a', 3, '', 'conv']"}, "a"),
        ({SCOPES: "['a', 'conv'"}, ""),
        ({SCOPES: "('a', 'conv')"}, ""),
        ({SCOPES: "['conv']"}, ""),
        ({SCOPES: "['a\\nb', 'conv']"}, ""),
        ({SCOPES: "['a/b', 'conv']"}, ""),
        ({SCOPES: "['a\\\\b', 'conv']"}, ""),
        ({SCOPES: "['a', 'conv']", NAMESPACE: "b: N/conv: o"}, "a"),
        ({SCOPES: "['conv']", NAMESPACE: "b: N/conv: o"}, "b"),
        ({NAMESPACE: ": N/conv: o"}, ""),
        ({NAMESPACE: "conv: o"}, ""),
        ({NAMESPACE: " a : N/ a.b : M/conv: o"}, "a.b"),
        ({NAMESPACE: "a: path/to/N/conv: o"}, "a"),
    ],
)
def test_the_innermost_module_that_an_exporter_named(metadata: dict[str, str], path: str) -> None:
    assert module_path(metadata) == path


def op(kind: str, domain: str = "") -> Op:
    return Op("n", kind, domain, ("x",), ("y",), {})


@pytest.mark.parametrize(
    ("kinds", "text"),
    [
        ("ConvInteger DynamicQuantizeLinear DynamicQuantizeMatMul MatMulInteger "
         "MatMulIntegerToFloat",
         "quantize statically, with calibration data: scales found at run time cannot be planned"),
        ("If", "export with fixed shapes, so that the exporter resolves the control flow"),
        ("Loop Scan",
         "export with fixed shapes and without loops: recurrent layers of Keras with unroll=True"),
        ("ArgMax ArgMin Gather GatherElements GatherND Hardmax LogSoftmax NonMaxSuppression "
         "NonZero RoiAlign ScatterND TopK",
         "end the network before it (--cut NAME) and do this step on the host"),
        ("Attention", "export with opset 22 or older, which writes its products out"),
        ("Einsum Det LpPool",
         "rewrite the model without it, or end the network before it (--cut NAME)"),
    ],
)  # fmt: skip
def test_each_kind_of_operator_has_its_advice(kinds: str, text: str) -> None:
    for kind in kinds.split():
        assert advice(op(kind)) == f"{kind}: {text}"


@pytest.mark.parametrize(
    ("domain", "kind", "text"),
    [
        ("com.microsoft", "QLinearWhere", "quantize in the QDQ format"),
        ("com.microsoft.nchwc", "QGemm", "quantize in the QDQ format"),
        ("org.own", "QLinearWhere", "rewrite the model without it"),
        ("com.microsoft", "MatMulIntegerToFloat", "quantize statically"),
        ("com.microsoft", "Gather", "rewrite the model without it"),
        ("com.microsoft", "Attention", "rewrite the model without it"),
    ],
)
def test_operators_of_vendors_are_named_with_their_domain(
    domain: str, kind: str, text: str
) -> None:
    assert advice(op(kind, domain)).startswith(f"{domain}.{kind}: {text}")


def net(ops: tuple[Op, ...], shapes: dict[str, tuple[int, ...]]) -> Net:
    outputs = ops[-1].outputs
    return Net("net", 17, ops, ("x",), outputs, shapes, dict.fromkeys(shapes, 1), {})


def test_programs_are_told_of_each_node_by_itself(tmp_path: Path) -> None:
    ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 3])] for name in ("x", "y")]
    nodes = [
        helper.make_node("LpNormalization", ["x"], ["a"], name="first"),
        helper.make_node("Own", ["a"], ["y"], name="second", domain="org.own"),
    ]
    nodes[1].metadata_props.add(key=NAMESPACE, value="head: N/own: o")
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("org.own", 1)]
    model = helper.make_model(
        helper.make_graph(nodes, "g", *ends), opset_imports=opsets, ir_version=8
    )
    onnx.save(model, tmp_path / "model.onnx")
    with pytest.raises(ModelError) as caught:
        import_model(tmp_path / "model.onnx")
    said = {"problem": "not supported"}
    assert caught.value.reasons == (
        {
            "node": "first", "operator": "LpNormalization", "module": "", **said,
            "hint": advice(op("LpNormalization")),
        },
        {
            "node": "second", "operator": "org.own.Own", "module": "head", **said,
            "hint": advice(op("Own", "org.own")),
        },
    )  # fmt: skip
    assert "  org.own.Own not supported: 'second' in head\n" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [("a\nb", "a"), ("\n  \n b \n", "b"), ("", "ValueError"), ("x" * 301, "x" * 300)],
)
def test_of_what_a_library_says_the_first_line_is_told(text: str, said: str) -> None:
    assert brief(ValueError(text)) == said


def test_nothing_is_built_on_a_shape_that_is_not_known() -> None:
    with pytest.raises(ModelError) as caught:
        check(net((op("Relu"),), {"y": (1, 3)}))
    assert str(caught.value) == (
        "net: the shape of 'y' cannot be inferred\n"
        "  node 'n' (Relu) reads x\n"
        "  try: check it with `python -m onnx.checker FILE`, or export the model again"
    )


def row(*kinds: str, names: tuple[str, ...] = ()) -> Net:
    """Operators one behind the other."""
    values = ["x", *(names or [f"v{i}" for i in range(len(kinds))])]
    ops = tuple(
        Op(f"n{i}", kind, "", (values[i],), (values[i + 1],), {}) for i, kind in enumerate(kinds)
    )
    return net(ops, {})


@pytest.mark.parametrize(
    ("kinds", "refused", "said"),
    [
        (("Relu", "Hardmax"), [1], "--cut v0"),
        (("Relu", "Hardmax", "Relu"), [1], "--cut v0"),
        (("Relu", "Hardmax", "LpNormalization"), [1, 2], "--cut v0"),
        (("Relu", "LpNormalization"), [1], ""),
        (("Relu", "LpNormalization", "Hardmax"), [1, 2], ""),
        (("Hardmax", "Relu"), [0], ""),
        (("Relu", "Hardmax", "Relu", "LogSoftmax"), [1, 3], "--cut v0"),
    ],
)
def test_a_cut_leaves_heads_out_and_all_behind_them(
    kinds: tuple[str, ...], refused: list[int], said: str
) -> None:
    found = row(*kinds)
    assert proposal(found, [found.ops[i] for i in refused]) == said


@pytest.mark.parametrize(
    ("name", "said"),
    [("a/b.c_1", "a/b.c_1"), ("a b", "'a b'"), ("a:0", "'a:0'"), ("a-b", "'a-b'"), ("_", "'_'")],
)
def test_names_that_a_shell_might_read_are_quoted(name: str, said: str) -> None:
    found = row("Relu", "Hardmax", names=(name, "end"))
    assert proposal(found, found.ops[1:]) == f"--cut {said}"
