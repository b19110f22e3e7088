"""Compilation: deterministic, explained when a tool is missing, honest about sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from deployer.board.load import load_board
from deployer.board.model import Board
from deployer.build.compile import Program, build, program_id
from deployer.build.size import image_size
from deployer.build.toolchain import find_tools
from deployer.errors import BenchError, DeployerError

pytestmark = pytest.mark.usefixtures("compiled_anew")
MAIN = """#include <stdint.h>
int main(void) { return DPL_ANSWER - 42; }
"""


@pytest.fixture
def host() -> Board:
    return load_board("host")


def program(board: Board, folder: Path, text: str = MAIN, answer: str = "42") -> Program:
    folder.mkdir(exist_ok=True)
    (folder / "main.c").write_text(text)
    return Program(board, (folder / "main.c",), (folder,), (("DPL_ANSWER", answer),))


def test_the_same_sources_give_the_same_bytes_wherever_they_lie(
    host: Board, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    tool("gcc")
    first, _ = build(program(host, tmp_path / "a"), tmp_path / "work1")
    second, _ = build(program(host, tmp_path / "b"), tmp_path / "work2")
    assert first.read_bytes() == second.read_bytes()


def test_the_id_follows_sources_flags_and_defines(host: Board, tmp_path: Path) -> None:
    base = program(host, tmp_path / "a")
    same = program_id(program(host, tmp_path / "b"))
    assert program_id(base) == same
    other_flags = replace(
        host, toolchain=replace(host.toolchain, cflags=(*host.toolchain.cflags, "-g"))
    )
    changed = {
        program_id(program(host, tmp_path / "c", MAIN + "\n")),
        program_id(program(host, tmp_path / "d", answer="43")),
        program_id(program(other_flags, tmp_path / "e")),
    }
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "shared.c").write_text("int x;")
    changed.add(program_id(replace(base, parts=(tmp_path / "parts",))))
    assert len({same, *changed}) == 5


def test_a_missing_compiler_is_named_with_its_package(host: Board) -> None:
    chain = replace(host.toolchain, prefix="absent-", package="gcc-absent")
    absent = replace(host, toolchain=chain)
    with pytest.raises(BenchError) as caught:
        find_tools(absent)
    assert "absent-gcc" in str(caught.value)
    assert "apt-get install gcc-absent" in str(caught.value)


def test_refused_code_is_reported_as_our_bug(
    host: Board, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    tool("gcc")
    with pytest.raises(DeployerError) as caught:
        build(program(host, tmp_path / "a", "int main(void) { return nothing; }"), tmp_path / "w")
    assert caught.value.exit_status == 1
    assert "nothing" in str(caught.value)


def test_sizes_count_sections(host: Board, tmp_path: Path, tool: Callable[[str], str]) -> None:
    tool("gcc")
    text = (
        'static char big[5000]; __attribute__((section(".dpl_weights"))) const char w[300] = {1};\n'
        "int main(int c, char **v) { (void)v; big[c] = w[c]; return big[0]; }"
    )
    elf, tools = build(program(host, tmp_path / "a", text), tmp_path / "w")
    size = image_size(tools.size, elf)
    assert size.weights == 300
    assert 5000 <= size.static < 8000
    assert size.code > 0
