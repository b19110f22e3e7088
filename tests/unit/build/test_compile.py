"""Compilation: deterministic, explained when a tool is missing, honest about sizes."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from deployer.board.load import load_board
from deployer.board.model import Board
from deployer.build.cmsis_nn import Library
from deployer.build.compile import Program, build, program_id
from deployer.build.size import image_size
from deployer.build.toolchain import find_tools
from deployer.errors import BenchError, DeployerError, ImageTooLarge, UsageError

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


def test_compiling_and_linking_tells_of_each_object(
    host: Board, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    tool("gcc")
    made = program(host, tmp_path / "a")
    (tmp_path / "a" / "more.c").write_text("int more = 1;")
    both = replace(made, sources=(*made.sources, tmp_path / "a" / "more.c"))
    told: list[tuple[int, int]] = []
    objects: dict[Path, Path] = {}
    elf, tools = build(
        both,
        tmp_path / "w",
        image="other.elf",
        progress=lambda done, total: told.append((done, total)),
        compiled=objects.update,
    )
    assert told == [(1, 2), (2, 2)]
    assert objects == {
        both.sources[0]: tmp_path / "w" / "00-main.o",
        both.sources[1]: tmp_path / "w" / "01-more.o",
    }
    assert elf == tmp_path / "w" / "other.elf"
    assert all(path.is_file() for path in (elf, *objects.values()))
    assert "gcc" in tools.version.lower()


def test_the_id_is_that_of_all_that_is_read(host: Board, tmp_path: Path) -> None:
    """Headers below the folders, what they include by relative paths, the script, the library."""
    base = program(host, tmp_path / "a")
    below = tmp_path / "a" / "below"
    below.mkdir()
    (tmp_path / "lib.a").write_bytes(b"!<arch>\n")
    (tmp_path / "link.ld").write_text("SECTIONS {}")
    (tmp_path / "include").mkdir()
    ids = [program_id(base)]
    for name, text in (("a.h", "#define A 1"), ("a.h", "#define A 2"), ("b.inc", "1, 2")):
        (below / name).write_text(text)
        ids.append(program_id(base))
    (below / "notes.txt").write_text("no part of the program")
    assert program_id(base) == ids[-1]
    ids.append(program_id(replace(base, linker_script=tmp_path / "link.ld")))
    library = replace(base, library=Library(tmp_path / "lib.a", tmp_path / "include"))
    ids.append(program_id(library))
    (tmp_path / "include" / "arm.h").touch()
    ids.append(program_id(library))
    assert len({*ids}) == len(ids)
    assert all(len(each) == 16 and int(each, 16) >= 0 for each in ids)


def linked(board: Board, folder: Path, script: str, text: str) -> Program:
    made = program(board, folder, text)
    (folder / "link.ld").write_text(script)
    return replace(made, linker_script=folder / "link.ld")


SMALL = """
MEMORY { one (rwx) : ORIGIN = 0x1000, LENGTH = 16 two (rwx) : ORIGIN = 0x9000, LENGTH = 8 }
SECTIONS {
    .text : { *(.text*) } > one
    .data : { *(.data*) *(.bss*) } > two
    /DISCARD/ : { *(*) }
}
ENTRY(main)
"""


def test_a_memory_that_is_too_small_is_named_with_what_lacks(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Of several the one that lacks most."""
    tool("arm-none-eabi-gcc")
    board = load_board("nucleo-f767zi")
    bare = replace(board, toolchain=replace(board.toolchain, ldflags=("-nostdlib",)))
    text = (
        "int numbers[100] = {1};\n"
        "int main(void) { for (int i = 0; i < 99; i++) numbers[i] += numbers[i + 1] * i;\n"
        "return numbers[5] + numbers[7] * numbers[9]; }"
    )
    with pytest.raises(ImageTooLarge) as caught:
        build(linked(bare, tmp_path / "a", SMALL, text), tmp_path / "w")
    assert (caught.value.memory, caught.value.excess) == ("two", 400 - 8)
    assert "nucleo-f767zi" in str(caught.value)


def test_a_board_of_the_users_own_is_to_blame_before_deployer(
    host: Board, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    tool("gcc")
    own = replace(host, file="mine.toml")
    with pytest.raises(UsageError, match="refused the firmware for your board host") as caught:
        build(program(own, tmp_path / "a", "int main(void) { return nothing; }"), tmp_path / "w")
    assert "mine.toml" in caught.value.hints[0]
    assert any("nothing" in line for line in caught.value.why)


def test_the_users_library_is_linked_and_its_headers_are_for_its_family(
    host: Board, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    tool("gcc")
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "arm.h").write_text("int answer(void);")
    (tmp_path / "answer.c").write_text("int answer(void) { return 42; }")
    archive = tmp_path / "lib.a"
    for command in (["gcc", "-c", "answer.c", "-o", "answer.o"], ["ar", "rc", archive, "answer.o"]):
        subprocess.run([tool(command[0]), *command[1:]], cwd=tmp_path, check=True)
    made = program(host, tmp_path / "a", "int call(void); int main(void) { return call(); }")
    family = tmp_path / "cmsis_nn"
    family.mkdir()
    (family / "call.c").write_text(
        '#include "arm.h"\nint call(void); int call(void) { return answer(); }'
    )
    library = Library(archive, tmp_path / "include")
    both = replace(made, sources=(*made.sources, family / "call.c"), library=library)
    elf, _ = build(both, tmp_path / "w")
    assert subprocess.run([elf], check=False).returncode == 42
    with pytest.raises(DeployerError, match="the compiler refused generated code"):
        build(program(host, tmp_path / "b", '#include "arm.h"\n' + MAIN), tmp_path / "w")
    (tmp_path / "include" / "arm.h").write_text("int other(void);")
    with pytest.raises(BenchError, match="are not those of the CMSIS-NN"):
        build(both, tmp_path / "w")
    archive.unlink()
    subprocess.run([tool("ar"), "rc", archive], check=True)
    (tmp_path / "include" / "arm.h").write_text("int answer(void);")
    with pytest.raises(BenchError, match=r"lib\.a lacks functions of CMSIS-NN") as caught:
        build(both, tmp_path / "w")
    assert caught.value.why == ("answer",)


def stand_in_for_ccache(folder: Path, monkeypatch: pytest.MonkeyPatch, then: str) -> Path:
    """Writes down what it is asked for, one line each, and does ``then``; returns the list."""
    folder.mkdir()
    asked = folder / "asked.txt"
    asked.touch()
    script = folder / "ccache"
    script.write_text(f'#!/bin/sh\necho "$@" >> {asked}\n{then}\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return asked


def test_objects_are_compiled_through_ccache_and_linked_without(
    host: Board, tmp_path: Path, tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tool("gcc")
    asked = stand_in_for_ccache(tmp_path / "bin", monkeypatch, 'exec "$@"')
    elf, tools = build(program(host, tmp_path / "a"), tmp_path / "w")
    (line,) = asked.read_text().splitlines()
    assert line.startswith(tools.gcc)
    assert f"-c {tmp_path}/a/main.c -o {tmp_path}/w/00-main.o" in line
    assert elf.is_file()


def test_a_cache_that_fails_stops_no_build(
    host: Board, tmp_path: Path, tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where its folder cannot be written; and the compiler's own words are reported."""
    tool("gcc")
    asked = stand_in_for_ccache(tmp_path / "bin", monkeypatch, "echo no room >&2; exit 1")
    elf, _ = build(program(host, tmp_path / "a"), tmp_path / "w")
    assert elf.is_file()
    with pytest.raises(DeployerError, match="nothing") as caught:
        build(program(host, tmp_path / "b", "int main(void) { return nothing; }"), tmp_path / "v")
    assert "no room" not in str(caught.value)
    assert len(asked.read_text().splitlines()) == 2


def test_ccache_gives_the_bytes_of_the_compiler(
    host: Board, tmp_path: Path, tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tool("gcc")
    tool("ccache")
    monkeypatch.setenv("CCACHE_DIR", str(tmp_path / "cache"))
    made = [build(program(host, tmp_path / "a"), tmp_path / f"w{i}")[0] for i in range(2)]
    monkeypatch.setenv("CCACHE_DISABLE", "1")
    plain, _ = build(program(host, tmp_path / "a"), tmp_path / "plain")
    assert {elf.read_bytes() for elf in made} == {plain.read_bytes()}
    told = subprocess.run(["ccache", "--print-stats"], capture_output=True, text=True, check=True)
    assert re.search(r"^(direct|preprocessed)_cache_hit\s+1$", told.stdout, re.MULTILINE)
