"""The pulses that bound a window: on registers, on a kernel's GPIO line, and on none."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from stm32f7_model import Talk
from tiny_build import FLAGS, INPUT_BYTES, ROOT, TARGETS, Device, link

from deployer.board import load_board

GPIOF_MODER, GPIOF_OTYPER = 0x40021400, 0x40021404
GPIOF_PUPDR, GPIOF_BSRR = 0x4002140C, 0x40021418
USART3_TDR = 0x40004828
PIN = 13
LOW, HIGH = 1 << (PIN + 16), 1 << PIN
EVERY = pytest.mark.parametrize("fresh", TARGETS, indirect=True)
LOADED = f"db load {INPUT_BYTES}", f"db {bytes(INPUT_BYTES).hex()}"


@pytest.fixture
def chip(need: Callable[[str, bool], None], image: Callable[[str], Path]) -> Talk:
    need("unicorn", importlib.util.find_spec("unicorn") is not None)
    return Talk(image("nucleo-f767zi"))


def levels(chip: Talk, since: int = 0) -> list[int]:
    """Of the pin, each time it is written."""
    return [value for at, value in chip.writes[since:] if at == GPIOF_BSRR]


def asked(chip: Talk, command: str) -> tuple[list[str], list[tuple[int, int]]]:
    """The reply, and what was written for it."""
    before = len(chip.writes)
    return chip.ask(command), chip.writes[before:]


def test_the_pin_is_high_before_it_is_an_output(chip: Talk) -> None:
    """Open drain, with a pull-up."""
    chip.boot()
    order = [at for at, _ in chip.writes if at in (GPIOF_BSRR, GPIOF_MODER)]
    assert order == [GPIOF_BSRR, GPIOF_MODER]
    assert levels(chip) == [HIGH]
    assert chip.register(GPIOF_OTYPER) >> PIN & 1 == 1
    assert chip.register(GPIOF_PUPDR) >> 2 * PIN & 3 == 1
    assert chip.register(GPIOF_MODER) >> 2 * PIN & 3 == 1


def test_performance_mode_leaves_the_pin_alone(chip: Talk) -> None:
    chip.boot()
    for command in (*LOADED, "infer 3 1", "timestamp"):
        chip.ask(command)
    assert levels(chip) == [HIGH]
    assert chip.ask("x-mode") == ["m-x-mode-[performance]"]


def test_in_energy_mode_a_pulse_bounds_the_window_at_each_end(chip: Talk) -> None:
    """Nothing is said from one to the other, and no time at all."""
    chip.boot()
    for command in (*LOADED, "x-mode energy"):
        chip.ask(command)
    lines, writes = asked(chip, "infer 3 1")
    assert [value for at, value in writes if at == GPIOF_BSRR] == [LOW, HIGH, LOW, HIGH]
    edges = [at for at, (where, _) in enumerate(writes) if where == GPIOF_BSRR]
    assert USART3_TDR not in [where for where, _ in writes[edges[0] : edges[-1]]]
    assert lines[:3] == ["m-warmup-start-1", "m-warmup-done", "m-infer-start-3"]
    assert lines[3] == "m-infer-done"
    assert len(lines) == 5


def test_in_energy_mode_a_timestamp_is_a_pulse_and_no_text(chip: Talk) -> None:
    chip.boot()
    assert chip.ask("x-mode energy") == ["m-x-mode-[energy]"]
    before = len(chip.writes)
    assert chip.ask("timestamp") == []
    assert levels(chip, before) == [LOW, HIGH]
    assert chip.ask("x-mode performance") == ["m-x-mode-[performance]"]
    assert chip.ask("timestamp")[0].startswith("m-lap-us-")


def test_an_image_built_for_energy_mode_starts_in_it(
    need: Callable[[str, bool], None], tool: Callable[[str], str], tmp_path: Path
) -> None:
    need("unicorn", importlib.util.find_spec("unicorn") is not None)
    board = load_board("nucleo-f767zi")
    done = link(board, tool("arm-none-eabi-gcc"), tmp_path, more=["-DDPL_ENERGY_MODE=1"])
    assert done.returncode == 0, done.stderr
    chip = Talk(tmp_path / "firmware.elf")
    assert chip.boot() == ["m-timestamp-mode-energy", "m-init-done"]
    assert levels(chip) == [HIGH, LOW, HIGH]
    assert chip.ask("name") == ["m-name-dut-[nucleo-f767zi]"]


def test_the_pin_is_named(chip: Talk) -> None:
    chip.boot()
    assert "m-x-caps-[trigger=PF13]" in chip.ask("x-caps")


@EVERY
def test_energy_mode_says_no_times_on_any_port(fresh: Device) -> None:
    fresh.reply()
    fresh.load(bytes(range(INPUT_BYTES)))
    timed = fresh.ask("infer 2 1")
    assert fresh.ask("x-mode energy") == ["m-x-mode-[energy]"]
    assert fresh.ask("timestamp") == []
    assert fresh.ask("infer 2 1") == [line for line in timed if not line.startswith("m-lap-us-")]
    assert fresh.ask("x-mode loud")[0].startswith("e-[usage")
    assert fresh.ask("x-mode") == ["m-x-mode-[energy]"]


@pytest.fixture(scope="module")
def check(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The linux port's trigger around a kernel that is stood in for."""
    elf = tmp_path_factory.mktemp("trigger") / "check"
    sources = [
        Path(__file__).parent / "trigger_check.c",
        ROOT / "firmware" / "ports" / "linux" / "trigger.c",
    ]
    command = [tool("gcc"), *FLAGS, f"-I{ROOT / 'firmware/include'}", *map(str, sources)]
    subprocess.run([*command, "-o", str(elf)], check=True)
    return elf


def told(check: Path, **environment: str) -> list[str]:
    done = subprocess.run(
        [check], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


PULSE = ["set 71: 0", "sleep 1000000 ns", "set 71: 1"]


def test_a_line_of_the_kernel_is_taken_once_high_and_pulsed(check: Path) -> None:
    assert told(check) == [
        "before: none",
        "open /dev/gpiochip0 2",
        "line 70: 17 of 1, flags 8, starts 1",
        "close 70",
        *PULSE,
        *PULSE,
        "after: /dev/gpiochip0:17",
    ]


def test_another_line_is_named_by_the_environment(check: Path) -> None:
    lines = told(check, DPL_TRIGGER="/dev/gpiochip4:22")
    assert lines[1:3] == ["open /dev/gpiochip4 2", "line 70: 22 of 1, flags 8, starts 1"]
    assert lines[-1] == "after: /dev/gpiochip4:22"


@pytest.mark.parametrize(
    "environment", [{"NO_CHIP": "1"}, {"BUSY": "1"}, {"DPL_TRIGGER": "seventeen"}]
)
def test_without_a_line_there_is_no_trigger(check: Path, environment: dict[str, str]) -> None:
    lines = told(check, **environment)
    assert [line for line in lines if line.startswith(("set", "sleep"))] == []
    assert lines[-1] == "after: none"
