"""Inferences of a real image one by one: counted in QEMU, simulated in gap8_sim."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest

from deployer.cli import main as cli_main
from models import residual_net

Bench = Callable[..., Any]


@pytest.fixture
def bench(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Bench:
    """bench("nucleo-f767zi", "qemu_system", …): the table as JSON, or the exit status."""
    model = tmp_path / "net.onnx"
    onnx.save(residual_net(), model)

    def call(board: str, runner: str, *words: str) -> Any:
        where = ["-b", board, "--runner", runner, "--work", str(tmp_path / "work")]
        with pytest.raises(SystemExit) as stop:
            cli_main.main(["bench", "board", *where, "--json", *words, str(model)])
        out = capfd.readouterr().out
        return json.loads(out) if not stop.value.code else stop.value.code

    return call


LOAD = ("--inferences", "7", "--warmup", "1", "--cold-starts", "2")


def test_an_emulator_counts_inferences_and_tells_no_time(
    bench: Bench, tool: Callable[[str], str]
) -> None:
    tool("arm-none-eabi-gcc")
    tool("qemu-system-arm")
    found = bench("nucleo-f767zi", "qemu_system", *LOAD)
    times = found["throughput"]
    assert (found["kinds"]["counts"], found["unit"]) == ("counted", "instructions")
    assert (times["fps"], times["latency_ms"]) == (None, None)
    assert (len(times["raw"]["cold"]), len(times["raw"]["warm"])) == (2, 7)
    warm = times["counts"]["warm"]
    assert warm["jitter"] <= 40  # a tick of the counter
    layers = sum(layer["warm"] for layer in found["layers"])
    assert layers < warm["median"] < 1.01 * layers
    assert bench("nucleo-f767zi", "qemu_system", "--meter", "assumed:3.5W") == 2


def test_simulated_cycles_make_simulated_frames(bench: Bench, tool: Callable[[str], str]) -> None:
    tool("riscv64-unknown-elf-gcc")
    tool("gcc")
    found = bench("gap8", "gap8_sim", *LOAD)
    times = found["throughput"]
    assert (times["kind"], times["unit"]) == ("simulated", "cycles")
    warm, cold = times["latency_ms"]["warm"], times["latency_ms"]["cold"]
    assert warm["median"] == pytest.approx(1e3 * times["counts"]["warm"]["median"] / 175e6)
    assert cold["median"] > warm["median"]
    assert times["fps"] == pytest.approx(1e3 / warm["median"], rel=0.03)


def test_both_clocks_and_the_voltage_of_gap8_are_swept(
    bench: Bench, tool: Callable[[str], str]
) -> None:
    """The image sets them in the simulator, which refuses a clock too fast for the voltage."""
    tool("riscv64-unknown-elf-gcc")
    tool("gcc")
    names = ["250-175MHz", "1.0V-150-87MHz", "1.0V-87MHz"]
    words = [word for name in names for word in ("--point", name)]
    fast, low, slow = bench("gap8", "gap8_sim", *LOAD, *words)["points"]
    assert [each["point"] for each in (fast, low, slow)] == names
    told = [(each["caps"]["fabric_hz"], each["caps"]["millivolts"]) for each in (fast, low, slow)]
    assert told == [("250000000", "1200"), ("150000000", "1000"), ("87000000", "1000")]
    assert [each["clock_hz"] for each in (fast, low, slow)] == [175_000_000, *[87_000_000] * 2]
    count = {
        each["point"]: each["throughput"]["counts"]["warm"]["median"] for each in (fast, low, slow)
    }
    assert 0.8 * count[names[2]] < count[names[1]] < count[names[0]] < 0.97 * count[names[2]]
    for each in (fast, low, slow):
        warm = each["throughput"]["latency_ms"]["warm"]["median"]
        assert each["kinds"]["counts"] == "simulated"
        assert warm == pytest.approx(1e3 * count[each["point"]] / each["clock_hz"], rel=1e-5)


def test_wall_time_of_an_emulator_is_none(bench: Bench, tool: Callable[[str], str]) -> None:
    tool("aarch64-linux-gnu-gcc")
    tool("qemu-aarch64")
    assert bench("rpi3", "qemu_user", *LOAD) == 2
