"""The simulator's C: no warnings, and no undefined behaviour while it runs programs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.simulator import gap8
from tests.emulated.gap8_instructions import INSTRUCTIONS
from tests.emulated.gap8_programs import COMPILER, build, build_text
from tests.emulated.test_gap8_instructions import program, rows
from tests.emulated.test_gap8_port import build as build_port
from tests.emulated.test_gap8_uart import ECHO
from tests.emulated.test_gap8_uart import PROGRAM as UART_PROGRAM

STRICT = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"]
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


@pytest.fixture
def sanitized(tool: Callable[[str], str], tmp_path: Path) -> Path:
    tool(COMPILER)
    out = tmp_path / "gap8_sim"
    sources = sorted((Path(gap8.__file__).parent / "gap8").glob("*.c"))
    subprocess.run([tool("gcc"), *STRICT, *SANITIZED, "-o", out, *sources], check=True)
    return out


def test_programs_run_clean_under_sanitizers(
    tmp_path: Path, sanitized: Path, tool: Callable[[str], str]
) -> None:
    elves = [
        build(folder(tmp_path, "timing"), "timing.c", "matmul.S"),
        build(folder(tmp_path, "transfers"), "transfers.c"),
        program(folder(tmp_path, "instructions"), INSTRUCTIONS, rows()),
        build_port(tool(COMPILER), folder(tmp_path, "port")),
        build_text(folder(tmp_path, "uart"), UART_PROGRAM + ECHO),
    ]
    for elf in elves:
        options = ["--profile", str(tmp_path / "counts"), "--trace", str(tmp_path / "trace")]
        done = subprocess.run(
            [sanitized, *options, elf],
            capture_output=True,
            text=True,
            check=False,
            input="echoed by the UART",
            env={"ASAN_OPTIONS": "detect_leaks=0"},
        )
        assert (done.returncode, done.stderr) == (0, ""), elf


def folder(parent: Path, name: str) -> Path:
    path = parent / name
    path.mkdir()
    return path
