"""RV32IMC on the simulator: C programs print what they print on this machine."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.simulator.gap8 import run
from tests.emulated.gap8_programs import COMPILER, FIRMWARE, build


@pytest.fixture
def expected(tool: Callable[[str], str], tmp_path: Path) -> str:
    tool(COMPILER)
    native = tmp_path / "native"
    command = [tool("gcc"), "-DHOST", "-fwrapv", "-O1", "-o", str(native)]
    subprocess.run([*command, str(FIRMWARE / "integers.c")], check=True)
    return subprocess.run([native], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    "flags",
    [["-O0"], ["-O2"], ["-Os"], ["-O2", "-march=rv32im_zicsr"]],
    ids=["-O0", "-O2", "-Os", "uncompressed"],
)
def test_the_same_lines_as_here(tmp_path: Path, expected: str, flags: list[str]) -> None:
    done = run(build(tmp_path, "integers.c", flags=["-fwrapv", *flags]), limit=50_000_000)
    assert done.output == expected
    compressed = done.counts.cores["fc"]["compressed"]
    assert (compressed == 0) == ("-march=rv32im_zicsr" in flags)


def test_division_by_zero_and_overflow(tmp_path: Path, expected: str) -> None:
    source = """
    #include "gap8.h"
    #define DO(op, a, b) ({ uint32_t out; \\
        __asm__ volatile(#op " %0, %1, %2" : "=r"(out) : "r"(a), "r"(b)); out; })
    int main(void) {
        uint32_t least = 0x80000000u, all = 0xffffffffu;
        report("div", DO(div, 7, 0) == all && DO(div, least, all) == least);
        report("divu", DO(divu, 7, 0) == all);
        report("rem", DO(rem, 7, 0) == 7 && DO(rem, least, all) == 0);
        report("remu", DO(remu, 7, 0) == 7);
        report("mulhsu", DO(mulhsu, all, all) == all);
        return 0;
    }"""
    path = tmp_path / "zero.c"
    path.write_text(source)
    done = run(build(tmp_path, path))
    assert done.output == "div 1\ndivu 1\nrem 1\nremu 1\nmulhsu 1\n"
