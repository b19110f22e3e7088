"""The golden rule on real networks: every layer bit-exact, every board, both schemes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute
from emulated.targets import BOARDS

# arena bytes: the live-set bound without scratch, which is the planner's promise
MODELS = {
    "mnist_dscnn": ("mnist_dscnn/mnist_dscnn.onnx", 18_816),
    "resnet8": ("resnet8_cifar10/resnet8_cifar10.onnx", 49_152),
    "vww": ("vww_mobilenetv1_025_96/vww_mobilenetv1_025_96.onnx", 55_296),
    "kws": ("kws_dscnn/kws_dscnn.onnx", 16_000),
    "ad": ("ad_autoencoder/ad_autoencoder.onnx", 768),
    "sww": ("sww_ds1d/sww_ds1d.onnx", 6_656),
}
BOARD_NAMES = ("nucleo-f767zi", "gap8", "rpi3", "rpi3-32")


def prove(model: Path, board: str, scheme: str, folder: Path, **options: Any) -> dict[str, Any]:
    calibration = model.parent / "golden.npz"
    chosen = Options(scheme=scheme, calibration=calibration, **options)
    job = make_job(model, board, options=chosen, output=folder)
    return run_job(job, execute(job))


@pytest.mark.parametrize("scheme", ["multiply-shift", "power-of-two"])
@pytest.mark.parametrize("board", BOARD_NAMES)
@pytest.mark.parametrize("name", MODELS)
def test_every_layer_is_bit_exact(
    name: str,
    board: str,
    scheme: str,
    shared_models: Path,
    tool: Callable[[str], str],
    tmp_path: Path,
) -> None:
    for program in BOARDS[board][1]:
        tool(program)
    path, arena = MODELS[name]
    report = prove(shared_models / path, board, scheme, tmp_path, golden_samples=2)
    assert report["golden"]["match"], report["golden"]
    assert all(layer["match"] for layer in report["layers"])
    scratch = max(layer["scratch"] for layer in report["layers"])
    assert report["memory"]["arena"] <= arena + scratch
    assert report["memory"]["stack_used"] < report["memory"]["stack"]


def first_of(samples: Path, folder: Path, count: int) -> Path:
    """The first ``count`` images and labels of ``samples``, in a file of ``folder``."""
    arrays = np.load(samples)
    path = folder / "first.npz"
    np.savez(path, **{name: arrays[name][:count] for name in ("image", "label")})
    return path


def test_mnist_accuracy_on_the_device_equals_the_host(
    shared_models: Path, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """200 held-out images on the emulated M7, image by image as on the host. ONNX Runtime gets 198
    right; tests/unit/quantize holds the integers to a thousand."""
    for program in BOARDS["nucleo-f767zi"][1]:
        tool(program)
    folder = shared_models / "mnist_dscnn"
    options = Options(calibration=folder / "mnist5k_calib200.npz", input_scale=1 / 255)
    job = make_job(folder / "mnist_dscnn.onnx", "nucleo-f767zi", options=options, output=tmp_path)
    held_out = first_of(folder / "mnist5k_test1000.npz", tmp_path, count=200)
    accuracy = run_job(job, execute(job), dataset=held_out)["accuracy"]
    assert accuracy["samples"] == 200
    assert accuracy["differing_samples"] == 0
    assert accuracy["device"] == accuracy["host_integer"] >= 197 / 200
    assert np.isclose(accuracy["float"], 198 / 200)
