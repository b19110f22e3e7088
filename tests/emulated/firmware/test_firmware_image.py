"""The stm32f7 image has met no hardware; what can be read from the file is checked."""

from __future__ import annotations

import re
import struct
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from deployer_hil.probe import PyocdLoader

BOARD = "nucleo-f767zi"
FLASH = range(0x08000000, 0x08200000)
DTCM = range(0x20000000, 0x20020000)
SRAM = range(0x20020000, 0x20080000)
VECTORS = 16 + 110
USART3_VECTOR = 16 + 39
SYSTICK_VECTOR = 15
HEAP_AND_PRINTF = re.compile(r"(_?malloc|_?free|_?sbrk|v?f?i?printf|strtok|_impure).*")


@dataclass(frozen=True)
class Section:
    kind: str
    address: int
    size: int


@dataclass(frozen=True)
class Image:
    sections: dict[str, Section]
    symbols: dict[str, int]
    vectors: tuple[int, ...]


def sections_of(text: str) -> dict[str, Section]:
    pattern = re.compile(r"\] (\.\S+)\s+(\w+)\s+([0-9a-f]{8}) [0-9a-f]{6} ([0-9a-f]{6})")
    rows = pattern.findall(text)
    return {row[0]: Section(row[1], int(row[2], 16), int(row[3], 16)) for row in rows}


def symbols_of(text: str) -> dict[str, int]:
    rows = (line.split() for line in text.splitlines())
    return {row[2]: int(row[0], 16) for row in rows if len(row) == 3}


@pytest.fixture(scope="module")
def elf_image(
    tool: Callable[[str], str],
    image: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Image:
    elf = str(image(BOARD))
    table = tmp_path_factory.mktemp("vectors") / "vectors.bin"

    def run(program: str, *words: str) -> str:
        path = tool(f"arm-none-eabi-{program}")
        return subprocess.run([path, *words], capture_output=True, text=True, check=True).stdout

    run("objcopy", "-O", "binary", "--only-section=.vectors", elf, str(table))
    vectors = struct.unpack_from(f"<{VECTORS}I", table.read_bytes())
    return Image(sections_of(run("readelf", "-SW", elf)), symbols_of(run("nm", elf)), vectors)


def test_what_pyocd_writes_to_flash_is_what_objcopy_takes_out_of_the_image(
    tool: Callable[[str], str],
    image: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("pyocd")
    from fakes.flash_memory import Silicon, stand_in_for_a_probe

    elf, binary, silicon = image(BOARD), tmp_path / "flash.bin", Silicon()
    loader = PyocdLoader(target="stm32f767zi")
    stand_in_for_a_probe(loader, silicon, monkeypatch)
    loader.program(elf)

    def copied(gaps: str) -> bytes:
        words = [tool("arm-none-eabi-objcopy"), "-O", "binary", "--gap-fill", gaps]
        subprocess.run([*words, str(elf), str(binary)], check=True)
        return binary.read_bytes()

    wanted = list(zip(copied("0x00"), copied("0xff"), strict=True))  # the same but in gaps
    found = silicon.read_memory_block8(FLASH.start, len(wanted))
    assert [there for there, (a, b) in zip(found, wanted, strict=True) if a == b] == [
        a for a, b in wanted if a == b
    ]


@pytest.mark.parametrize(
    ("name", "memory"),
    [
        (".vectors", FLASH),
        (".text", FLASH),
        (".dpl_weights", FLASH),
        (".stack", DTCM),
        (".data", DTCM),
        (".bss", DTCM),
        (".dpl_arena.sram", SRAM),
        (".dpl_arena.dtcm", DTCM),
    ],
)
def test_sections_lie_in_their_memories(elf_image: Image, name: str, memory: range) -> None:
    section = elf_image.sections[name]
    assert section.size > 0
    assert section.address in memory
    assert section.address + section.size - 1 in memory


@pytest.mark.parametrize("name", [".stack", ".bss", ".dpl_arena.sram", ".dpl_arena.dtcm"])
def test_ram_takes_no_room_in_the_file(elf_image: Image, name: str) -> None:
    assert elf_image.sections[name].kind == "NOBITS"


def test_vector_table_is_where_the_core_looks(elf_image: Image) -> None:
    assert elf_image.sections[".vectors"].address == FLASH.start
    assert elf_image.sections[".vectors"].size >= 4 * VECTORS
    assert FLASH.start % 512 == 0


def test_vectors_point_at_their_handlers(elf_image: Image) -> None:
    symbols, vectors = elf_image.symbols, elf_image.vectors
    assert vectors[0] == symbols["dpl_stack_high"]
    assert vectors[1] == symbols["dpl_reset"] | 1
    assert vectors[SYSTICK_VECTOR] == symbols["dpl_systick_handler"] | 1
    assert vectors[USART3_VECTOR] == symbols["dpl_console_handler"] | 1
    others = set(vectors[2:]) - {vectors[SYSTICK_VECTOR], vectors[USART3_VECTOR]}
    assert others == {symbols["dpl_fault"] | 1}


def test_an_overflowing_stack_meets_the_guard_first(elf_image: Image) -> None:
    symbols = elf_image.symbols
    guard = symbols["dpl_stack_guard"]
    assert guard % 256 == 0
    assert symbols["dpl_stack_low"] == guard + 256
    assert guard == DTCM.start
    assert symbols["dpl_stack_high"] - symbols["dpl_stack_low"] == 4 * 1024


def test_static_bytes_are_those_of_data_and_bss(elf_image: Image) -> None:
    sections = elf_image.sections
    total = sections[".data"].size + sections[".bss"].size
    assert elf_image.symbols["dpl_static_bytes"] == total


def test_no_heap_and_no_printf(elf_image: Image) -> None:
    assert [name for name in elf_image.symbols if HEAP_AND_PRINTF.fullmatch(name)] == []
