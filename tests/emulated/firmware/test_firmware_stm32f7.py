"""The stm32f7 image on a model of the registers it touches: clock tree, console, caps.

Needs the Python package unicorn, a CPU emulator (hil/deployer_hil/register_model).
"""

from __future__ import annotations

import importlib.util
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from stm32f7_model import Talk
from tiny_build import link

from deployer.board import at_point, load_board, with_rate
from deployer_hil.register_model.chip import (
    CCR,
    FLASH_ACR,
    PWR_CR1,
    RCC_CFGR,
    RCC_CR,
    RCC_PLLCFGR,
    USART3_BRR,
)

RCC_DCKCFGR2 = 0x40023894
DATA = bytes(range(16))


@pytest.fixture
def chip(
    need: Callable[[str, bool], None], image: Callable[[str], Path], request: pytest.FixtureRequest
) -> Talk:
    need("unicorn", importlib.util.find_spec("unicorn") is not None)
    return Talk(image("nucleo-f767zi"), broken=frozenset(getattr(request, "param", ())))


def caps(chip: Talk) -> dict[str, str]:
    pairs = [line[len("m-x-caps-[") : -1].split("=", 1) for line in chip.ask("x-caps")]
    return dict(pairs)


def first(chip: Talk, address: int, value: int, mask: int = 0xFFFFFFFF) -> int:
    """Index of the first write of these bits."""
    hits = [at == address and written & mask == value for at, written in chip.writes]
    return hits.index(True)


def test_clock_tree_comes_up_in_the_order_of_the_manual(chip: Talk) -> None:
    lines = chip.boot()
    assert lines[0] == "m-timestamp-mode-performance"
    assert lines[2:] == ["m-init-done"]
    order = [
        first(chip, RCC_CR, 1 << 18, 1 << 18),  # bypass before
        first(chip, RCC_CR, 1 << 16, 1 << 16),  # the oscillator
        first(chip, PWR_CR1, 3 << 14, 3 << 14),  # scale 1 while the PLL is off
        first(chip, RCC_PLLCFGR, 0x29403604),
        first(chip, RCC_CR, 1 << 24, 1 << 24),
        first(chip, PWR_CR1, 1 << 16, 1 << 16),  # over-drive, then its switch
        first(chip, PWR_CR1, 1 << 17, 1 << 17),
        first(chip, FLASH_ACR, 0x307),  # wait states before the speed
        first(chip, RCC_CFGR, 0x9402),
    ]
    assert order == sorted(order)


def test_caps_are_read_back(chip: Talk) -> None:
    chip.boot()
    seen = caps(chip)
    assert seen["clock_hz"] == "216000000"
    assert seen["clock_source"] == "pll"
    assert (seen["flash_wait_states"], seen["flash_art"]) == ("7", "on")
    assert (seen["icache"], seen["dcache"]) == ("on", "on")
    assert seen["counter_source"] == "dwt"
    assert seen["placement"] == "sram+dtcm"
    assert chip.register(CCR) >> 16 & 3 == 3
    assert chip.register(USART3_BRR) == 1875  # of SYSCLK


@pytest.mark.parametrize(("baud", "divider"), [(9_600, 22_500), (921_600, 234), (2_000_000, 108)])
def test_the_console_talks_at_the_rate_of_the_build(
    need: Callable[[str, bool], None],
    tool: Callable[[str], str],
    tmp_path: Path,
    baud: int,
    divider: int,
) -> None:
    """Within 0.2 %, of 216 MHz."""
    need("unicorn", importlib.util.find_spec("unicorn") is not None)
    board = with_rate(load_board("nucleo-f767zi"), "pyocd", baud)
    done = link(board, tool("arm-none-eabi-gcc"), tmp_path, runner="pyocd")
    assert done.returncode == 0, done.stderr
    chip = Talk(tmp_path / "firmware.elf")
    assert chip.boot()[-1] == "m-init-done"
    assert chip.register(USART3_BRR) == divider
    assert chip.register(RCC_DCKCFGR2) >> 4 & 3 == 1  # USART3 takes SYSCLK


@pytest.mark.parametrize(
    ("chip", "fault"),
    [
        (["hse"], "clock: HSE not ready"),
        (["pll"], "clock: PLL not locked"),
        (["overdrive"], "clock: over-drive not ready"),
        (["switch"], "clock: over-drive switch not ready"),
        (["flash"], "clock: flash wait states not taken"),
        (["select"], "clock: PLL not selected"),
    ],
    indirect=["chip"],
)
def test_a_clock_that_fails_is_named_and_the_console_still_works(chip: Talk, fault: str) -> None:
    assert chip.boot()[-1] == f"e-[{fault}]"
    assert chip.register(USART3_BRR) == 139  # 115200 from 16 MHz
    assert chip.register(RCC_CFGR) & 0xFFFF == 0
    seen = caps(chip)
    assert (seen["clock_hz"], seen["clock_source"]) == ("16000000", "hsi")


@pytest.mark.parametrize("chip", [["dwt"]], indirect=True)
def test_without_dwt_systick_counts(chip: Talk) -> None:
    chip.boot()
    assert caps(chip)["counter_source"] == "systick"


def test_a_conversation_over_the_interrupt_ring(chip: Talk) -> None:
    chip.boot()
    assert chip.ask("name") == ["m-name-dut-[nucleo-f767zi]"]
    assert chip.ask("db load 16") == ["m-[Expecting 16 bytes]"]
    assert chip.ask(f"db {DATA.hex()}") == ["m-load-done"]
    turned = bytes(byte + 1 for byte in DATA)[::-1]
    assert chip.ask("infer 1 0")[-2] == "m-infer-done"
    assert chip.ask("x-out")[-1] == f"m-x-out-crc-[{zlib.crc32(turned):08x}]"


def test_an_overrun_is_cleared_and_reception_goes_on(chip: Talk) -> None:
    chip.boot()
    chip.overrun = True
    assert chip.ask("name") == ["m-name-dut-[nucleo-f767zi]"]
    assert not chip.overrun


def test_a_frame_comes_through_the_ring_whole(chip: Talk) -> None:
    chip.boot()
    header = f"x-load 0 16 {zlib.crc32(b'0' + DATA):08x}%".encode()
    chip.waiting += header + DATA
    assert chip.ask("")[:2] == ["m-x-load-[go]", "m-x-load-[ok]"]
    assert chip.ask("db print") == ["m-buffer-" + DATA.hex("-")]


def test_x_exit_is_answered_and_the_board_goes_on(chip: Talk) -> None:
    chip.boot()
    assert chip.ask("x-exit") == ["m-x-exit-[bye]"]
    assert chip.ask("name") == ["m-name-dut-[nucleo-f767zi]"]


@pytest.mark.parametrize(
    ("mhz", "scale", "wait_states", "divider"),
    [(54, 1, 1, 469), (108, 1, 3, 938), (168, 2, 5, 1458)],
)
def test_a_slower_clock_takes_less_voltage_and_fewer_wait_states(
    need: Callable[[str, bool], None],
    tool: Callable[[str], str],
    tmp_path: Path,
    mhz: int,
    scale: int,
    wait_states: int,
    divider: int,
) -> None:
    """RM0410: over-drive above 180 MHz only; scale 3 up to 144 MHz, scale 2 up to 168."""
    need("unicorn", importlib.util.find_spec("unicorn") is not None)
    board = at_point(load_board("nucleo-f767zi"), f"{mhz}MHz")
    done = link(board, tool("arm-none-eabi-gcc"), tmp_path)
    assert done.returncode == 0, done.stderr
    chip = Talk(tmp_path / "firmware.elf")
    assert chip.boot()[2:] == ["m-init-done"]
    first(chip, RCC_PLLCFGR, 0x29400004 | mhz << 6)
    assert chip.register(PWR_CR1) >> 14 & 3 == scale
    assert chip.register(PWR_CR1) >> 16 & 3 == 0
    assert chip.register(FLASH_ACR) == 0x300 | wait_states
    assert chip.register(USART3_BRR) == divider
    assert caps(chip)["clock_hz"] == str(mhz * 1_000_000)
