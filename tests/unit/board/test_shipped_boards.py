"""The board files that ship."""

from __future__ import annotations

import pytest

from deployer.board.load import board_folders, board_names, load_board, load_twin
from deployer.board.model import OUTER, Board
from deployer.resources import data_root
from deployer_hil.runner import BUILTIN

FILES = sorted(path.stem for folder in board_folders() for path in folder.glob("*.toml"))
SAME_CORE = ["nucleo-f767zi"]  # as its twin, instruction for instruction


@pytest.fixture(params=FILES)
def board(request: pytest.FixtureRequest) -> Board:
    return load_board(request.param)


def test_the_boards_of_the_product_are_there() -> None:
    assert {"nucleo-f767zi", "gap8", "rpi3", "rpi3-32", "host"} <= set(board_names())


def test_twins_are_not_offered_as_boards() -> None:
    twins = [name for name in FILES if load_board(name).twin_of]
    assert twins
    assert not set(twins) & set(board_names())


def test_the_file_is_named_after_the_board(board: Board) -> None:
    assert board.name in FILES


def test_port_and_template_exist(board: Board) -> None:
    assert (data_root() / "firmware" / "ports" / board.port).is_dir()
    assert not board.linker or (data_root() / "boards" / board.linker).is_file()


def test_every_board_runs_somewhere(board: Board) -> None:
    assert board.runners
    assert set(board.runners) <= set(BUILTIN)


def test_emulators_name_program_and_package(board: Board) -> None:
    for runner in {"qemu_system", "qemu_user"} & set(board.runners):
        options = load_twin(board, runner).runners[runner]
        assert str(options["program"]).startswith("qemu-")
        assert options["package"]


@pytest.mark.parametrize(
    ("name", "runner"),
    [
        (name, runner)
        for name in FILES
        for runner, options in load_board(name).runners.items()
        if "twin" in options
    ],
)
def test_a_twin_stands_for_its_board(name: str, runner: str) -> None:
    """A plan made for the board is valid on the twin: same memories, places and cores, and the
    memory of the stack holds the twin's beside what the plan puts there. What no core of the board
    can address, those of its twin can, or it lacks it."""
    board = load_board(name)
    twin = load_twin(board, runner)
    assert twin.twin_of == board.name
    assert [(m.name, m.size, m.level) for m in twin.memories] == [
        (m.name, m.size, 0 if m.level == OUTER else m.level)
        for m in board.memories
        if m.level != OUTER or m.name in {own.name for own in twin.memories}
    ]
    assert twin.place == board.place
    assert twin.stack_bytes >= board.stack_bytes
    assert twin.stack_bytes == board.stack_bytes or board.place.stack not in board.place.arena
    assert twin.cores == board.cores
    assert twin.linker == board.linker
    assert set(twin.kernels) <= set(board.kernels)
    assert twin.toolchain.prefix == board.toolchain.prefix


@pytest.mark.parametrize("name", SAME_CORE)
def test_a_twin_with_the_same_core_runs_the_same_code(name: str) -> None:
    board = load_board(name)
    twin = load_twin(board, "qemu_system")
    assert twin.stack_bytes == board.stack_bytes
    assert twin.kernels == board.kernels
    assert twin.toolchain == board.toolchain


def test_sections_fit_the_access_of_their_memory(board: Board) -> None:
    place = board.place
    assert "x" in board.memory(place.text).access
    for name in (place.data, place.stack, *place.arena):
        assert "w" in board.memory(name).access
    if place.hot:
        assert board.memory(place.hot).access == "rx"  # no data: its address may be 0


def test_the_stack_fits_its_memory(board: Board) -> None:
    assert 0 < board.stack_bytes < board.memory(board.place.stack).size


def test_cores_share_the_stack_in_whole_lines(board: Board) -> None:
    assert board.stack_bytes % (16 * board.cores) == 0
