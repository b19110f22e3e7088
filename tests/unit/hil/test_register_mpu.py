"""The model of the MPU, from the words a port writes."""

from __future__ import annotations

import pytest

from deployer_hil.register_model import mpu

NONE, FULL, READ_ONLY = 0, 3, 6


def table(*regions: tuple[int, int, int, int]) -> dict[int, int]:
    """Registers with regions of (base, log2 of the size, permission, eighths that are off)."""
    registers = {mpu.CTRL: 5}
    for number, (base, log2, permission, off) in enumerate(regions):
        registers[mpu.stored(number)] = base
        attributes = permission << 24 | off << 8 | (log2 - 1) << 1 | 1
        registers[mpu.stored(number) + 4] = attributes
    return registers


def test_what_no_region_covers_is_free() -> None:
    registers = table((0, 8, NONE, 0))
    assert mpu.forbids(registers, 0)
    assert mpu.forbids(registers, 255, writes=True)
    assert not mpu.forbids(registers, 256, writes=True)


def test_nothing_is_forbidden_while_it_is_off() -> None:
    assert not mpu.forbids({**table((0, 8, NONE, 0)), mpu.CTRL: 0}, 0)


def test_the_later_region_wins() -> None:
    registers = table((0, 29, NONE, 0), (0, 14, READ_ONLY, 0), (0, 8, NONE, 0))
    found = [mpu.forbids(registers, at) for at in (0, 0x100, 0x3FFF, 0x4000)]
    assert found == [True, False, False, True]
    assert mpu.forbids(registers, 0x100, writes=True)


@pytest.mark.parametrize(
    ("address", "forbidden"),
    [
        (0x0, True),
        (0x3FFFFFFF, True),
        (0x40000000, False),
        (0x5FFFFFFF, False),
        (0x60000000, True),
        (0x9FFFFFFF, True),
        (0xA0000000, False),
        (0xE000ED94, False),
    ],
)
def test_eighths_can_be_left_out(address: int, forbidden: bool) -> None:
    assert mpu.forbids(table((0, 32, NONE, 0xE4)), address) is forbidden
