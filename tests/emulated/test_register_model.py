"""The very image that ``deployer flash`` programs, on the model of the registers it touches.

Needs the Python package unicorn. Nothing here is timed.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.bundle import Bundle
from deployer.errors import BenchError, UsageError
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.stages import execute
from deployer.resources import data_root
from deployer.tools.bench.reference import NETWORKS, reference_model
from deployer_hil.measure import prove
from deployer_hil.record import RunRecord
from deployer_hil.register_model.chip import segments
from deployer_hil.runner import create
from fakes.contract import CONTRACT, Check

BOARD, FLASHED = "nucleo-f767zi", "pyocd"
BUNDLED = ("mnist_dscnn.onnx", "mnist_calibration.npz")
TRAINED = (
    "resnet8_cifar10/resnet8_cifar10",
    "vww_mobilenetv1_025_96/vww_mobilenetv1_025_96",
    "kws_dscnn/kws_dscnn",
    "ad_autoencoder/ad_autoencoder",
    "sww_ds1d/sww_ds1d",
)
FLASH = range(0x0800_0000, 0x0820_0000)


@pytest.fixture(autouse=True)
def _tools(need: Callable[[str, bool], None], tool: Callable[[str], str]) -> None:
    need("unicorn", importlib.util.find_spec("unicorn") is not None)
    tool("arm-none-eabi-gcc")


def flashed(model: Path, folder: Path, options: Options) -> Bundle:
    """What ``deployer flash`` would put on the board."""
    bundle: Bundle = execute(
        make_job(model, BOARD, options=options, runner=FLASHED, output=folder)
    ).get("build")
    assert bundle.manifest["target"] == BOARD
    return bundle


def proven(bundle: Bundle) -> RunRecord:
    """Every layer of it has the golden CRC, every byte programmed lies in flash."""
    assert all(at in FLASH and at + len(part) in FLASH for at, part in segments(bundle.firmware))
    with create("register_model", bundle) as runner:
        record = prove(bundle, runner)
    assert record.golden.match, record.golden
    assert all(layer.match for layer in record.layers)
    assert (record.target, record.kind) == (BOARD, "none")
    assert (record.caps["clock_source"], record.caps["port"]) == ("pll", "stm32f7")
    return record


@pytest.mark.parametrize("name", NETWORKS)
def test_each_reference_network_is_bit_exact_as_it_is_flashed(name: str, tmp_path: Path) -> None:
    model, options = reference_model(name, tmp_path)
    proven(flashed(model, tmp_path, options))


@pytest.mark.parametrize("hot_code", ["off", "itcm"])
def test_the_bundled_model_is_bit_exact_as_it_is_flashed(hot_code: str, tmp_path: Path) -> None:
    model, samples = (data_root() / "docs" / "examples" / "mnist" / name for name in BUNDLED)
    options = Options(calibration=samples, input_scale=1 / 255, golden_samples=2, hot_code=hot_code)
    proven(flashed(model, tmp_path, options))


@pytest.mark.parametrize("name", TRAINED)
def test_each_trained_model_is_bit_exact_as_it_is_flashed(
    name: str, shared_models: Path, tmp_path: Path
) -> None:
    model = shared_models / f"{name}.onnx"
    options = Options(calibration=model.parent / "golden.npz", golden_samples=1)
    proven(flashed(model, tmp_path, options))


@pytest.fixture(scope="module")
def small(built: Callable[..., Bundle]) -> Bundle:
    return built(BOARD, "residual_net", runner=FLASHED)


@pytest.mark.parametrize("check", CONTRACT, ids=lambda check: check.__name__)
def test_contract(check: Check, small: Bundle) -> None:
    with create("register_model", small) as runner:
        check(small, runner)


def test_run_with_the_runner_builds_what_flash_programs(
    built: Callable[..., Bundle], small: Bundle
) -> None:
    other = built(BOARD, "residual_net", runner="register_model")
    assert other.firmware.read_bytes() == small.firmware.read_bytes()


def test_the_image_of_the_twin_is_refused(built: Callable[..., Bundle]) -> None:
    twin = built(BOARD, "residual_net")
    with pytest.raises(UsageError, match="built for qemu-mps2-an500"):
        create("register_model", twin)


def test_without_unicorn_it_is_named(small: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(BenchError, match="unicorn") as caught:
        create("register_model", small).load(small)
    assert caught.value.hints[0] == "pip install unicorn"


def test_it_ends_with_its_input(small: Bundle) -> None:
    command = [sys.executable, "-m", "deployer_hil.register_model", str(small.firmware)]
    done = subprocess.run(command, input=b"", capture_output=True, check=True, timeout=60)
    assert done.stdout.endswith(b"m-ready\r\n")
