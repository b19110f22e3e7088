"""The registers of an STM32F767 that the stm32f7 port touches, around Unicorn's Cortex-M7.

Not a simulator of the chip: clocks come up at once or never, the UART sends without time. It shows
that the image asks for what the reference manual wants, in the order it wants it, and copes with
what fails.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

RCC_CR, RCC_PLLCFGR, RCC_CFGR = 0x40023800, 0x40023804, 0x40023808
RCC_APB1ENR, FLASH_ACR = 0x40023840, 0x40023C00
PWR_CR1, PWR_CSR1 = 0x40007000, 0x40007004
USART3_BRR, USART3_ISR, USART3_ICR = 0x4000480C, 0x4000481C, 0x40004820
USART3_RDR, USART3_TDR, USART3_CR1 = 0x40004824, 0x40004828, 0x40004800
NVIC_ISER1 = 0xE000E104
DEMCR, DWT_CTRL, DWT_CYCCNT, DWT_LAR = 0xE000EDFC, 0xE0001000, 0xE0001004, 0xE0001FB0
CCR = 0xE000ED14
LAR_KEY = 0xC5ACCE55
USART3_VECTOR = 16 + 39
INTERRUPTS = 5000  # in a row, more than any test sends bytes
RETURN = 0x1FF00000  # of the interrupt handler; nothing is executed there
MEMORIES = ((0x08000000, 0x200000), (0x20000000, 0x80000), (0x1FF00000, 0x1000))
DEVICES = ((0x40000000, 0x30000), (0xE0000000, 0x10000))


@dataclass
class Chip:
    """``broken`` names what never becomes ready: hse, pll, overdrive, switch, select, flash, dwt.

    ``sent`` is what the UART gave out, ``waiting`` what it will receive, ``writes`` every write to
    a register as (address, value).
    """

    elf: Path
    broken: frozenset[str] = frozenset()
    sent: bytearray = field(default_factory=bytearray)
    waiting: bytearray = field(default_factory=bytearray)
    overrun: bool = False
    writes: list[tuple[int, int]] = field(default_factory=list)
    ticks: int = 0

    def __post_init__(self) -> None:
        import unicorn
        from unicorn import arm_const as arm

        self._arm = arm
        mode = unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS
        self._cpu = unicorn.Uc(unicorn.UC_ARCH_ARM, mode)
        self._cpu.ctl_set_cpu_model(arm.UC_CPU_ARM_CORTEX_M7)
        for base, size in (*MEMORIES, *DEVICES):
            self._cpu.mem_map(base, size)
        self._load()
        for base, size in DEVICES:
            self._cpu.hook_add(unicorn.UC_HOOK_MEM_READ, self._read, begin=base, end=base + size)
            self._cpu.hook_add(unicorn.UC_HOOK_MEM_WRITE, self._write, begin=base, end=base + size)
        self._poke(RCC_CR, 0x83)  # HSI on and ready
        self._pc = self._peek(0x08000004)
        self._cpu.reg_write(arm.UC_ARM_REG_SP, self._peek(0x08000000))

    def _load(self) -> None:
        """Loadable segments at their load addresses."""
        image = self.elf.read_bytes()
        offset, count = (
            struct.unpack_from("<I", image, 28)[0],
            struct.unpack_from("<H", image, 44)[0],
        )
        for index in range(count):
            kind, at, _, load, size = struct.unpack_from("<5I", image, offset + 32 * index)
            if kind == 1 and size:
                self._cpu.mem_write(load, image[at : at + size])

    def register(self, address: int) -> int:
        """The value the firmware would read, without counting as an access."""
        return self._peek(address)

    def _peek(self, address: int) -> int:
        return int.from_bytes(self._cpu.mem_read(address, 4), "little")

    def _poke(self, address: int, value: int) -> None:
        self._cpu.mem_write(address, (value & 0xFFFFFFFF).to_bytes(4, "little"))

    def _write(self, _cpu: Any, _kind: int, at: int, _size: int, value: int, _user: Any) -> None:
        self.writes.append((at, value & 0xFFFFFFFF))
        if at == USART3_TDR:
            self.sent.append(value & 0xFF)
        if at == USART3_ICR and value & 8:
            self.overrun = False

    def _read(self, _cpu: Any, _kind: int, at: int, _size: int, _value: int, _user: Any) -> None:
        reaction = self._reactions().get(at)
        if reaction is not None:
            self._poke(at, reaction(self._peek(at)))

    def _reactions(self) -> dict[int, Callable[[int], int]]:
        return {
            RCC_CR: self._clock_control,
            RCC_CFGR: self._clock_source,
            PWR_CSR1: self._power_status,
            FLASH_ACR: lambda value: 0 if "flash" in self.broken else value,
            USART3_ISR: lambda _: 0xC0 | 0x20 * bool(self.waiting) | 8 * self.overrun,
            USART3_RDR: lambda _: self.waiting.pop(0) if self.waiting else 0,
            DWT_CYCCNT: self._cycles,
        }

    def _clock_control(self, value: int) -> int:
        hse = value >> 16 & 1 and value >> 18 & 1 and "hse" not in self.broken
        pll = value >> 24 & 1 and "pll" not in self.broken
        return value & ~(1 << 17 | 1 << 25) | bool(hse) << 17 | bool(pll) << 25

    def _clock_source(self, value: int) -> int:
        selected = 0 if "select" in self.broken else value & 3
        return value & ~0xC | selected << 2

    def _power_status(self, _: int) -> int:
        control = self._peek(PWR_CR1)
        ready = control >> 16 & 1 and "overdrive" not in self.broken
        switched = control >> 17 & 1 and "switch" not in self.broken
        return bool(ready) << 16 | bool(switched) << 17

    def _cycles(self, value: int) -> int:
        unlocked = self._peek(DWT_LAR) == LAR_KEY and self._peek(DEMCR) >> 24 & 1
        if "dwt" in self.broken or not unlocked or not self._peek(DWT_CTRL) & 1:
            return value
        self.ticks += 100
        return self.ticks & 0xFFFFFFFF

    def run(self, done: Callable[[], bool], *, slices: int = 3000) -> None:
        """Run until ``done``; a received byte interrupts between slices."""
        for _ in range(slices):
            if done():
                return
            self._cpu.emu_start(self._pc | 1, 0, count=4000)
            self._pc = self._cpu.reg_read(self._arm.UC_ARM_REG_PC)
            self._interrupt()
        raise AssertionError(f"not done, sent {bytes(self.sent)!r}")

    def _interrupt(self) -> None:
        enabled = self._peek(NVIC_ISER1) >> 7 & 1 and self._peek(USART3_CR1) >> 5 & 1
        for _ in range(INTERRUPTS):
            if not enabled or not (self.waiting or self.overrun):
                return
            saved = self._cpu.context_save()
            self._cpu.reg_write(self._arm.UC_ARM_REG_LR, RETURN | 1)
            self._cpu.emu_start(self._peek(0x08000000 + 4 * USART3_VECTOR), RETURN, count=10000)
            self._cpu.context_restore(saved)
        raise AssertionError("the handler leaves its interrupt pending")

    def boot(self) -> list[str]:
        return self._lines()

    def ask(self, command: str) -> list[str]:
        self.waiting += command.encode() + b"%"
        return self._lines()

    def _lines(self) -> list[str]:
        self.run(lambda: self.sent.endswith(b"m-ready\r\n"))
        lines = self.sent.decode().split("\r\n")[:-2]
        self.sent.clear()
        return lines
