"""The MPU of an ARMv7-M core [ARMv7-M Architecture Reference Manual, B3.5], from its registers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

CTRL, RNR, RBAR, RASR = 0xE000ED94, 0xE000ED98, 0xE000ED9C, 0xE000EDA0
_REGIONS = 8
_STORED = 1 << 32  # beyond every address: base and attributes of each region
_NONE, _READ_ONLY = 0, (5, 6, 7)  # access permissions


@dataclass(frozen=True)
class Region:
    """``off``: its eighths that do not count, a bit each."""

    span: range
    permission: int
    off: int

    @property
    def restricts(self) -> bool:
        return self.closed or self.permission in _READ_ONLY

    @property
    def closed(self) -> bool:
        return self.permission == _NONE

    def holds(self, address: int) -> bool:
        eighth = (address - self.span.start) * 8 // len(self.span)
        return address in self.span and not self.off >> eighth & 1


def stored(number: int) -> int:
    """Where a table of registers keeps the base of region ``number``, attributes 4 behind it."""
    return _STORED + 8 * number


def regions(registers: Mapping[int, int]) -> Iterator[Region]:
    """Those in force, the one that wins first."""
    if not registers.get(CTRL, 0) & 1:
        return
    for number in reversed(range(_REGIONS)):
        attributes = registers.get(stored(number) + 4, 0)
        if attributes & 1:
            size = 2 << (attributes >> 1 & 31)
            base = registers[stored(number)] & ~(size - 1) & 0xFFFFFFFF
            yield Region(range(base, base + size), attributes >> 24 & 7, attributes >> 8 & 255)


def forbids(registers: Mapping[int, int], address: int, *, writes: bool = False) -> bool:
    """Whether privileged code may not read, or write, at ``address``. What no region covers has
    the default map."""
    region = next((found for found in regions(registers) if found.holds(address)), None)
    if region is None:
        return False
    return region.closed or (writes and region.restricts)
