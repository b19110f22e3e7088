"""Faults of the stm32f7 image on the model of its registers: what is said, when, and what is left.

Needs the Python package unicorn, a CPU emulator (hil/deployer_hil/register_model).
"""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from stm32f7_model import Talk

POKE, DIG, PEEK = 0x71, 0x72, 0x73
UNDEFINED = b"\x00\xde"  # udf #0
RESET = "e-[fault before this start: "


@pytest.fixture
def chip(need: Callable[[str, bool], None], image: Callable[[str], Path]) -> Talk:
    need("unicorn", importlib.util.find_spec("unicorn") is not None)
    return Talk(image("nucleo-f767zi"))


@pytest.fixture
def symbols(tool: Callable[[str], str], image: Callable[[str], Path]) -> dict[str, int]:
    command = [tool("arm-none-eabi-nm"), str(image("nucleo-f767zi"))]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in text.splitlines())
    return {row[2]: int(row[0], 16) for row in rows if len(row) == 3}


def misbehave(chip: Talk, deed: int, argument: int) -> str:
    """What the booted device says to a run with the deed."""
    data = bytes([0, deed, 0, 0]) + argument.to_bytes(4, "little") + bytes(8)
    chip.boot()
    assert chip.ask("db load 16") == ["m-[Expecting 16 bytes]"]
    assert chip.ask(f"db {data.hex()}") == ["m-load-done"]
    chip.waiting += b"infer 1 0%"
    return chip.last_words().partition("e-[fault ")[2]


def stands_still(chip: Talk) -> bool:
    """No command is answered any more."""
    chip.waiting += b"name%"
    return chip.last_words() == ""


@pytest.mark.parametrize("deed", [POKE, PEEK])
@pytest.mark.parametrize("address", [0, 1, 0xFF])
def test_a_null_pointer_faults_and_is_reported(chip: Talk, deed: int, address: int) -> None:
    line = misbehave(chip, deed, address)
    assert line.startswith("memmanage 4 pc=08")
    assert "cfsr=00000082" in line
    assert f"mmfar={address:08x}" in line
    assert stands_still(chip)


@pytest.mark.parametrize(
    ("address", "cause"),
    [
        pytest.param(0x100, "memmanage 4", id="fast memory for code"),
        pytest.param(0x3FFF, "memmanage 4", id="its end"),
        pytest.param(0x60000000, "memmanage 4", id="external memory"),
        pytest.param(0x20000000, "memmanage 4", id="guard of the stack"),
        pytest.param(0x20080000, "bus 5", id="past the RAM"),
        pytest.param(0x08001000, "bus 5", id="flash"),
    ],
)
def test_writes_outside_of_ram_fault(chip: Talk, address: int, cause: str) -> None:
    line = misbehave(chip, POKE, address)
    assert line.startswith(cause)
    assert f"ar={address:08x}" in line


def test_a_stack_overflow_hits_the_guard(chip: Talk, symbols: dict[str, int]) -> None:
    line = misbehave(chip, DIG, 100_000)
    assert line.startswith("memmanage 4")
    guard = symbols["dpl_stack_guard"]
    assert int(line.partition("mmfar=")[2][:8], 16) in range(guard, guard + 256)


def test_a_fault_that_was_told_is_not_told_again(chip: Talk) -> None:
    assert misbehave(chip, POKE, 0)
    chip.reset()
    assert chip.boot()[2:] == ["m-init-done"]


@pytest.mark.parametrize("function", ["dpl_clock_start", "dpl_console_start", "dpl_caches_start"])
def test_a_fault_before_the_console_is_told_all_the_same(
    chip: Talk, symbols: dict[str, int], function: str
) -> None:
    """The handler starts the console itself; where that is what faults, nothing can be said, and
    the core stands still rather than wait for the line."""
    chip.core.load(symbols[function] & ~1, UNDEFINED)
    line = chip.last_words()
    if function == "dpl_console_start":
        assert line == ""
    else:
        assert line.startswith("\r\ne-[fault usage 6 pc=")
        assert f"pc={symbols[function] & ~1:08x} cfsr=00010000" in line
    assert stands_still(chip)


def test_what_could_not_be_said_is_said_by_the_next_start_once(
    chip: Talk, symbols: dict[str, int]
) -> None:
    at = symbols["dpl_console_start"] & ~1
    before = chip.core.word(at).to_bytes(4, "little")
    chip.core.load(at, UNDEFINED)
    assert chip.last_words() == ""
    chip.core.load(at, before)
    chip.reset()
    told = f"{RESET}usage 6 pc={at:08x} cfsr=00010000 hfsr=00000000 mmfar=00000000 bfar=00000000]"
    assert chip.boot()[3:] == [told]
    chip.reset()
    assert chip.boot()[3:] == []


def test_a_line_that_takes_nothing_is_not_waited_for(
    need: Callable[[str, bool], None], image: Callable[[str], Path]
) -> None:
    """The image comes to wait for commands although its console never gets ready to send."""
    need("unicorn", importlib.util.find_spec("unicorn") is not None)
    chip = Talk(image("nucleo-f767zi"), broken=frozenset({"usart"}))
    assert chip.boot()[2] == "m-init-done"
