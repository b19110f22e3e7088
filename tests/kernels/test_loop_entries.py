"""Loops that a computed jump enters: an assembler that encodes them in other bytes is refused."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.resources import data_root

KERNEL_OF = {
    "block.h": "high_triples_s8__armv7em.c",
    "winograd_products.h": "conv2d_s8__armv7em_winograd.c",
    "direct_block.h": "conv2d_s16__armv7em_direct.c",
}
LOAD_OF = {"direct_block.h": "ldr.w %[x1], [%[b1], %[off]]"}  # in the loop
FLAGS = ("-std=c11", "-O2", "-mcpu=cortex-m7", "-mthumb")


def assembled(header: str, work: Path, old: str, new: str) -> subprocess.CompletedProcess[str]:
    """The kernel of ``header``, in which ``old`` was replaced first."""
    include = data_root() / "kernels" / "include"
    text = (include / "dpl" / "cortex_m" / header).read_text()
    assert old in text
    aside = work / "dpl" / "cortex_m" / header
    aside.parent.mkdir(parents=True)
    aside.write_text(text.replace(old, new))
    source = data_root() / "kernels" / "cortex_m" / KERNEL_OF[header]
    command = ["arm-none-eabi-gcc", *FLAGS, f"-I{work}", f"-I{include}", "-c", str(source)]
    return subprocess.run(
        [*command, "-o", str(work / "kernel.o")], check=False, capture_output=True, text=True
    )


@pytest.mark.parametrize("header", KERNEL_OF)
def test_the_loop_as_it_is_assembles(
    header: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    tool("arm-none-eabi-gcc")
    done = assembled(header, tmp_path, "#ifndef", "#ifndef")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("header", KERNEL_OF)
@pytest.mark.parametrize("more", ["nop.n", "nop.w"])
def test_an_instruction_of_other_bytes_is_an_error(
    header: str, more: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    tool("arm-none-eabi-gcc")
    load = LOAD_OF.get(header, "ldr.w %[x2], [%[at], #")
    done = assembled(header, tmp_path, load, f"{more}\\n{load}")
    assert done.returncode != 0
    assert "the loop has other bytes" in done.stderr


@pytest.mark.parametrize(
    ("header", "stated", "wrong"),
    [
        ("block.h", "FOUR_CODE_BYTES 96", "FOUR_CODE_BYTES 92"),
        ("winograd_products.h", "FOUR_BYTES 88", "FOUR_BYTES 84"),
        ("winograd_products.h", "LAST_BYTES 8", "LAST_BYTES 6"),
        ("direct_block.h", "PAIR_WORD_BYTES 40", "PAIR_WORD_BYTES 44"),
        ("direct_block.h", "SINGLE_WORD_BYTES 44", "SINGLE_WORD_BYTES 40"),
    ],
)
def test_a_number_that_the_code_has_not_is_an_error(
    header: str, stated: str, wrong: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    tool("arm-none-eabi-gcc")
    done = assembled(header, tmp_path, stated, wrong)
    assert done.returncode != 0
    assert "the loop has other bytes" in done.stderr
