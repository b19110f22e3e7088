"""What a rendered linker script holds; that it links is for tests/emulated/firmware."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from deployer.board.load import load_board
from deployer.board.model import OUTER, Board
from deployer.board.served import port_defines
from deployer.codegen.linker import linker_script
from deployer.errors import UsageError

LINKED = ["nucleo-f767zi", "qemu-mps2-an500", "gap8", "qemu-riscv32-virt"]


@pytest.fixture(params=LINKED)
def board(request: pytest.FixtureRequest) -> Board:
    return load_board(request.param)


def test_every_memory_has_its_base_and_size(board: Board) -> None:
    script = linker_script(board, {})
    regions = re.findall(r"(\w+) \((\w+)\) : ORIGIN = (0x[0-9a-f]+), LENGTH = (\d+)", script)
    expected = [(m.name, m.access, m.base, m.size) for m in board.memories if m.level != OUTER]
    assert [(n, a, int(base, 16), int(size)) for n, a, base, size in regions] == expected


def test_the_same_input_gives_the_same_bytes(board: Board) -> None:
    names = board.place.arena
    forward = dict.fromkeys(names, 64)
    backward = dict.fromkeys(reversed(names), 64)
    assert linker_script(board, forward) == linker_script(board, backward)


def test_nothing_of_the_template_language_is_left(board: Board) -> None:
    script = linker_script(board, dict.fromkeys(board.place.arena, 64))
    assert not re.search(r"\{\{|\{%|%\}", script)


def test_sections_go_where_the_board_places_them(board: Board) -> None:
    script = linker_script(board, {})
    place = board.place
    for section, memory in [
        (".text", place.text),
        (".dpl_weights", place.weights),
        (".stack", place.stack),
        (".bss", place.data),
    ]:
        body = re.search(rf"\n    {re.escape(section)} .*?\n    \}} > (\w+)", script, re.DOTALL)
        assert body is not None
        assert body[1] == memory


def test_an_arena_gets_a_section_and_its_size_an_assert(board: Board) -> None:
    memory = board.place.arena[0]
    script = linker_script(board, {memory: 12345})
    assert f"*(.dpl_arena.{memory})" in script
    assert f"ASSERT(SIZEOF(.dpl_arena.{memory}) == 12345" in script


def test_an_empty_arena_gets_no_section(board: Board) -> None:
    assert linker_script(board, {board.place.arena[0]: 0}) == linker_script(board, {})


def test_the_stack_is_the_boards_unless_told(board: Board) -> None:
    assert f". += {board.stack_bytes};" in linker_script(board, {})
    assert ". += 3072;" in linker_script(board, {}, stack_bytes=3072)


def test_initial_values_take_flash_only_where_data_is_elsewhere() -> None:
    flash = linker_script(load_board("nucleo-f767zi"), {})
    assert "SIZEOF(.text) + SIZEOF(.data) + SIZEOF(.dpl_weights) <= LENGTH(flash)" in flash
    assert linker_script(load_board("gap8"), {}).count("SIZEOF(.data) + SIZEOF(.bss)") == 2


def test_asserts_say_whose_mistake_it_is(board: Board) -> None:
    script = linker_script(board, dict.fromkeys(board.place.arena, 64))
    messages = re.findall(r'"([^"]*)"\)', script)
    assert messages
    assert all(message.startswith(("ERROR: ", "BUG: ")) for message in messages)


def test_a_hosted_board_has_no_script() -> None:
    with pytest.raises(UsageError, match="board 'rpi3' has no linker template"):
        linker_script(load_board("rpi3"), {})


def test_a_missing_template_is_named(board: Board) -> None:
    with pytest.raises(UsageError, match=r"link/none\.ld\.j2"):
        linker_script(replace(board, linker="link/none.ld.j2"), {})


def test_an_arena_in_a_memory_without_arenas_is_refused(board: Board) -> None:
    with pytest.raises(UsageError, match="'attic'") as error:
        linker_script(board, {"attic": 64})
    assert board.place.arena[0] in error.value.hints[0]


def test_copied_weights_in_a_memory_without_copies_are_refused(board: Board) -> None:
    bare = replace(board, place=replace(board.place, copies=()))
    with pytest.raises(UsageError, match="copied weights into 'attic'") as error:
        linker_script(bare, {}, copied=["attic"])
    assert error.value.hints == (f"{board.name} allows no memory",)


def test_hot_code_without_a_memory_for_it_is_refused(board: Board) -> None:
    bare = replace(board, place=replace(board.place, hot=""))
    with pytest.raises(UsageError, match=r"no memory for code in \[place\] hot"):
        linker_script(bare, {}, itcm_file="hot.ld")


def test_a_memory_name_that_no_linker_takes_is_refused(board: Board) -> None:
    odd = replace(board.memories[0], name="on-chip")
    with pytest.raises(UsageError, match="'on-chip'"):
        linker_script(replace(board, memories=(odd, *board.memories[1:])), {})


@pytest.mark.parametrize("name", ["nucleo-f767zi", "qemu-mps2-an500"])
def test_what_is_free_below_the_stack_is_what_the_ports_mpu_guards(name: str) -> None:
    """A region of ARMv7-M's MPU begins at a multiple of its size, a power of two."""
    board = load_board(name)
    found = re.search(
        r"\.stack \(NOLOAD\) : ALIGN\((\d+)\)\s+\{\s+dpl_stack_guard = \.;\s+\. \+= (\d+);",
        linker_script(board, {}),
    )
    assert found
    aligned, free = map(int, found.groups())
    assert aligned == free == int(port_defines(board)["DPL_GUARD_BYTES"].removesuffix("u"))
    assert free & (free - 1) == 0
