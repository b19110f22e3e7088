"""The model of the chip, with an image of 30 instructions that answers each byte with the next."""

from __future__ import annotations

import os
import struct
import threading
from pathlib import Path

import pytest

from deployer_hil.register_model import chip as chips
from deployer_hil.register_model.__main__ import serve
from deployer_hil.register_model.chip import (
    DEMCR,
    DWT_CTRL,
    DWT_CYCCNT,
    DWT_LAR,
    FLASH,
    FLASH_ACR,
    LAR_KEY,
    PWR_CR1,
    PWR_CSR1,
    RCC_APB1ENR,
    RCC_CFGR,
    RCC_CR,
    USART3_CR1,
    USART3_ISR,
    USART3_TDR,
    Chip,
    segments,
)

pytest.importorskip("unicorn")

# UART clock on; CR1 = 13; forever: while ISR has no byte, read the cycle counter; of a byte "q"
# sleep with interrupts masked, of another one send its successor
CODE = bytes.fromhex(
    "0b484ff4802101600a480d210160c16911f0200f02d1084d2968f8e7416a712902d001318162f2e7"
    "72b630bffce700004038024000480040041000e0"
)
ENTRY = FLASH + 0x40
WHOLE = struct.pack("<2I", 0x20010000, ENTRY + 1).ljust(0x40, b"\0") + CODE


@pytest.fixture
def elf(tmp_path: Path) -> Path:
    """One segment that a probe programs, one of no bytes, one that is not loaded."""
    head = b"\x7fELF\x01\x01\x01".ljust(16, b"\0")
    head += struct.pack("<HHIIIIIHHHHHH", 2, 40, 1, ENTRY, 52, 0, 0, 52, 32, 3, 0, 0, 0)
    rows = [(1, 148, FLASH, len(WHOLE)), (1, 148, 0x20000000, 0), (4, 148, 0, 8)]
    table = [struct.pack("<8I", kind, at, to, to, n, n, 5, 4) for kind, at, to, n in rows]
    path = tmp_path / "image.elf"
    path.write_bytes(b"".join([head, *table]) + WHOLE)
    return path


def test_segments_are_those_a_probe_programs(elf: Path, tmp_path: Path) -> None:
    assert segments(elf) == [(FLASH, WHOLE)]
    (tmp_path / "text").write_bytes(b"\x7fELF\x02\x01 of 64 bits")
    with pytest.raises(ValueError, match="no 32-bit executable"):
        segments(tmp_path / "text")


def test_the_image_answers_until_it_is_at_its_end(elf: Path) -> None:
    told: list[tuple[int, int]] = []
    chip = Chip(elf, written=lambda address, value: told.append((address, value)))
    chip.run()
    assert told == [(RCC_APB1ENR, 1 << 18), (USART3_CR1, 13)]
    assert (chip.sent, chip.ended) == (b"", False)
    chip.waiting += b"AZ"
    chip.run()
    assert (chip.sent, chip.waiting) == (b"B[", b"")
    assert told[2:] == [(USART3_TDR, 66), (USART3_TDR, 91)]
    chip.waiting += b"q"
    chip.run()
    assert chip.ended
    chip.reset()
    assert (chip.ended, chip.sent) == (False, b"")
    chip.waiting += b"a"
    chip.run()
    assert chip.sent == b"b"


def test_the_console_is_on_pipes(elf: Path) -> None:
    (reader, typing), (hearing, writer) = os.pipe(), os.pipe()
    found: list[int] = []
    served = threading.Thread(target=lambda: found.append(serve(Chip(elf), reader, writer)))
    served.start()
    os.write(typing, b"HAL")
    heard = b""
    while len(heard) < 3:
        heard += os.read(hearing, 10)
    os.write(typing, b"q")
    served.join(30)
    assert (heard, found) == (b"IBM", [1])
    os.close(typing)
    assert serve(Chip(elf), reader, writer) == 0
    for descriptor in (reader, hearing, writer):
        os.close(descriptor)


def test_time_passes_while_nobody_types() -> None:
    class Waiting:
        """Ends when it was told that time passes, and has the last word."""

        ended, sent, passed = False, bytearray(), 0.0

        def run(self) -> None:
            self.sent += b"."

        def pass_time(self, seconds: float) -> None:
            self.passed += seconds
            self.ended = self.passed > 0.08
            self.sent += b"!" if self.ended else b""

    (reader, typing), (hearing, writer) = os.pipe(), os.pipe()
    chip = Waiting()
    assert serve(chip, reader, writer) == 1  # type: ignore[arg-type]
    assert chip.passed == pytest.approx(0.1)
    assert os.read(hearing, 10) == b"..!"
    for descriptor in (reader, typing, hearing, writer):
        os.close(descriptor)


def test_time_passes_for_an_image_that_waits(elf: Path) -> None:
    chip = Chip(elf)
    chip.core.registers |= {DWT_LAR: LAR_KEY, DEMCR: 1 << 24, DWT_CTRL: 1}
    chip.run()
    before = chip.core.registers[DWT_CYCCNT]
    assert 0 < before < 1_000_000
    assert before % 100 == 0
    chip.pass_time(0.5)
    chip.run()
    assert 108_000_000 < chip.core.registers[DWT_CYCCNT] - before < 109_000_000


@pytest.mark.parametrize("without", [DWT_LAR, DEMCR, DWT_CTRL])
def test_a_counter_that_is_not_switched_on_stands(elf: Path, without: int) -> None:
    chip = Chip(elf)
    chip.core.registers |= {DWT_LAR: LAR_KEY, DEMCR: 1 << 24, DWT_CTRL: 1, without: 0}
    chip.run()
    assert chip.core.registers[DWT_CYCCNT] == 0


@pytest.mark.parametrize(
    ("part", "register", "wanted", "ready", "stuck"),
    [
        ("hse", RCC_CR, 1 << 16 | 1 << 18, 1 << 17, 0),
        ("pll", RCC_CR, 1 << 24, 1 << 25, 0),
        ("select", RCC_CFGR, 2, 8, 0),
        ("flash", FLASH_ACR, 7, 7, 0),
    ],
)
def test_what_is_asked_for_is_ready_unless_broken(
    elf: Path, part: str, register: int, wanted: int, ready: int, stuck: int
) -> None:
    for broken, state in ((frozenset[str](), ready), (frozenset({part}), stuck)):
        react = Chip(elf, broken=broken)._reactions()[register]
        assert react(wanted) & ready == state
        assert react(0) & ready == 0
        if register == RCC_CR:
            assert react(1 << 16 if part == "hse" else 0) & ready == 0


def test_the_power_is_ready_when_it_was_asked_for(elf: Path) -> None:
    both = 1 << 16 | 1 << 17
    for broken, state in (("", both), ("overdrive", 1 << 17), ("switch", 1 << 16)):
        chip = Chip(elf, broken=frozenset({broken}))
        assert chip._reactions()[PWR_CSR1](0) == 0
        chip.core.registers[PWR_CR1] = both
        assert chip._reactions()[PWR_CSR1](0) == state


def test_a_line_without_a_clock_reads_as_zero(elf: Path) -> None:
    chip = Chip(elf)
    status = chip._reactions()[USART3_ISR]
    chip.waiting += b"x"
    assert status(0) == 0
    chip.core.registers[RCC_APB1ENR] = 1 << 18
    assert status(0) == 0xE0
    chip.waiting.clear()
    chip.overrun = True
    assert status(0) == 0xC8
    assert Chip(elf, broken=frozenset({"usart"}))._reactions()[USART3_ISR](0) == 0


RCC, PWR, USART3, NVIC, SCB = 0x40023800, 0x40007000, 0x40004800, 0xE000E100, 0xE000ED00


def test_registers_are_where_the_reference_manual_has_them() -> None:
    """RM0410; the core's are those of the ARMv7-M manual."""
    clocks = (chips.RCC_CR, chips.RCC_PLLCFGR, chips.RCC_CFGR, chips.RCC_APB1ENR)
    assert [address - RCC for address in clocks] == [0x00, 0x04, 0x08, 0x40]
    assert (chips.FLASH_ACR, chips.PWR_CR1, chips.PWR_CSR1) == (0x40023C00, PWR, PWR + 4)
    line = (chips.USART3_CR1, chips.USART3_BRR, chips.USART3_ISR, chips.USART3_ICR)
    assert [address - USART3 for address in line] == [0x00, 0x0C, 0x1C, 0x20]
    assert (chips.USART3_RDR - USART3, chips.USART3_TDR - USART3) == (0x24, 0x28)
    assert (chips.NVIC_ISER1 - NVIC, chips.CCR - SCB, chips.SYST_CVR) == (4, 0x14, 0xE000E018)
    assert (chips.DEMCR, chips.DWT_CTRL, chips.DWT_CYCCNT) == (0xE000EDFC, 0xE0001000, 0xE0001004)
    assert (chips.DWT_LAR, chips.LAR_KEY) == (0xE0001FB0, 0xC5ACCE55)
    assert (chips.USART3_VECTOR, chips.CLOCK_HZ, FLASH) == (16 + 39, 216_000_000, 0x08000000)


@pytest.mark.parametrize("last", [0x3FFF, 0x2007FFFF, 0x081FFFFF, 0x4002FFFF, 0xE000FFFF])
def test_memories_and_registers_end_where_the_chip_s_do(elf: Path, last: int) -> None:
    """Instruction memory 16 KiB, RAM 512 KiB, flash 2 MiB, devices, the core's own."""
    regions = [region[:2] for region in Chip(elf).core._cpu.mem_regions()]
    assert last in {end for _, end in regions}


@pytest.mark.parametrize(
    ("clock", "control", "sent"),
    [(1 << 18, 13, True), (1 << 18, 9, True), (1 << 18, 1, False), (0, 9, False)],
)
def test_a_byte_leaves_a_line_that_is_on_and_sends(
    elf: Path, clock: int, control: int, sent: bool
) -> None:
    chip = Chip(elf)
    chip.core.registers |= {RCC_APB1ENR: clock, USART3_CR1: control}
    chip._written(USART3_TDR, 0x141)
    assert chip.sent == (b"A" if sent else b"")


def test_an_overrun_is_forgotten_when_it_is_cleared_and_by_a_reset(elf: Path) -> None:
    chip = Chip(elf)
    chip.overrun = True
    chip._written(chips.USART3_ICR, 0xF7)
    chip._written(chips.USART3_TDR, 8)
    assert chip.overrun
    chip._written(chips.USART3_ICR, 8)
    assert not chip.overrun
    chip.overrun = True
    chip.waiting += b"a"
    chip.sent += b"b"
    chip.reset()
    assert (chip.overrun, chip.waiting, chip.sent) == (False, b"", b"")
    assert chip.core.registers == {RCC_CR: 0x83}  # the internal clock is on and ready


@pytest.mark.parametrize(
    ("enabled", "control", "waiting", "overrun", "receives"),
    [
        (1 << 7, 1 << 5, b"a", False, True),
        (1 << 7, 1 << 5, b"", True, True),
        (1 << 7, 1 << 5, b"", False, False),
        (1 << 6, 1 << 5, b"a", False, False),
        (1 << 7, 1 << 4, b"a", True, False),
    ],
)
def test_an_interrupt_needs_both_to_be_on_and_a_cause(
    elf: Path, enabled: int, control: int, waiting: bytes, overrun: bool, receives: bool
) -> None:
    chip = Chip(elf)
    chip.core.registers |= {chips.NVIC_ISER1: enabled, USART3_CR1: control}
    chip.waiting += waiting
    chip.overrun = overrun
    assert chip._receives() is receives


def test_received_bytes_are_read_in_order_and_then_zero(elf: Path) -> None:
    chip = Chip(elf)
    chip.waiting += b"ab"
    receive = chip._reactions()[chips.USART3_RDR]
    assert [receive(7), receive(7), receive(7)] == [97, 98, 0]


def test_the_counter_wraps_at_32_bits(elf: Path) -> None:
    chip = Chip(elf)
    chip.core.registers |= {DWT_LAR: LAR_KEY, DEMCR: 1 << 24, DWT_CTRL: 1}
    count = chip._reactions()[DWT_CYCCNT]
    assert [count(0), count(0)] == [100, 200]
    chip.pass_time(2**32 / 216e6)
    assert count(0) == 300
    chip.core.registers[DWT_LAR] = 0
    assert count(77) == 77


def test_a_handed_over_burst_leaves_the_rest_waiting(elf: Path) -> None:
    """An interrupt a byte, as many as the image's ring has room for."""
    chip = Chip(elf)
    chip.core.registers |= {chips.NVIC_ISER1: 1 << 7, USART3_CR1: 1 << 5}
    called: list[int] = []

    def interrupt(vector: int) -> None:
        called.append(vector)
        del chip.waiting[:1]

    chip.core.interrupt = interrupt  # type: ignore[method-assign]
    chip.waiting += bytes(600)
    chip._hand_over()
    assert (called, len(chip.waiting)) == ([55] * 512, 88)
    chip._hand_over()
    assert (len(called), len(chip.waiting)) == (600, 0)
    assert not chip._handling


@pytest.mark.parametrize(("said", "readings"), [(b"a", 4), (b"", 5000)])
def test_an_image_that_reads_the_time_over_and_over_waits(
    elf: Path, said: bytes, readings: int
) -> None:
    chip = Chip(elf)
    chip.sent += said
    stops: list[int] = []
    chip.core.stop = lambda: stops.append(1)  # type: ignore[method-assign]
    read = chip._reactions()[chips.SYST_CVR]
    assert {read(9) for _ in range(readings - 1)} == {9}
    assert stops == []
    read(9)
    assert stops == [1]
    chip._written(USART3_CR1, 0)  # it does something: counting begins anew
    read(9)
    assert stops == [1]
    chip._handling = True
    for _ in range(readings):
        read(9)
    assert stops == [1]


def test_the_clock_source_that_was_asked_for_is_told(elf: Path) -> None:
    source = Chip(elf)._reactions()[RCC_CFGR]
    assert [source(0x9400 | choice) for choice in (0, 1, 2)] == [0x9400, 0x9405, 0x940A]
    assert source(0x9400 | 0xC | 1) == 0x9405
    control = Chip(elf)._reactions()[RCC_CR]
    assert control(1 << 16 | 1 << 18 | 0x83) == 0x83 | 1 << 16 | 1 << 17 | 1 << 18
    assert control(1 << 17 | 1 << 25) == 0
