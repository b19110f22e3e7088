"""gap8_sim as a machine: output, exit status, and every way a run can end without one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.errors import BenchError
from deployer.simulator.gap8 import run
from tests.emulated.gap8_programs import COMPILER, build_text


@pytest.fixture(autouse=True)
def tools(tool: Callable[[str], str]) -> None:
    for name in (COMPILER, "gcc"):
        tool(name)


def test_output_and_status_are_the_programs(tmp_path: Path) -> None:
    source = '#include "gap8.h"\nint main(void) { put_text("hello\\n"); return 5; }'
    done = run(build_text(tmp_path, source))
    assert (done.status, done.output) == (5, "hello\n")


def test_an_illegal_instruction_is_told_with_its_address(tmp_path: Path) -> None:
    source = 'int main(void) { __asm__(".4byte 0xffffffff"); return 0; }'
    with pytest.raises(BenchError) as error:
        run(build_text(tmp_path, source))
    assert "illegal instruction 0xffffffff at 0x1c0" in str(error.value)
    assert "in main" in str(error.value)


def test_a_program_that_never_ends_is_ended(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="still running after 1000 cycles"):
        run(build_text(tmp_path, "int main(void) { for (;;) ; }"), limit=1000)


def test_cores_that_all_sleep_are_told(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"every core sleeps.*fc at .*main"):
        run(build_text(tmp_path, 'int main(void) { for (;;) __asm__ volatile("wfi"); }'))


@pytest.mark.parametrize(
    ("access", "told"),
    [
        ("*(volatile int *)0x30000000", "load of 4 bytes from 0x30000000, where nothing is"),
        ("*(volatile int *)0x1020c000", "cluster register 0x0c000"),
        ("(*(volatile int *)0x1a1040a4, *(volatile char *)0x1a1040a4)", "access of 1 bytes"),
    ],
)
def test_accesses_to_nothing_are_told(tmp_path: Path, access: str, told: str) -> None:
    with pytest.raises(BenchError, match=told.replace("(", r"\(")):
        run(build_text(tmp_path, f"int main(void) {{ return {access}; }}"))


def test_what_is_no_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.elf"
    path.write_text("not an ELF at all, but long enough to be one: " + "." * 100)
    with pytest.raises(BenchError, match="is no 32-bit RISC-V executable"):
        run(path)
