"""Whole networks: the imported graph computes what ONNX Runtime computes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx_equal import check_equal, compare

from calls import calls
from deployer.frontend.onnx_import import import_model
from deployer.numerics import interpret
from models import ModelBuilder, all_nets

NETS = all_nets()
REFERENCE = {  # parameters of each ONNX file: the models' README, or the sum of initializer sizes
    "ad_autoencoder/ad_autoencoder.onnx": 265_864,
    "ad_autoencoder/ad_autoencoder_dynbatch.onnx": 265_864,
    "ad_autoencoder/ad_autoencoder_h5_bn.onnx": 269_992,
    "ad_autoencoder/ad_autoencoder_h5_bn_dynbatch.onnx": 269_992,
    "kws_dscnn/kws_dscnn.onnx": 22_604,
    "kws_dscnn/kws_dscnn_bn.onnx": 24_908,
    "kws_dscnn/kws_dscnn_bn_dynbatch.onnx": 24_908,
    "kws_dscnn/kws_dscnn_dynbatch.onnx": 22_604,
    "kws_dscnn/kws_dscnn_int8twin.onnx": 22_604,
    "kws_dscnn/kws_dscnn_int8twin_dynbatch.onnx": 22_604,
    "mnist_dscnn/mnist_dscnn.onnx": 14_922,
    "mnist_dscnn/mnist_dscnn_dynamo.onnx": 14_922,
    "mnist_dscnn/mnist_dscnn_dynbatch.onnx": 14_922,
    "resnet8_cifar10/resnet8_cifar10.onnx": 77_706,
    "resnet8_cifar10/resnet8_cifar10_dynbatch.onnx": 77_706,
    "sww_ds1d/sww_ds1d.onnx": 46_459,
    "sww_ds1d/sww_ds1d_bn.onnx": 47_707,
    "sww_ds1d/sww_ds1d_bn_dynbatch.onnx": 47_707,
    "sww_ds1d/sww_ds1d_dynbatch.onnx": 46_459,
    "vww_mobilenetv1_025_96/vww_mobilenetv1_025_96.onnx": 210_850,
    "vww_mobilenetv1_025_96/vww_mobilenetv1_025_96_dynbatch.onnx": 210_850,
}
HOST_SOFTMAX = ("kws", "resnet8", "sww", "vww")


@pytest.mark.parametrize("name", NETS)
def test_small_networks_match(name: str, tmp_path: Path) -> None:
    graph = check_equal(NETS[name], tmp_path)
    assert not [node.name for node in graph.nodes if node.op in ("Transpose", "Rescale")]


@pytest.mark.parametrize("name", REFERENCE)
def test_reference_models_match(name: str, shared_models: Path) -> None:
    path = shared_models / name
    graph = import_model(path, softmax="device")
    compare(graph, path.read_bytes(), rtol=1e-4)
    assert int(graph.meta["parameters"]) == REFERENCE[name]
    assert {node.op for node in graph.nodes}.isdisjoint({"Transpose", "Rescale"})
    assert any("batch" in note for note in graph.notes) == ("dynbatch" in name)


@pytest.mark.parametrize("folder", sorted({name.split("/")[0] for name in REFERENCE}))
def test_golden_outputs_with_softmax_on_the_host(folder: str, shared_models: Path) -> None:
    golden = np.load(shared_models / folder / "golden.npz")
    graph = import_model(shared_models / folder / f"{folder}.onnx")
    x = golden["input"]
    x = x.transpose(0, 2, 3, 1) if x.ndim == 4 else x
    result = interpret.run(graph, {"input": x})["output"]
    on_host = folder.startswith(HOST_SOFTMAX)
    assert graph.meta["softmax_on_host"] == str(on_host).lower()
    if on_host:
        powers = np.exp(result - result.max(axis=1, keepdims=True))
        result = powers / powers.sum(axis=1, keepdims=True)
    expected = golden["output"]
    np.testing.assert_allclose(result, expected, rtol=1e-3, atol=2e-4 * np.abs(expected).max())


def test_the_import_of_resnet8_is_little_work(shared_models: Path) -> None:
    path = shared_models / "resnet8_cifar10" / "resnet8_cifar10.onnx"
    import_model(path)  # what is imported on first use does not count
    assert calls(lambda: import_model(path)) < 40_000


def test_two_imports_give_equal_graphs(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    onnx.save(NETS["residual_net"], path)
    first, second = import_model(path), import_model(path)
    assert first.nodes == second.nodes
    assert first.values == second.values
    assert first.meta == second.meta
    assert list(first.constants) == list(second.constants)


def test_metadata_and_names_come_from_the_model(tmp_path: Path) -> None:
    graph = check_equal(NETS["conv_net"], tmp_path)
    assert graph.name == "model"
    assert (graph.inputs, graph.outputs) == (("input",), ("output",))
    assert graph.meta["model_file"] == "model.onnx"
    assert graph.meta["model_shape/input"] == "1,3,12,11"
    assert graph.meta["opset"] == "17"
    assert len(graph.meta["model_sha256"]) == 64
    origin = {node.name: node.origin for node in graph.nodes}
    assert origin["conv_0"] == ("conv_0", "relu_1")
    assert origin["conv_2"] == ("conv_2", "clip_3")


def test_an_image_output_is_nhwc_with_its_onnx_shape_stated(tmp_path: Path) -> None:
    graph = check_equal(NETS["image_net"], tmp_path)
    assert graph.values["output"].shape == (1, 9, 8, 3)
    assert graph.meta["model_shape/output"] == "1,3,9,8"


MEASURE = """
import sys, pathlib
import onnx.reference, onnx.checker, onnx.shape_inference
from deployer.frontend.onnx_import import import_model

def kib(key):
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key))

before = kib("VmRSS")
import_model(pathlib.Path(sys.argv[1]))
print(kib("VmHWM") - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_an_import_takes_less_memory_than_three_times_the_file(tmp_path: Path) -> None:
    s = ModelBuilder(1)
    x = s.input(1, 1024)
    for _ in range(8):
        x = s.relu(s.gemm(x, 1024, 1024))
    path = tmp_path / "large.onnx"
    onnx.save(s.model(x), path)
    run = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True
    )
    assert int(run.stdout) * 1024 < 3 * path.stat().st_size
