"""What of a quantized model cannot be deployed: each node with the reason and a way out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper
from onnx_equal import imported

from deployer.errors import ModelError
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.samples import synthetic_samples
from qdq import INT8, QdqBuilder, small_conv_net, with_types


def refusal(model: onnx.ModelProto, folder: Path) -> str:
    with pytest.raises(ModelError) as caught:
        imported(model, folder)
    assert caught.value.exit_status == 3
    return str(caught.value)


def around(
    scale: object = 0.03, zero: object = 0, kind: type = np.int8, opset: int = 21, **attrs: int
) -> onnx.ModelProto:
    """A pair of these parameters before a ReLU."""
    s = QdqBuilder(1, opset)
    numbers = s.numbers(scale, zero, kind)
    x = s.node("QuantizeLinear", s.input(1, 4, 3, 3), *numbers, **attrs)
    return s.model(s.relu(s.node("DequantizeLinear", x, *numbers, **attrs)), checked=False)


@pytest.mark.parametrize(
    ("model", "found"),
    [
        (lambda: around(0.0), "needs scales that are finite and above 0; found constant_0 holds 0"),
        (lambda: around(-0.1), "found constant_0 holds -0.1"),
        (lambda: around(np.nan), "found constant_0 holds nan"),
        (lambda: around(np.inf), "found constant_0 holds inf"),
        (lambda: around(kind=np.int16), "needs int8 or uint8 integers; for constant biases int32"),
        (lambda: around(kind=np.uint16), "found uint16"),
        (lambda: around([0.1] * 4, [0] * 4), "found 4 scales for input"),
        (lambda: around([0.1], [0, 0]), "found 1 scales and 2 zero points"),
    ],
)
def test_parameters_that_say_nothing(
    model: Callable[[], onnx.ModelProto], found: str, tmp_path: Path
) -> None:
    assert found in refusal(model(), tmp_path)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(data=st.data())
def test_damage_is_refused_or_does_no_harm(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Constants of other types, shapes and values, inputs left out or exchanged: never a crash."""
    model = small_conv_net(21)
    arrays = {item.name: onnx.numpy_helper.to_array(item) for item in model.graph.initializer}
    for _ in range(data.draw(st.integers(1, 3))):
        item = data.draw(st.sampled_from(list(model.graph.initializer)))
        array = arrays[item.name]
        kind = data.draw(st.sampled_from(["int8", "uint8", "int16", "int32", "float32"]))
        damaged = data.draw(
            st.sampled_from([array, array.reshape(-1), array.reshape(-1)[:1], -array, array * 0])
        )
        item.CopyFrom(onnx.numpy_helper.from_array(damaged.astype(kind), item.name))
        node = data.draw(st.sampled_from(list(model.graph.node)))
        if len(node.input) > 2 and data.draw(st.booleans()):
            place = data.draw(st.integers(0, len(node.input) - 1))
            node.input[place] = data.draw(st.sampled_from(["", *arrays, "input"]))
    try:
        graph = imported(model, tmp_path_factory.mktemp("damaged"))
    except ModelError:
        return
    quantize(graph, synthetic_samples(graph, count=1), QuantOptions())


def test_dequantize_of_other_numbers_than_were_quantized(tmp_path: Path) -> None:
    s = QdqBuilder(2)
    x = s.dq(s.q(s.input(1, 4), 0.03, 1), 0.05, 1)
    text = refusal(s.model(s.relu(x)), tmp_path)
    assert "found 0.03 and 1 where quantizelinear_0_out is made, 0.05 and 1 here" in text


def test_dequantize_of_something_computed(tmp_path: Path) -> None:
    s = QdqBuilder(3)
    x = s.node("Cast", s.input(1, 4), to=TensorProto.INT8)
    text = refusal(s.model(s.relu(s.dq(x, 0.03))), tmp_path)
    assert "DequantizeLinear needs integers that a QuantizeLinear made" in text
    assert "found cast_0_out, computed" in text


def test_arithmetic_on_integers(tmp_path: Path) -> None:
    """Without a DequantizeLinear before it an operator would read integers as numbers."""
    s = QdqBuilder(4)
    x = s.q(s.input(1, 4), 0.03)
    y = s.node("Add", s.node("Cast", x, to=TensorProto.FLOAT), "input")
    text = refusal(s.model(y), tmp_path)
    assert "Cast needs floating-point activations" in text


def test_integers_of_an_input_that_nobody_reads_as_numbers(tmp_path: Path) -> None:
    s = QdqBuilder(5)
    x = s.node("MaxPool", s.input(1, 4, 4, 4), kernel_shape=[2, 2])
    model = with_types(s.model(x, checked=False), input=INT8, output=INT8)
    assert "MaxPool needs floating-point activations, or int8" in refusal(model, tmp_path)


def test_scales_computed_at_run_time(tmp_path: Path) -> None:
    s = QdqBuilder(6)
    s.node_of("DynamicQuantizeLinear", [s.input(1, 4)], ["steps", "scale", "zero"])
    x = s.node("DequantizeLinear", "steps", "scale", "zero")
    text = refusal(s.model(x), tmp_path)
    assert "DynamicQuantizeLinear not supported" in text
    assert "quantize statically, with calibration data" in text


def test_integer_operators_without_output_scale(tmp_path: Path) -> None:
    s = QdqBuilder(7)
    x = s.q(s.input(1, 4), 0.03)
    x = s.node("Cast", s.node("MatMulInteger", x, s.constant(s.steps(4, 3))), to=1)
    text = refusal(s.model(x), tmp_path)
    assert "MatMulInteger not supported" in text
    assert "scales found at run time cannot be planned" in text


def test_blocks_of_scales(tmp_path: Path) -> None:
    s = QdqBuilder(8, 21)
    numbers = s.numbers(np.full((2, 4), 0.01), np.zeros((2, 4)))
    held = s.node("DequantizeLinear", s.constant(s.steps(8, 4)), *numbers, axis=0, block_size=4)
    model = s.model(s.node("MatMul", s.input(1, 8), held))
    assert "needs one scale for a whole channel: no blocks; found block_size=4" in refusal(
        model, tmp_path
    )


@pytest.mark.parametrize(
    ("kind", "name"),
    [(TensorProto.INT4, "int4"), (TensorProto.FLOAT8E4M3FN, "float8")],
)
def test_weights_of_other_widths(kind: int, name: str, tmp_path: Path) -> None:
    s = QdqBuilder(9, 21)
    held = s.node("DequantizeLinear", "held", s.constant(np.float32(0.1)))
    s._weights.append(helper.make_tensor("held", kind, (4, 2), [1.0] * 8))
    model = s.model(s.node("MatMul", s.input(1, 4), held), checked=False)
    assert f"found {name}" in refusal(model, tmp_path)


def test_scales_along_a_wrong_axis(tmp_path: Path) -> None:
    s = QdqBuilder(10)
    numbers = s.numbers(np.full(5, 0.01), np.zeros(5))
    held = s.node("DequantizeLinear", s.constant(s.steps(4, 3)), *numbers, axis=1)
    model = s.model(s.node("MatMul", s.input(1, 4), held), checked=False)
    assert "5 scales along axis 1 of [4, 3]" in refusal(model, tmp_path)


def test_operator_format_with_channels_last(tmp_path: Path) -> None:
    s = QdqBuilder(11)
    x = s.q(s.input(1, 4, 4, 3), 0.03)
    model = s.model(s.dq(s.node("Identity", x), 0.04), checked=False)
    node = next(node for node in model.graph.node if node.op_type == "Identity")
    inputs = [*node.input, *["constant_0", "constant_1"] * 2]
    kind = "QLinearGlobalAveragePool"
    node.CopyFrom(helper.make_node(kind, inputs, node.output, domain="com.microsoft", name="pool"))
    node.attribute.append(helper.make_attribute("channels_last", 1))
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    text = refusal(model, tmp_path)
    assert "quantize in the QDQ format (QuantFormat.QDQ), channels second" in text
