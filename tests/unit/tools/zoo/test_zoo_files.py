"""The files: valid, counted right, finite, alive, equal across styles, the same every time."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.errors import UsageError
from deployer.tools.zoo.build import draw
from deployer.tools.zoo.catalog import CATALOG
from unit.tools.zoo.zoo_nets import STYLES, run, small, written

COUNTED = ("Conv", "ConvTranspose", "Gemm")


@pytest.mark.parametrize("name", CATALOG)
def test_styles_compute_the_same_and_batch_norm_folds(name: str, tmp_path: Path) -> None:
    network = small(name)
    expected = run(written(network, tmp_path))
    for style in STYLES:
        for batch_norm in (False, True):
            path = written(network, tmp_path, style=style, batch_norm=batch_norm)
            onnx.checker.check_model(onnx.load(path), full_check=True)
            found = run(path)
            assert list(found) == list(expected)
            for key, array in expected.items():
                np.testing.assert_allclose(found[key], array, atol=1e-5 * np.abs(array).max())


@pytest.mark.parametrize("name", CATALOG)
def test_activations_keep_their_scale_and_depend_on_the_input(name: str, tmp_path: Path) -> None:
    model = onnx.shape_inference.infer_shapes(onnx.load(written(small(name), tmp_path)))
    names = [output.name for output in model.graph.output]
    model.graph.output.extend(model.graph.value_info)
    first, second = run(model, seed=1), run(model, seed=2)
    for key, array in first.items():
        assert np.isfinite(array).all()
        assert 0.02 < math.sqrt(np.square(array).mean()) < 20, key
    for key in names:
        assert np.abs(first[key] - second[key]).max() > 0.02 * np.abs(first[key]).max()
        assert len(np.unique(first[key])) > first[key].size // 2


@pytest.mark.parametrize("name", CATALOG)
def test_counts_are_those_of_the_file(name: str, tmp_path: Path) -> None:
    network = small(name)
    graph = onnx.shape_inference.infer_shapes(onnx.load(written(network, tmp_path))).graph
    numbers = {item.name: tuple(item.dims) for item in graph.initializer if item.data_type == 1}
    shapes = {
        item.name: [dim.dim_value for dim in item.type.tensor_type.shape.dim]
        for item in (*graph.input, *graph.value_info, *graph.output)
    }
    macs = 0
    for node in (node for node in graph.node if node.op_type in COUNTED):
        scatters = node.op_type == "ConvTranspose"  # every input element meets the whole kernel
        positions = shapes[node.input[0] if scatters else node.output[0]]
        macs += math.prod(positions) * math.prod(numbers[node.input[1]][1:])
    assert network.macs == macs
    bounds = {name for node in graph.node if node.op_type == "Clip" for name in node.input}
    stored = sum(math.prod(shape) for name, shape in numbers.items() if name not in bounds)
    assert network.folded_parameters == stored


def ops(path: Path) -> set[str]:
    return {node.op_type for node in onnx.load(path).graph.node}


def test_dynamo_writes_what_the_newer_exporter_writes(tmp_path: Path) -> None:
    path = written(small("mobilenetv3-small"), tmp_path, style="dynamo")
    model = onnx.load(path)
    assert (model.opset_import[0].version, model.ir_version) == (20, 10)
    assert {"ReduceMean", "Reshape", "HardSwish"} <= ops(path)
    assert not {"GlobalAveragePool", "Flatten", "Constant", "Identity"} & ops(path)
    typed = {item.name for item in (*model.graph.value_info, *model.graph.output)}
    assert all(node.output[0] in typed for node in model.graph.node)
    assert all(node.metadata_props[0].key.startswith("pkg.torch") for node in model.graph.node)
    path = written(small("mobilenetv2"), tmp_path, style="dynamo")
    clip = next(node for node in onnx.load(path).graph.node if node.op_type == "Clip")
    dims = {item.name: list(item.dims) for item in onnx.load(path).graph.initializer}
    assert [dims[name] for name in clip.input[1:]] == [[], []]


def test_torchscript_writes_what_the_older_exporter_writes(tmp_path: Path) -> None:
    path = written(small("mobilenetv2"), tmp_path, style="torchscript")
    model = onnx.load(path)
    assert (model.opset_import[0].version, model.ir_version) == (13, 7)
    assert not model.graph.value_info
    assert {"Constant", "Identity", "GlobalAveragePool", "Flatten"} <= ops(path)
    path = written(small("mobilenetv3-small"), tmp_path, style="torchscript")
    assert {"HardSigmoid", "Mul"} <= ops(path)
    assert "HardSwish" not in ops(path)
    path = written(small("ds-cnn"), tmp_path, style="torchscript")
    assert {"ConstantOfShape", "Concat", "Slice", "Transpose", "Cast", "Pad"} <= ops(path)


@pytest.mark.parametrize("style", STYLES)
def test_batch_norm_is_folded_unless_asked_for(style: str, tmp_path: Path) -> None:
    network = small("resnet18")
    assert "BatchNormalization" not in ops(written(network, tmp_path, style=style))
    assert "BatchNormalization" in ops(written(network, tmp_path, style=style, batch_norm=True))
    assert "BatchNormalization" in ops(written(small("densenet121"), tmp_path, style=style))


@pytest.mark.parametrize("style", STYLES)
def test_the_same_arguments_give_the_same_bytes(style: str, tmp_path: Path) -> None:
    first, again, other = (
        written(small("unet"), tmp_path, style=style, seed=seed).read_bytes() for seed in (3, 3, 4)
    )
    assert first == again
    assert first != other
    assert len(first) == len(other)


@settings(max_examples=30, deadline=None)
@given(
    name=st.sampled_from(sorted(CATALOG)),
    width=st.floats(0.01, 2),
    height=st.integers(1, 200),
    across=st.integers(1, 200),
)
def test_any_size_is_drawn_or_refused_with_a_reason(
    name: str, width: float, height: int, across: int
) -> None:
    try:
        network = draw(name, width=width, resolution=(height, across))
    except UsageError as refused:
        reason = str(refused)
    else:
        reason = ""
        assert all(min(layer.shape) >= 1 for layer in network.layers)
        assert network.macs > 0
    assert not reason or f"{height}x{across}" in reason.splitlines()[0]
    assert not reason or "try: " in reason
