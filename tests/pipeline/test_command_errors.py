"""Everything a user can do wrong, through the command line: status, what, why, what to try."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

Run = Callable[..., Any]


def conv_model(
    *, channels: int = 4, size: int = 8, weights: np.ndarray | None = None, op: str = "Conv"
) -> onnx.ModelProto:
    """One operator over (1, channels, size, size)."""
    if weights is None:
        weights = np.ones((channels, channels, 1, 1), dtype=np.float32)
    shape = [1, channels, size, size]
    node = helper.make_node(op, ["x", "w"] if op == "Conv" else ["x"], ["y"], name="layer")
    initializers = [numpy_helper.from_array(weights, "w")] if op == "Conv" else []
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, weights.shape[0], size, size])],
        initializers,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def complaint(done: Any, status: int, *texts: str) -> str:
    """The message, after checking its form."""
    assert done.status == status, done.err
    assert "Traceback" not in done.err
    assert "error: " in done.err
    for text in texts:
        assert text in done.err, done.err
    return str(done.err)


@pytest.fixture
def attempt(deployer: Run, tmp_path: Path) -> Run:
    """Run a model file for a board and return the outcome; nothing may be left half-written."""

    def call(model: Path, *arguments: object, board: str = "nucleo-f767zi") -> Any:
        done = deployer("run", "-b", board, "-o", tmp_path / "build", *arguments, model)
        left = [p for p in tmp_path.rglob("*") if p.name.startswith((".build", ".0", ".1"))]
        assert left == []
        return done

    return call


def saved(model: onnx.ModelProto, folder: Path) -> Path:
    path = folder / "net.onnx"
    onnx.save(model, path)
    return path


def test_not_onnx(attempt: Run, tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    path.write_text("hello")
    complaint(attempt(path), 3, "net.onnx", "try:")


def test_truncated_onnx(attempt: Run, tmp_path: Path, small_model: Path) -> None:
    path = tmp_path / "net.onnx"
    path.write_bytes(small_model.read_bytes()[:-200])
    complaint(attempt(path), 3, "net.onnx")


def test_missing_external_data(attempt: Run, tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    onnx.save(
        conv_model(),
        path,
        save_as_external_data=True,
        location="net.onnx.data",
        size_threshold=0,
    )
    (tmp_path / "net.onnx.data").unlink()
    complaint(attempt(path), 3, "net.onnx.data")


def test_unsupported_operators_are_listed_at_once(attempt: Run, tmp_path: Path) -> None:
    model = conv_model(op="LpNormalization")
    extra = helper.make_node("Hardmax", ["y"], ["z"], name="second")
    model.graph.node.append(extra)
    model.graph.output[0].name = "z"
    complaint(attempt(saved(model, tmp_path)), 3, "LpNormalization", "layer", "Hardmax", "second")


def test_a_network_that_computes_nothing(attempt: Run, tmp_path: Path) -> None:
    complaint(attempt(saved(conv_model(op="Identity"), tmp_path)), 3, "net computes nothing")


def test_dynamic_shape_names_the_option(attempt: Run, tmp_path: Path) -> None:
    model = conv_model()
    model.graph.input[0].type.tensor_type.shape.dim[2].dim_param = "height"
    complaint(attempt(saved(model, tmp_path)), 3, "height", "--input-shape x=1,4,")


def test_nan_weights_name_the_tensor(attempt: Run, tmp_path: Path) -> None:
    weights = np.ones((4, 4, 1, 1), dtype=np.float32)
    weights[2] = np.nan
    complaint(attempt(saved(conv_model(weights=weights), tmp_path)), 3, "w", "NaN")


def test_calibration_of_the_wrong_shape(attempt: Run, tmp_path: Path) -> None:
    samples = tmp_path / "samples.npz"
    np.savez(samples, x=np.zeros((3, 8, 8, 4), dtype=np.float32))
    done = attempt(saved(conv_model(), tmp_path), "--calibration", samples)
    complaint(done, 2, "(3, 8, 8, 4)", "4, 8, 8")


def test_missing_calibration_file(attempt: Run, tmp_path: Path) -> None:
    done = attempt(saved(conv_model(), tmp_path), "--calibration", tmp_path / "absent.npz")
    complaint(done, 2, "absent.npz")


def test_unknown_board_suggests_the_nearest(attempt: Run, tmp_path: Path) -> None:
    complaint(attempt(saved(conv_model(), tmp_path), board="nucleo-f76zi"), 2, "nucleo-f767zi")


def test_too_large_for_ram_names_peak_layer_and_tensors(attempt: Run, tmp_path: Path) -> None:
    model = saved(conv_model(channels=8, size=256), tmp_path)
    text = complaint(attempt(model), 4, "nucleo-f767zi", "layer", "alive together", "y + x 524,312")
    assert "step 1 of 1" in text


def test_too_large_for_flash_names_the_largest_layers(attempt: Run, tmp_path: Path) -> None:
    weights = np.ones((2048, 1100, 1, 1), dtype=np.float32)
    model = saved(conv_model(channels=1100, size=1, weights=weights), tmp_path)
    complaint(attempt(model), 4, "flash", "2,260,992", "layer")


def test_a_refused_model_leaves_the_earlier_result(
    attempt: Run, tmp_path: Path, deployer: Run
) -> None:
    path = saved(conv_model(), tmp_path)
    kept = tmp_path / "build" / "net-nucleo-f767zi" / "0-import" / "graph.json"
    deployer("run", "-b", "nucleo-f767zi", "-o", tmp_path / "build", "--until", "import", path)
    before = kept.read_bytes()
    saved(conv_model(op="LpNormalization"), tmp_path)
    complaint(attempt(path), 3, "LpNormalization")
    assert kept.read_bytes() == before


@pytest.mark.parametrize(
    ("board", "missing", "package"),
    [
        ("nucleo-f767zi", "arm-none-eabi-gcc", "gcc-arm-none-eabi"),
        ("rpi3", "aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"),
    ],
)
def test_missing_compiler_says_what_to_install(
    board: str,
    missing: str,
    package: str,
    attempt: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = attempt(saved(conv_model(), tmp_path), board=board)
    complaint(done, 6, missing, f"apt-get install {package}")


def test_missing_qemu_says_what_to_install(
    deployer: Run,
    tmp_path: Path,
    tool: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tool("arm-none-eabi-gcc")
    path = saved(conv_model(), tmp_path)
    common = ["-b", "nucleo-f767zi", "-o", tmp_path / "build"]
    assert deployer("run", *common, "--until", "build", path).status == 0
    monkeypatch.setenv("PATH", str(tmp_path))
    done = deployer("run", *common, "--from", "run", path)
    complaint(done, 6, "qemu-system-arm", "apt-get install")


def test_without_calibration_the_warning_is_loud(attempt: Run, tmp_path: Path) -> None:
    done = attempt(saved(conv_model(), tmp_path), "--until", "quantize")
    assert done.status == 0
    assert "WARNING: calibrated on synthetic noise" in done.err


def test_flash_without_a_probe_says_what_would_do_the_same(
    deployer: Run, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    tool("arm-none-eabi-gcc")
    path = saved(conv_model(), tmp_path)
    done = deployer("flash", "-b", "nucleo-f767zi", "-o", tmp_path / "build", path)
    complaint(done, 6, "probe", "deployer run --board nucleo-f767zi")


def test_flash_for_a_board_without_a_probe_is_refused(deployer: Run, tmp_path: Path) -> None:
    done = deployer("flash", "-b", "host", saved(conv_model(), tmp_path))
    complaint(done, 2, "host", "debug probe")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("-b", "rpi3"), "--host is not given"),
        (("-b", "rpi3", "--host", "-oProxyCommand=x"), "no host: '-oProxyCommand=x'"),
        (("-b", "rpi3", "--host", "pi@toy", "--probe", "1"), "--probe: not for rpi3"),
        (("-b", "nucleo-f767zi", "--host", "pi@toy"), "--host: not for nucleo-f767zi"),
        (("-b", "nucleo-f767zi", "--tcp", "pi:1"), "--tcp: not for nucleo-f767zi"),
        (("-b", "rpi3", "--host", "pi@toy", "--tcp", "pi:1"), "--host: not for rpi3"),
        (("-b", "rpi3", "--tcp", "pi"), "no address of a listening image: 'pi'"),
        (("-b", "rpi3", "--tcp", "pi:65536"), "PORT from 1 to 65535"),
    ],
)
def test_options_of_the_other_way_to_a_board_are_refused_before_anything_is_built(
    deployer: Run, tmp_path: Path, given: tuple[str, ...], told: str
) -> None:
    path = saved(conv_model(), tmp_path)
    for command in (("flash", "-o"), ("bench", "board", "--work")):
        complaint(deployer(*command, tmp_path / "build", *given, path), 2, told)
    assert not (tmp_path / "build").exists()


def test_a_rate_the_console_has_not_is_refused_before_anything_is_built(
    deployer: Run, tmp_path: Path
) -> None:
    path = saved(conv_model(), tmp_path)
    given = ("-b", "nucleo-f767zi", "-o", tmp_path / "build", path, "--baud", 921_601)
    done = deployer("flash", *given)
    complaint(done, 2, "921,601 baud", "USART3", "or 921,600 or", "leave out --baud")
    assert not (tmp_path / "build").exists()


def test_check_needs_no_toolchain(
    deployer: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    fits = saved(conv_model(), tmp_path)
    done = deployer("check", "-b", "nucleo-f767zi", fits)
    assert done.status == 0, done.err
    assert "fits" in done.out
    large = saved(conv_model(channels=8, size=256), tmp_path)
    complaint(deployer("check", "-b", "nucleo-f767zi", large), 4, "alive together")
