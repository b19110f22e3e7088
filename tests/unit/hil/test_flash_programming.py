"""A board is programmed by pyOCD's own programmer, over flash that is bytes, and read back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("pyocd")

from deployer.errors import BenchError
from deployer_hil.image import read_image, require_written
from deployer_hil.probe import PyocdLoader
from fakes.elf_file import RISCV, elf_of
from fakes.flash_memory import ERASED, Silicon, stand_in_for_a_probe

FLASH, SECTOR = 0x0800_0000, 32 << 10
Programmed = Callable[..., Silicon]


def bytes_of(count: int, seed: int) -> bytes:
    return bytes((seed + 7 * i + (i >> 8)) & 255 for i in range(count))


CODE, WEIGHTS = bytes_of(5_003, 3), bytes_of(70_001, 11)


@pytest.fixture
def programmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programmed:
    """programmed(silicon, *parts): ``silicon`` once the loader has written an image there."""

    def program(silicon: Silicon, *parts: tuple[int, bytes]) -> Silicon:
        loader = PyocdLoader(target="stm32f767zi")

        stand_in_for_a_probe(loader, silicon, monkeypatch)
        loader.program(elf_of(tmp_path / "firmware.elf", *parts))
        return silicon

    return program


def there(silicon: Silicon, at: int, size: int) -> bytes:
    return bytes(silicon.read_memory_block8(at, size))


def test_every_byte_of_the_image_is_in_flash_where_it_belongs(programmed: Programmed) -> None:
    silicon = programmed(Silicon(), (FLASH, CODE), (FLASH + 0x40000, WEIGHTS))
    assert there(silicon, FLASH, len(CODE)) == CODE
    assert there(silicon, FLASH + 0x40000, len(WEIGHTS)) == WEIGHTS
    assert silicon.erased == [FLASH, FLASH + 0x40000]


def test_what_is_there_already_is_neither_erased_nor_written(programmed: Programmed) -> None:
    pages: list[int] = []

    def written(at: int, data: bytes) -> bytes:
        pages.append(at)
        return data

    silicon = programmed(Silicon(written), (FLASH, CODE), (FLASH + SECTOR, WEIGHTS))
    silicon.erased.clear()
    pages.clear()
    programmed(silicon, (FLASH, CODE[:-1] + b"x"), (FLASH + SECTOR, WEIGHTS))
    assert silicon.erased == [FLASH]
    assert pages
    assert max(pages) < FLASH + SECTOR
    assert there(silicon, FLASH + SECTOR, len(WEIGHTS)) == WEIGHTS


def test_a_byte_that_flash_does_not_keep_is_named(programmed: Programmed) -> None:
    wrong = FLASH + 4_100

    def written(at: int, data: bytes) -> bytes:
        if not at <= wrong < at + len(data):
            return data
        place = wrong - at
        return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]

    with pytest.raises(BenchError, match="does not have what was written") as caught:
        programmed(Silicon(written), (FLASH, CODE))
    wanted = CODE[4_100]
    first = f"{wrong:#010x} has {wanted ^ 1:02x} for {wanted:02x}"
    assert caught.value.why == (f"{first}, the first of 1 bytes that differ",)
    assert "program it again" in caught.value.hints[0]


def test_a_write_that_did_nothing_is_found(programmed: Programmed) -> None:
    def nothing(at: int, data: bytes) -> bytes:
        return bytes([ERASED]) * len(data)

    with pytest.raises(BenchError, match="does not have what was written"):
        programmed(Silicon(nothing), (FLASH, CODE))


def test_a_segment_outside_of_flash_is_not_left_out_in_silence(programmed: Programmed) -> None:
    """pyOCD warns and goes on."""
    with pytest.raises(BenchError, match="does not have what was written") as caught:
        programmed(Silicon(), (FLASH, CODE), (0x0900_0000, b"weights that nobody has"))
    assert caught.value.why[0].startswith("0x09000000 has ff for 77")


@pytest.mark.parametrize("found", [b"", b"abc"])
def test_a_read_that_ends_early_is_no_match(tmp_path: Path, found: bytes) -> None:
    elf = elf_of(tmp_path / "firmware.elf", (FLASH, b"abcdef"))
    with pytest.raises(BenchError) as caught:
        require_written(elf, lambda at, size: found)
    assert caught.value.why == (f"{len(found)} of 6 bytes at 0x08000000 were read",)


def test_an_image_of_another_core_is_refused(tmp_path: Path) -> None:
    arm = elf_of(tmp_path / "arm.elf", (FLASH, CODE))
    riscv = elf_of(tmp_path / "riscv.elf", (FLASH, CODE), machine=RISCV)
    require_written(arm, lambda at, size: CODE)
    with pytest.raises(BenchError, match="no 32-bit Arm executable"):
        require_written(riscv, lambda at, size: CODE)
    with pytest.raises(BenchError, match="no 32-bit RISC-V executable"):
        read_image(arm, memory=range(FLASH, FLASH + SECTOR))
