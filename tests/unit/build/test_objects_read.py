"""What readelf tells of object files and images."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.build.objects import CodeSize, code_size, functions_in
from deployer.build.size import ImageSize, image_size
from deployer.errors import DeployerError

SOURCE = """
    .text
    .balign 4
    .globl first
    .type first, %function
first:
    .space 8
    .size first, 8
    .section .text.second, "ax", %progbits
    .balign 8
    .globl second
    .type second, %function
second:
    .word absent
    .word missing
    .space 12
    .size second, 20
    .section .text.empty, "ax", %progbits
    .balign 16
    .data
    .space 100
    .section .dpl_itcm, "ax", %progbits
    .type hot, %function
hot:
    .space 4
    .size hot, 4
    .type cold_veneer, %function
cold_veneer:
    .space 4
    .size cold_veneer, 4
    .type table, %object
table:
    .space 4
    .size table, 4
    .section .rodata
    .space 40
    .section .dpl_weights, "a", %progbits
    .space 300
    .section .dpl_copied.dtcm, "a", %progbits
    .space 50
    .bss
    .space 7
"""
PREFIX = "arm-none-eabi-"


@pytest.fixture
def file(tool: Callable[[str], str], tmp_path: Path) -> Path:
    tool(f"{PREFIX}readelf")
    (tmp_path / "file.s").write_text(SOURCE)
    command = [tool(f"{PREFIX}as"), "-mthumb", "-mcpu=cortex-m7", "file.s", "-o", "file.o"]
    subprocess.run(command, cwd=tmp_path, check=True)
    return tmp_path / "file.o"


def test_code_takes_its_bytes_and_what_alignment_may_cost(file: Path) -> None:
    """8 bytes at multiples of 4, 20 at multiples of 8, none for a section without code; the two
    names that no section defines are called."""
    assert code_size(PREFIX, file) == CodeSize(8 + 3 + 20 + 7, 2)


def test_the_functions_of_a_section_are_named(
    file: Path, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Not those next to it, no objects, no jumps of the linker."""
    (tmp_path / "link.ld").write_text(
        "SECTIONS { .other 0x1000 : { *(.text) } .dpl_itcm : { *(.dpl_itcm) }"
        " .more : { *(.text.second) } absent = 0; missing = 0; }"
    )
    image = tmp_path / "image.elf"
    command = [tool(f"{PREFIX}ld"), "-e", "first", "-T", "link.ld", file, "-o", image]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert functions_in(PREFIX, image, ".dpl_itcm") == ("hot",)
    assert functions_in(PREFIX, image, ".other") == ("first",)
    assert functions_in(PREFIX, image, ".more") == ("second",)
    assert functions_in(PREFIX, image, ".none") == ()


def test_sizes_are_those_of_kinds_of_sections(file: Path) -> None:
    """Code: text, what ITCM takes, constants, initial values of data; nothing that no memory
    holds."""
    assert image_size(f"{PREFIX}size", file) == ImageSize(
        code=8 + 20 + 12 + 40 + 100, weights=350, static=107, itcm=12
    )


def test_what_is_no_object_file_is_refused(tool: Callable[[str], str], tmp_path: Path) -> None:
    tool(f"{PREFIX}readelf")
    (tmp_path / "none.o").write_text("no object")
    readers: list[Callable[[], object]] = [
        lambda: code_size(PREFIX, tmp_path / "absent.o"),
        lambda: functions_in(PREFIX, tmp_path / "absent.o", ".text"),
        lambda: image_size(f"{PREFIX}size", tmp_path / "none.o"),
    ]
    for read in readers:
        with pytest.raises(DeployerError, match=r"cannot read the sections of \w+\.o") as caught:
            read()
        assert caught.value.why[0]
