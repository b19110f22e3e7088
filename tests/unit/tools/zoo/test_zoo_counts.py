"""Parameters, MACs and shapes against the literature; nothing here draws a weight."""

from __future__ import annotations

import csv
import math
from collections import Counter
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from deployer.tools.zoo import save
from deployer.tools.zoo.build import draw
from deployer.tools.zoo.builder import NetworkBuilder
from deployer.tools.zoo.catalog import CATALOG

# Parameters as torchvision, timm or the reference code count them, MACs in millions.
LITERATURE = {
    "mobilenetv1": (4_231_976, 568.7),
    "mobilenetv2": (3_504_872, 300.8),
    "mobilenetv3-small": (2_542_856, 56.5),
    "resnet18": (11_689_512, 1_814.1),
    "squeezenet1.1": (1_235_496, 349.2),
    "vgg16": (138_357_544, 15_470.3),
    "googlenet": (6_624_904, 1_498.4),
    "inception-v3": (23_834_568, 5_713.2),
    "densenet121": (7_978_856, 2_834.2),
    "efficientnet-lite0": (4_652_008, 385.2),
    "shufflenetv1": (1_865_728, 137.5),
    "shufflenetv2": (2_278_604, 144.9),
    "resnet9": (6_573_130, 379.3),
    "pydnet": (1_971_624, 4_917.9),
    "upydnet": (107_625, 79.8),
}
FOLDED = {"resnet8": (77_706, 12.50), "ds-cnn": (22_604, 2.66)}  # MLPerf Tiny's TFLite files


@pytest.mark.parametrize("name", LITERATURE)
def test_counts_are_those_of_the_literature(name: str) -> None:
    parameters, millions = LITERATURE[name]
    network = draw(name)
    assert network.parameters == parameters
    assert network.macs / 1e6 == pytest.approx(millions, abs=0.051)


@pytest.mark.parametrize("name", FOLDED)
def test_counts_are_those_of_the_benchmark_when_batch_norm_is_folded(name: str) -> None:
    parameters, millions = FOLDED[name]
    network = draw(name)
    assert network.folded_parameters == parameters
    assert network.macs / 1e6 == pytest.approx(millions, abs=0.005)


def test_every_network_is_counted_somewhere() -> None:
    assert {*LITERATURE, *FOLDED, "unet", "cifar10-cnn"} == set(CATALOG)


def test_cifar10_cnn_costs_what_the_paper_says() -> None:
    """6.56 MMAC; its 26.7 k parameters are not those of the source it names, which has 33.2 k."""
    network = draw("cifar10-cnn")
    assert network.macs / 1e6 == pytest.approx(6.56, abs=0.005)
    assert [layer.shape for layer in network.layers if "pool" in layer.kind] == [
        (32, 16, 16),
        (16, 8, 8),
        (32, 4, 4),
    ]
    assert network.parameters == 33_120 + 90


def test_unet_at_four_times_the_width_is_the_papers() -> None:
    """31,037,698: the common PyTorch implementation for 3 channels and 2 classes."""
    assert draw("unet", width=4).parameters == 31_037_698


@pytest.mark.parametrize(("side", "millions"), [(32, 35.4), (48, 79.8)])
def test_upydnet_costs_what_the_paper_says(side: int, millions: float) -> None:
    network = draw("upydnet", resolution=(side, side))
    assert (network.parameters, round(network.macs / 1e6, 1)) == (107_625, millions)


def test_pydnets_encoder_costs_what_table_4_1_says() -> None:
    encoder = [layer for layer in draw("pydnet").layers if layer.kind == "conv"][:12]
    assert round(sum(layer.trained for layer in encoder) / 1e6, 2) == 1.02
    assert round(sum(layer.macs for layer in encoder) / 1e9, 2) == 0.44


@pytest.mark.parametrize(
    ("name", "width", "millions", "parameters"),
    [
        ("mobilenetv1", 0.75, 325, 2.6),
        ("mobilenetv1", 0.5, 149, 1.3),
        ("mobilenetv1", 0.25, 41, 0.5),
        ("mobilenetv2", 1.4, 582, 6.1),
        ("mobilenetv2", 0.75, 209, 2.6),
        ("mobilenetv2", 0.5, 97, 2.0),
        ("mobilenetv2", 0.35, 59, 1.7),
    ],
)
def test_width_multiplies_as_in_the_papers(
    name: str, width: float, millions: int, parameters: float
) -> None:
    """MobileNetV1's table 6; the table of V2's reference code."""
    network = draw(name, width=width)
    assert int(network.macs / 1e6 + 0.5) == millions
    assert round(network.parameters / 1e6, 1) == parameters


@pytest.mark.parametrize(
    ("width", "parameters"), [(0.5, 1_366_792), (1.5, 3_503_624), (2.0, 7_393_996)]
)
def test_widths_of_shufflenet_v2_have_the_parameters_of_torchvision(
    width: float, parameters: int
) -> None:
    assert draw("shufflenetv2", width=width).parameters == parameters


def test_a_shuffled_network_takes_channels_of_groups_in_turns(tmp_path: Path) -> None:
    builder = NetworkBuilder("shuffled")
    x = builder.shuffled(builder.input(6, 1, 1), 3)
    path = tmp_path / "shuffled.onnx"
    save(builder.network(out=x), path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"input": np.arange(6, dtype=np.float32).reshape(1, 6, 1, 1)})
    assert found.ravel().tolist() == [0, 2, 4, 1, 3, 5]


def test_a_quarter_of_mobilenetv1_is_the_benchmarks_wake_word_network() -> None:
    network = draw("mobilenetv1", width=0.25, resolution=(96, 96), classes=2)
    assert network.folded_parameters == 210_850
    assert network.macs / 1e6 == pytest.approx(7.49, abs=0.005)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("mobilenetv1", "mobilenetv1"),
        ("mobilenetv2", "mobilenetv2"),
        ("resnet18", "resnet18"),
        ("densenet121", "densenet121"),
    ],
)
def test_tensors_are_those_of_the_allocation_benchmark(
    name: str, file: str, shared_models: Path
) -> None:
    """One tensor a layer with its activation; the benchmark may add flatten and softmax."""
    table = shared_models.parent / "bench" / "allocation" / "hand6" / f"{file}.csv"
    with table.open() as rows:
        expected = Counter(int(row["size"]) for row in csv.DictReader(rows))
    network = draw(name)
    joined = {"relu", "relu6", "flatten"}
    found = Counter(math.prod(x.shape) for x in network.layers if x.kind not in joined)
    assert not found - expected
    tail = {network.layers[-1].weight[1], 1000}
    assert set(expected - found) <= tail


def test_a_network_is_of_full_width_with_batch_norm_by_default() -> None:
    builder = NetworkBuilder("plain")
    assert (builder.width, builder.classes, builder.slope) == (1.0, 0, 0.0)
    assert [builder.scaled(channels) for channels in (3, 12, 100)] == [3, 12, 100]
    half = NetworkBuilder("half", width=0.5)
    assert [half.scaled(channels) for channels in (3, 12, 36, 100)] == [8, 8, 24, 48]
