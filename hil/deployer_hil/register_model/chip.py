"""The registers of an STM32F767 that the stm32f7 port touches, around Unicorn's Cortex-M7.

Not a simulator of the chip: clocks come up at once or never, the UART sends without time, and the
cycle counter moves when it is read. It shows that the board's own image, as a probe programs it,
asks for what the reference manual wants, and computes what it should.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

from deployer_hil.register_model.core import Core, Reaction

RCC_CR, RCC_PLLCFGR, RCC_CFGR = 0x40023800, 0x40023804, 0x40023808
RCC_APB1ENR, FLASH_ACR = 0x40023840, 0x40023C00
PWR_CR1, PWR_CSR1 = 0x40007000, 0x40007004
USART3_BRR, USART3_ISR, USART3_ICR = 0x4000480C, 0x4000481C, 0x40004820
USART3_RDR, USART3_TDR, USART3_CR1 = 0x40004824, 0x40004828, 0x40004800
NVIC_ISER1, CCR, SYST_CVR = 0xE000E104, 0xE000ED14, 0xE000E018
DEMCR, DWT_CTRL, DWT_CYCCNT, DWT_LAR = 0xE000EDFC, 0xE0001000, 0xE0001004, 0xE0001FB0
LAR_KEY = 0xC5ACCE55
USART3_VECTOR = 16 + 39
CLOCK_HZ = 216_000_000
FLASH = 0x08000000

_READING_CYCLES = 100  # cycles that pass from one reading of the counter to the next
_FEW_READINGS, _MANY_READINGS = (
    4,
    5000,
)  # readings on end after which the image waits: with words to say, without
_BURST_BYTES = 512  # handed over at a time, a part of the image's ring
_ITCM, _RAM = range(0x4000), range(0x20000000, 0x20080000)
_FLASH = range(FLASH, FLASH + 0x200000)
_DEVICES = (range(0x40000000, 0x40030000), range(0xE0000000, 0xE0010000))


class Chip:
    """``broken`` names what never becomes ready: hse, pll, overdrive, switch, select, flash, dwt,
    usart. ``written`` is told of each write to a register.

    ``sent`` is what the UART gave out, ``waiting`` what it will receive.
    """

    def __init__(
        self,
        elf: Path,
        *,
        broken: frozenset[str] = frozenset(),
        written: Callable[[int, int], None] = lambda address, value: None,
    ):
        self.broken = broken
        self.sent, self.waiting = bytearray(), bytearray()
        self.overrun = False
        self._told = written
        self._cycles = 0
        self._readings = 0
        self._handling = False
        self.core = Core((_ITCM, _RAM), (_FLASH,), _DEVICES, self._reactions(), self._written)
        for address, data in segments(elf):
            self.core.load(address, data)
        self.reset()

    def reset(self) -> None:
        """The memories keep what they have."""
        self.core.reset(FLASH)
        self.core.registers.update({RCC_CR: 0x83})  # HSI on and ready
        self.sent.clear()
        self.waiting.clear()
        self.overrun = False

    @property
    def ended(self) -> bool:
        """Whether nothing but a reset can start it again."""
        return self.core.locked or (self.core.asleep and self.core.masked)

    def run(self) -> None:
        """Until the image waits, or has said something and seems to."""
        while not self.ended:
            self._readings = 0
            self.core.run()
            if self._receives() and not self.ended:
                self._hand_over()
            elif self.core.asleep or self._readings >= self._patience():
                return

    def pass_time(self, seconds: float) -> None:
        """The clock of an image that waits goes on, in steps that its counter can follow."""
        self._cycles += int(seconds * CLOCK_HZ)

    # -- what the registers do

    def _reactions(self) -> dict[int, Reaction]:
        return {
            RCC_CR: self._clock_control,
            RCC_CFGR: self._clock_source,
            PWR_CSR1: self._power_status,
            FLASH_ACR: lambda value: 0 if "flash" in self.broken else value,
            USART3_ISR: self._line_status,
            USART3_RDR: lambda _: self.waiting.pop(0) if self.waiting else 0,
            DWT_CYCCNT: self._cycle_count,
            SYST_CVR: self._read_again,
        }

    def _register(self, address: int) -> int:
        return self.core.registers.get(address, 0)

    def _written(self, address: int, value: int) -> None:
        self._readings = 0
        self._told(address, value)
        if address == USART3_TDR and self._line_on() and self._register(USART3_CR1) & 9 == 9:
            self.sent.append(value & 0xFF)
        if address == USART3_ICR and value & 8:
            self.overrun = False

    def _clock_control(self, value: int) -> int:
        hse = value >> 16 & 1 and value >> 18 & 1 and "hse" not in self.broken
        pll = value >> 24 & 1 and "pll" not in self.broken
        return value & ~(1 << 17 | 1 << 25) | bool(hse) << 17 | bool(pll) << 25

    def _clock_source(self, value: int) -> int:
        selected = 0 if "select" in self.broken else value & 3
        return value & ~0xC | selected << 2

    def _power_status(self, _: int) -> int:
        control = self._register(PWR_CR1)
        ready = control >> 16 & 1 and "overdrive" not in self.broken
        switched = control >> 17 & 1 and "switch" not in self.broken
        return bool(ready) << 16 | bool(switched) << 17

    def _line_on(self) -> bool:
        """A block without a clock reads as zero and takes nothing."""
        return bool(self._register(RCC_APB1ENR) >> 18 & 1)

    def _line_status(self, _: int) -> int:
        if not self._line_on():
            return 0
        ready = 0 if "usart" in self.broken else 0xC0
        return ready | 0x20 * bool(self.waiting) | 8 * self.overrun

    def _cycle_count(self, value: int) -> int:
        self._read_again(value)
        unlocked = self._register(DWT_LAR) == LAR_KEY and self._register(DEMCR) >> 24 & 1
        if "dwt" in self.broken or not unlocked or not self._register(DWT_CTRL) & 1:
            return value
        self._cycles += _READING_CYCLES
        return self._cycles & 0xFFFFFFFF

    # -- waiting and interrupts

    def _read_again(self, value: int) -> int:
        """An image that waits reads the time and does nothing else."""
        self._readings += 1
        if not self._handling and (self._readings >= self._patience() or self._receives()):
            self.core.stop()
        return value

    def _patience(self) -> int:
        return _FEW_READINGS if self.sent else _MANY_READINGS

    def _receives(self) -> bool:
        enabled = self._register(NVIC_ISER1) >> 7 & 1 and self._register(USART3_CR1) >> 5 & 1
        return bool(enabled and (self.waiting or self.overrun))

    def _hand_over(self) -> None:
        self._handling = True
        for _ in range(_BURST_BYTES):
            if self.ended or not self._receives():
                break
            self.core.interrupt(USART3_VECTOR)
        self._handling = False


def segments(elf: Path) -> list[tuple[int, bytes]]:
    """(load address, bytes) of what a probe programs. Raises ValueError for no 32-bit ELF."""
    image = elf.read_bytes()
    if not image.startswith(b"\x7fELF\x01\x01"):
        raise ValueError(f"{elf} is no 32-bit executable")
    table, step, count = (
        *struct.unpack_from("<I", image, 28),
        *struct.unpack_from("<HH", image, 42),
    )
    rows = (struct.unpack_from("<5I", image, table + step * i) for i in range(count))
    return [(to, image[at : at + size]) for kind, at, _, to, size in rows if kind == 1 and size]
