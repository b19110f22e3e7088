"""LSTM, GRU and RNN: what they compute, the styles of exporters, and what is refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import ModelProto, helper, numpy_helper
from onnx_equal import check_equal, imported, nhwc
from random_models import STEADY

from deployer.errors import ModelError
from deployer.frontend.onnx_import import import_model
from deployer.ir.graph import Graph
from deployer.numerics import interpret
from models import ModelBuilder
from recurrent import GATES, Layer, denoiser, keyword_spotter, recurrent_node, single

DIRECTIONS = ("forward", "reverse", "bidirectional")


def check_layer(layer: Layer, folder: Path, **attrs: object) -> Graph:
    """ONNX Runtime has no layout 1, which is layout 0 with axes turned."""
    graph = imported(single(layer, **attrs), folder)
    reference = single(replace(layer, layout=0), **attrs)
    session = onnxruntime.InferenceSession(reference.SerializeToString())
    x = np.random.default_rng(3).normal(size=(layer.steps, 1, layer.features)).astype(np.float32)
    expected = session.run(None, {"input": x})
    found = interpret.run(graph, {"input": x.reshape(1, layer.steps, layer.features)})
    for array, result in zip(expected, found.values(), strict=True):
        if array.ndim == 4 and layer.layout:
            array = array.transpose(2, 0, 1, 3)  # as ONNX has it then
        if array.ndim == 4 and array.shape[0] == 1:  # an image, as the device has it
            array = nhwc(array)
        np.testing.assert_allclose(result.ravel(), array.ravel(), atol=1e-5)
    return graph


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("kind", GATES)
def test_each_direction_and_layout(kind: str, layout: int, direction: str, tmp_path: Path) -> None:
    check_layer(Layer(kind, direction=direction, layout=layout), tmp_path)


LAYERS = st.builds(
    Layer,
    kind=st.sampled_from(tuple(GATES)),
    steps=st.integers(1, 6),
    features=st.integers(1, 5),
    hidden=st.integers(1, 5),
    direction=st.sampled_from(DIRECTIONS),
    layout=st.integers(0, 1),
    late_reset=st.integers(0, 1),
    biases=st.booleans(),
    states=st.booleans(),
    outputs=st.sets(st.sampled_from(("Y", "Y_h")), min_size=1).map(lambda s: tuple(sorted(s))),
    seed=st.integers(0, 99),
)


@STEADY
@given(layer=LAYERS)
def test_whatever_is_left_out(layer: Layer, tmp_path_factory: pytest.TempPathFactory) -> None:
    check_layer(layer, tmp_path_factory.mktemp("drawn"))


@pytest.mark.parametrize("direction", ["reverse", "bidirectional"])
def test_the_last_cell_is_returned(direction: str, tmp_path: Path) -> None:
    outputs = ("Y", "Y_h", "Y_c")
    check_layer(Layer(direction=direction, states=True, outputs=outputs), tmp_path)


WORDS = {
    "RNN": (["Relu"], {}),
    "GRU": (["HardSigmoid", "Softsign"], {"activation_alpha": [0.3], "activation_beta": [0.4]}),
    "LSTM": (["HardSigmoid", "Elu", "LeakyRelu"], {"activation_alpha": [0.25, 0.7, 0.1],
                                                   "activation_beta": [0.45]}),
}  # fmt: skip


@pytest.mark.parametrize("kind", WORDS)
def test_other_activations(kind: str, tmp_path: Path) -> None:
    """A function takes the next of the alphas, and of the betas, that it reads."""
    names, numbers = WORDS[kind]
    check_layer(Layer(kind), tmp_path, activations=names, **numbers)


def test_steps_share_their_weights(tmp_path: Path) -> None:
    graph = imported(single(Layer(steps=6)), tmp_path)
    dense = [node for node in graph.nodes if node.op == "FullyConnected"]
    assert len(dense) == 5  # the first has no state
    assert len({node.inputs[1:] for node in dense}) == 1


def test_values_of_one_kind_are_tied(tmp_path: Path) -> None:
    graph = imported(single(Layer(steps=4, outputs=("Y_h",))), tmp_path)
    cells = {name for name in graph.values if name.endswith("/cell")}
    assert cells in [set(tie.values) for tie in graph.ties]
    assert all(tie.bits == 16 for tie in graph.ties)


def kinds(graph: Graph) -> Counter[str]:
    return Counter(node.op for node in graph.nodes)


def test_a_keyword_spotter(tmp_path: Path) -> None:
    """Nothing is transposed, nothing joined: the last state is all that is read."""
    graph = check_equal(keyword_spotter(7, 5, 6), tmp_path)
    assert kinds(graph)["Transpose"] == kinds(graph)["Concat"] == 0


def test_a_denoiser(tmp_path: Path) -> None:
    graph = check_equal(denoiser(7, 5, 6), tmp_path)
    assert kinds(graph)["Transpose"] == 0
    assert kinds(graph)["Concat"] == 1


def last_of_sequence(s: ModelBuilder, x: str) -> str:
    """PyTorch: out[:, -1] of batch_first."""
    y, *_ = recurrent_node(s, s.node("Transpose", x, perm=[1, 0, 2]), Layer(outputs=("Y",)))
    y = s.node("Squeeze", y, s.constant(np.int64([1])))
    y = s.node("Transpose", y, perm=[1, 0, 2])
    return s.node("Gather", y, s.constant(np.int64(-1)), axis=1)


def stacked_states(s: ModelBuilder, x: str) -> str:
    """PyTorch: h[-1] of two layers, whose states are joined first."""
    x = s.node("Transpose", x, perm=[1, 0, 2])
    y, first, _ = recurrent_node(s, x, Layer())
    y = s.node("Squeeze", y, s.constant(np.int64([1])))
    _, second, _ = recurrent_node(s, y, Layer(features=8, hidden=4, outputs=("Y_h",)))
    _, third, _ = recurrent_node(s, y, Layer(features=8, outputs=("Y_h",)))
    states = s.node("Concat", first, third, axis=0)
    return s.node("Add", s.node("Gather", states, s.constant(np.int64(-1)), axis=0),
                  s.gemm(s.node("Squeeze", second, s.constant(np.int64([0]))), 4, 8))  # fmt: skip


def both_ends(s: ModelBuilder, x: str) -> str:
    """PyTorch: both last states of a bidirectional layer, side by side."""
    layer = Layer("GRU", direction="bidirectional", outputs=("Y_h",))
    _, last = recurrent_node(s, s.node("Transpose", x, perm=[1, 0, 2]), layer)
    parts = [s.node("Gather", last, s.constant(np.int64(i)), axis=0) for i in (-2, -1)]
    return s.node("Concat", *parts, axis=1)


def bidirectional_sequence(s: ModelBuilder, x: str) -> str:
    """PyTorch: a bidirectional layer behind another one."""
    x = s.node("Transpose", x, perm=[1, 0, 2])
    for features in (6, 16):
        layer = Layer(features=features, direction="bidirectional", outputs=("Y",))
        y, *_ = recurrent_node(s, x, layer)
        y = s.node("Transpose", y, perm=[0, 2, 1, 3])
        x = s.node("Reshape", y, s.constant(np.int64([0, 0, -1])))
    return s.node("Transpose", x, perm=[1, 0, 2])


def directions_apart(s: ModelBuilder, x: str) -> str:
    """tf2onnx: the directions cut out of the steps, rows of rank 2 for the dense layer."""
    x = s.node("Reshape", x, s.constant(np.int64([5, 1, 6])))
    y, *_ = recurrent_node(s, x, Layer(direction="bidirectional", outputs=("Y",)))
    parts = []
    for index in (0, 1):
        numbers = [s.constant(np.int64([n])) for n in (index, index + 1, 1)]
        parts.append(s.node("Squeeze", s.node("Slice", y, *numbers), s.constant(np.int64([1]))))
    rows = s.node("Reshape", s.node("Concat", *parts, axis=-1), s.constant(np.int64([5, 16])))
    rows = s.node("MatMul", rows, s.weight(16, 3))
    return s.node("Add", s.node("Reshape", rows, s.constant(np.int64([1, 5, 3]))), s.weight(3))


STYLES = [last_of_sequence, stacked_states, both_ends, bidirectional_sequence, directions_apart]


@pytest.mark.parametrize("style", STYLES)
def test_styles_of_exporters(style: object, tmp_path: Path) -> None:
    s = ModelBuilder(5)
    graph = check_equal(s.model(style(s, s.input(1, 5, 6))), tmp_path)  # type: ignore[operator]
    if style in (last_of_sequence, both_ends):
        assert kinds(graph)["Concat"] == (style is both_ends)


def test_steps_first_at_both_ends(tmp_path: Path) -> None:
    """batch_first=False: the device has the batch first, in the same order of elements."""
    s = ModelBuilder(6)
    x = s.input(5, 1, 6)
    y, *_ = recurrent_node(s, x, Layer(outputs=("Y",)))
    y = s.node("Add", s.node("Squeeze", y, s.constant(np.int64([1]))), s.weight(8))
    model = s.model(s.node("MatMul", y, s.weight(8, 3)))
    graph = imported(model, tmp_path)
    assert any("output output has the shape [1, 5, 3], batch first" in n for n in graph.notes)
    sample = np.random.default_rng(1).normal(size=(5, 1, 6)).astype(np.float32)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    (expected,) = session.run(None, {"input": sample})
    (found,) = interpret.run(graph, {"input": sample.reshape(1, 5, 6)}).values()
    np.testing.assert_allclose(found.ravel(), expected.ravel(), atol=1e-5)


def refusal(model: ModelProto, folder: Path) -> str:
    path = folder / "model.onnx"
    onnx.save(model, path)
    with pytest.raises(ModelError) as error:
        import_model(path)
    return str(error.value)


def with_input(model: ModelProto, index: int, array: np.ndarray | None, shape: list[int]) -> None:
    """Give the node one of its inputs: a constant, or an input of the network."""
    node, name = model.graph.node[0], f"given{index}"
    node.input.extend([""] * (index + 1 - len(node.input)))
    node.input[index] = name
    if array is not None:
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    else:
        model.graph.input.append(helper.make_tensor_value_info(name, 1, shape))


def test_peepholes_are_refused(tmp_path: Path) -> None:
    model = single(Layer())
    with_input(model, 7, np.ones((1, 24), np.float32), [])
    assert "no peepholes" in refusal(model, tmp_path)
    model.graph.initializer[-1].CopyFrom(
        numpy_helper.from_array(np.zeros((1, 24), np.float32), "given7")
    )
    imported(model, tmp_path)


def test_states_from_outside_are_refused(tmp_path: Path) -> None:
    model = single(Layer())
    with_input(model, 5, None, [1, 1, 8])
    assert "constant weights, biases and first states; found input 5" in refusal(model, tmp_path)


@pytest.mark.parametrize("length", [5, 3])
def test_lengths_are_those_of_the_sequence(length: int, tmp_path: Path) -> None:
    model = single(Layer())
    with_input(model, 4, np.int32([length]), [])
    if length == 5:
        imported(model, tmp_path)
    else:
        assert "found sequence_lens given4" in refusal(model, tmp_path)


WRONG = {
    "clip": ({"clip": 3.0}, "clip=3.0"),
    "coupled": ({"input_forget": 1}, "input_forget=1"),
    "unknown": ({"activations": ["Sigmoid", "Affine", "Tanh"]}, "found activation affine"),
    "few": ({"activations": ["Sigmoid"]}, "found 1 activations"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_not_computed_is_refused_by_name(case: str, tmp_path: Path) -> None:
    attrs, text = WRONG[case]
    assert text in refusal(single(Layer(), **attrs), tmp_path)


def test_a_batch_is_refused(tmp_path: Path) -> None:
    model = single(Layer())
    model.graph.input[0].type.tensor_type.shape.dim[1].dim_value = 2
    assert "a sequence of one batch" in refusal(model, tmp_path)


def test_weights_of_another_size_are_refused(tmp_path: Path) -> None:
    model = single(Layer())
    bias = model.graph.initializer[2]
    bias.CopyFrom(numpy_helper.from_array(np.ones((1, 63), np.float32), bias.name))
    assert "of shape [1, 63], not [1, 64]" in refusal(model, tmp_path)


def test_a_long_sequence_is_refused(tmp_path: Path) -> None:
    text = refusal(single(Layer(steps=513, features=1, hidden=1, outputs=("Y_h",))), tmp_path)
    assert "at most 512 steps" in text
