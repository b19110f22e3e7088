"""MLPerf Tiny's runner, replayed: performance, accuracy and energy mode on real images."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from deployer.bundle import Bundle, read
from deployer.cli import main as cli_main
from deployer_hil.runner import create
from fakes import mlperf_runner
from fakes.mlperf_runner import GPIOF_BSRR, HIGH, LOW, ChipWire
from models import dense_net, residual_net

Build = Callable[..., Bundle]
USART3_TDR, USART3_BRR = 0x40004828, 0x4000480C
IMAGE = 12 * 12 * 3  # bytes of an image of residual_net
CASES = [("nucleo-f767zi", "qemu_system"), ("gap8", "gap8_sim"), ("rpi3", "qemu_user")]


@pytest.fixture
def build(tmp_path: Path, tool: Callable[[str], str], capfd: pytest.CaptureFixture[str]) -> Build:
    """build("gap8", "gap8_sim", …): the bundle of deployer build; the model is called ic01."""
    for name in ("arm-none-eabi-gcc", "riscv64-unknown-elf-gcc", "aarch64-linux-gnu-gcc"):
        tool(name)

    def call(board: str, runner: str, *words: str, model: str = "ic01") -> Bundle:
        path, folder = tmp_path / f"{model}.onnx", tmp_path / f"build-{board}"
        onnx.save(residual_net() if model == "ic01" else dense_net(), path)
        given = ["-b", board, "--runner", runner, "-o", str(folder), "--golden", "3"]
        with pytest.raises(SystemExit) as stop:
            cli_main.main(["build", *given, *words, str(path)])
        assert not stop.value.code, capfd.readouterr().err
        return read(next(folder.glob("*/7-build")))

    return call


@contextmanager
def wired(bundle: Bundle, runner: str) -> Iterator[Any]:
    with create(runner, bundle) as device:
        device.load(bundle)
        stream = device.open()
        try:
            heard = b""
            while b"m-ready\r\n" not in heard:  # it was powered before the runner looked
                assert stream.alive, stream.epitaph()
                heard += stream.read(4096, 1.0)
            yield stream
        finally:
            stream.close()


def real(bundle: Bundle, integers: np.ndarray) -> np.ndarray:
    """The first output as the device prints it."""
    output = bundle.manifest["outputs"][0]
    return float(output["scale"]) * (integers.astype(float) - int(output["zero_point"]))


@pytest.mark.parametrize(("board", "runner"), CASES)
def test_performance_mode_gets_five_windows_of_golden_results(
    build: Build, board: str, runner: str
) -> None:
    bundle = build(board, runner)
    image, wanted = bundle.golden["input"][0], real(bundle, bundle.golden["output"][0])
    with wired(bundle, runner) as stream:
        found = mlperf_runner.session(stream)
        windows = list(found.windows(image.tobytes(), 5, 2))
    device = found.device
    assert (device.name, device.model, device.profile) == (board, "ic01", "mlperf-tiny")
    assert [window.runs for window in windows] == [5] * 5
    assert all(window.microseconds and window.throughput > 0 for window in windows)
    for window in windows:
        assert window.results == pytest.approx(wanted, abs=6e-4)


@pytest.mark.parametrize("kind", ["uint8", "float32"])
@pytest.mark.parametrize(("board", "runner"), CASES[:2])
def test_accuracy_mode_takes_the_files_as_they_are(
    build: Build, board: str, runner: str, kind: str
) -> None:
    """Pixels or floats, which the image makes the integers that the host makes of them."""
    scale = {"uint8": 1 / 128, "float32": 1.0}[kind]
    offset = {"uint8": -1.0, "float32": 0.0}[kind]
    words = ("--input-scale", str(scale), "--input-offset", str(offset))
    bundle = build(board, runner, "--db-input", kind, "--softmax", "device", *words)
    (tensor,) = bundle.manifest["inputs"]
    rng = np.random.default_rng(3)
    pixels = rng.integers(0, 256, (3, IMAGE), dtype=np.uint8)
    values = {"uint8": pixels, "float32": (pixels / 64 - 2).astype("<f4")}[kind]
    steps = (values.astype(np.float32) * np.float32(scale) + np.float32(offset)) / np.float32(
        tensor["scale"]
    )
    integers = np.clip(np.rint(steps) + tensor["zero_point"], -128, 127).astype(np.int8)
    with wired(bundle, runner) as stream:
        found = mlperf_runner.session(stream)
        for row, image in zip(values, integers, strict=True):
            found.device.load(row.tobytes())
            said = found.device.port.ask("db print")[0]
            assert bytes.fromhex(said.removeprefix("m-buffer-").replace("-", "")) == image.tobytes()
        classes = list(found.classes([row.tobytes() for row in values]))
        again = list(found.classes([row.tobytes() for row in values]))
    assert classes == again
    assert len(found.log) > 3 * values[0].nbytes / mlperf_runner.DIRECT_BYTES


@pytest.mark.parametrize(("board", "runner"), CASES[:2])
def test_ad01_gets_the_score_that_the_host_computes(board: str, runner: str, build: Build) -> None:
    """One number for a file of floats, how far the output is from the input."""
    words = ("--db-input", "float32", "--anomaly-score")
    bundle = build(board, runner, *words, model="ad01")
    values, scores = mlperf_runner.reconstructed(bundle)
    with wired(bundle, runner) as stream:
        found = mlperf_runner.session(stream)
        for row, score in zip(values, scores, strict=True):
            found.device.load(row.tobytes())
            for inferred in (found.device.infer(1, 0), found.device.infer(3, 1)):
                assert inferred.results == pytest.approx((score,), abs=6e-4)
    assert found.device.model == "ad01"
    assert len({round(float(each), 3) for each in scores}) == len(scores)


def test_a_score_is_for_autoencoders(build: Build, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError, match="its output is like its input"):
        build("nucleo-f767zi", "qemu_system", "--anomaly-score")


def test_accuracy_mode_says_the_golden_classes(build: Build) -> None:
    bundle = build("nucleo-f767zi", "qemu_system")
    golden = bundle.golden
    with wired(bundle, "qemu_system") as stream:
        found = mlperf_runner.session(stream)
        files = [row.tobytes() for row in golden["input"]]
        results = [(found.device.load(data), found.device.infer(1, 0).results) for data in files]
    assert all(said[0] == "m-load-done" for said, _ in results)
    for (_, values), row in zip(results, golden["output"], strict=True):
        assert values == pytest.approx(real(bundle, row), abs=6e-4)


@pytest.mark.parametrize(("board", "runner"), CASES[:2])
def test_energy_mode_behind_the_interface_board_says_no_times(
    build: Build, board: str, runner: str
) -> None:
    target = {"qemu_system": "qemu_system", "gap8_sim": "openocd"}[runner]
    rate = ("--baud", "9600") if target == "openocd" else ()
    bundle = build(board, target, "--energy-mode", *rate)
    wanted = real(bundle, bundle.golden["output"][0])
    with wired(bundle, runner) as stream:
        found = mlperf_runner.session(stream, metered=True)
        windows = list(found.windows(bundle.golden["input"][0].tobytes(), 3, 1))
    assert (found.device.name, found.device.model) == (board, "ic01")
    assert [window.microseconds for window in windows] == [None] * 5
    for window in windows:
        assert window.results == pytest.approx(wanted, abs=6e-4)
    assert "m-lap-us-" not in "\n".join(found.log)


def test_energy_mode_bounds_each_window_by_the_last_two_edges_at_9600_baud(
    build: Build, need: Callable[[str, bool], None]
) -> None:
    """As the runner adds up energy: between the last two events of a download and an inference."""
    need("unicorn", importlib.util.find_spec("unicorn") is not None)
    bundle = build("nucleo-f767zi", "pyocd", "--energy-mode", "--baud", "9600")
    wire = ChipWire(bundle.firmware)
    assert b"m-timestamp-mode-energy\r\nm-init-done" in wire.read(0, 0.0)
    assert wire.chip.core.registers[USART3_BRR] == 22_500  # 216 MHz / 9600
    assert wire.edges() == [HIGH, LOW, HIGH]  # the boot's own, which the runner leaves out
    found = mlperf_runner.session(wire, metered=True)
    image, wanted = bundle.golden["input"][0].tobytes(), real(bundle, bundle.golden["output"][0])
    for _ in range(mlperf_runner.LOOPS):
        begin = len(wire.writes)
        found.device.load(image)
        assert wire.edges(begin) == []
        window = found.device.infer(2, 1)
        assert wire.edges(begin) == [LOW, HIGH, LOW, HIGH]
        assert window.results == pytest.approx(wanted, abs=6e-4)
        assert spoken_within(wire.writes[begin:]) == 0


def spoken_within(writes: list[tuple[int, int]]) -> int:
    """Characters from the first falling edge to the last rising one."""
    at = [place for place, (where, _) in enumerate(writes) if where == GPIOF_BSRR]
    return sum(where == USART3_TDR for where, _ in writes[at[0] : at[-1]])
