"""The least and the most that each key of a board file takes, and what is just beyond."""

from __future__ import annotations

import copy
import tomllib
from typing import Any

import pytest

from deployer.board.load import load_board
from deployer.board.sections import board_table
from deployer.board.timing import timing_of
from deployer.errors import UsageError
from deployer.resources import data_root

BOARDS = {
    name: tomllib.loads((data_root() / "boards" / f"{name}.toml").read_text())
    for name in ("gap8", "nucleo-f767zi", "rpi3")
}
TIB = "1048576MiB"
FLAG = "-D" + "x" * 198
LIMITS: list[tuple[str, str, list[Any], list[Any]]] = [
    ("gap8", "name", ["a", "x" * 64], ["", "x" * 65, "-a", "a b"]),
    ("gap8", "core", ["1", "x.y_z-1"], ["_", "x" * 65]),
    ("gap8", "description", ["", "x" * 500], ["x" * 501, "two\nlines"]),
    ("gap8", "clock_hz", [0, 10**11], [-1, 10**11 + 1]),
    ("gap8", "cores", [1, 64], [0, 65]),
    ("gap8", "twin_of", ["", "x" * 64], ["x" * 65]),
    ("gap8", "stack.size", ["256B", TIB], ["255B", "1048577MiB"]),
    ("gap8", "memory.0.name", ["_", "x" * 32], ["x" * 33, "1a", "a-b"]),
    ("gap8", "memory.0.base", [0, 1 << 40], [-1, (1 << 40) + 1]),
    ("gap8", "memory.0.size", ["1B", TIB], ["0B", "1048577MiB"]),
    ("gap8", "memory.0.level", [0, 1, 2], [-1, 3]),
    ("gap8", "memory.0.access", ["r", "rwx", "xr"], ["w", "rr", "rwxr", ""]),
    ("gap8", "dma.0.bytes_per_cycle", [0.001, 10_000], [0, 10_001]),
    ("gap8", "dma.0.setup_cycles", [0, 1_000_000], [-1, 1_000_001]),
    ("gap8", "dma.0.line_cycles", [0, 1_000_000], [-1, 1_000_001]),
    ("gap8", "cost.cpi", [0.001, 1000], [0, 1001]),
    ("nucleo-f767zi", "cost.kernel_code", ["1B", TIB], ["0B", "1048577MiB"]),
    ("gap8", "toolchain.prefix", ["", "x" * 200], ["x" * 201, "a b"]),
    ("gap8", "toolchain.cflags", [[], [FLAG]], [[f"{FLAG}x"], ["-Wl,x"], ["-o"]]),
    ("gap8", "toolchain.ldflags", [["-L" + "x" * 198]], [["-L" + "x" * 199], ["-Wl,-Map=x"]]),
    ("gap8", "place.arena", ["l2", ["l2"]], [[], ["x" * 33]]),
    ("nucleo-f767zi", "timing.data_miss", [0, 1e6], [-1, 1e6 + 1]),
    ("rpi3", "timing.outer.miss", [0, 1e6], [-1, 1e6 + 1]),
    ("rpi3", "timing.outer.cache.ways", [1, 1024], [0, 1025]),
    ("nucleo-f767zi", "timing.error", [0.001, 0.999], [0.0, 1.0, 1]),
    ("nucleo-f767zi", "timing.data_cache.ways", [1, 1024], [0, 1025]),
    ("nucleo-f767zi", "timing.data_cache.line", [1, 4096], [0, 4097]),
    ("nucleo-f767zi", "timing.data_cache.size", ["1B", "1024MiB"], ["0B", "1025MiB"]),
    ("nucleo-f767zi", "runners.x", [{"icount": 0}, {"icount": 10}, {"icount": "auto"}],
     [{"icount": -1}, {"icount": 11}, {"icount": True}, {"icount": "\n"}]),
    ("nucleo-f767zi", "runners.y", [{"frequency": 1}, {"frequency": 10**9}],
     [{"frequency": 0}, {"frequency": 10**9 + 1}]),
    ("nucleo-f767zi", "runners.z", [{"baud": 1}, {"baud": 10**8}],
     [{"baud": 0}, {"baud": 10**8 + 1}]),
    ("nucleo-f767zi", "memory.0.wait", [
        {"cycles_per_byte": each, "kind": "measured", "source": "x"} for each in (0, 1000)
    ], [{"cycles_per_byte": each, "kind": "measured", "source": "x"} for each in (-1, 1001)]),
]  # fmt: skip


def changed(board: str, path: str, value: Any) -> dict[str, Any]:
    table = copy.deepcopy(BOARDS[board])
    *way, last = path.split(".")
    inside: Any = table
    for key in way:
        inside = inside[int(key)] if key.isdigit() else inside[key]
    inside[last] = value
    return table


@pytest.mark.parametrize(("board", "path", "taken", "beyond"), LIMITS, ids=lambda v: str(v)[:30])
def test_what_is_at_a_limit_is_taken_and_what_is_beyond_refused(
    board: str, path: str, taken: list[Any], beyond: list[Any]
) -> None:
    for value in taken:
        board_table().check(changed(board, path, value), "")
    for value in beyond:
        with pytest.raises(UsageError, match=path.split(".")[-1]):
            board_table().check(changed(board, path, value), "")


def test_what_a_board_does_not_state_is_nothing() -> None:
    host = load_board("host")
    assert (host.cores, host.dmas, host.twin_of, host.timing) == (1, (), "", None)
    assert {memory.level for memory in host.memories} == {0}
    nucleo = load_board("nucleo-f767zi")
    assert (nucleo.cores, nucleo.requant) == (1, BOARDS["nucleo-f767zi"].get("requant", "auto"))


@pytest.mark.parametrize("ways", [3, 4, 8])
def test_a_cache_is_whole_sets(ways: int) -> None:
    table = changed("nucleo-f767zi", "timing.data_cache.ways", ways)["timing"]
    memories = load_board("nucleo-f767zi").memories
    if ways == 3:
        with pytest.raises(UsageError, match=r"timing\.data_cache is not a whole number of sets"):
            timing_of(table, memories)
    else:
        assert timing_of(table, memories).data_cache.ways == ways


@pytest.mark.parametrize(
    ("board", "key", "line"),
    [("nucleo-f767zi", "timing.data_cache.line", 64), ("rpi3", "timing.outer.cache.line", 32)],
)
def test_all_caches_have_one_line(board: str, key: str, line: int) -> None:
    table = changed(board, key, line)["timing"]
    with pytest.raises(UsageError, match="caches of different lines"):
        timing_of(table, load_board(board).memories)


def test_a_second_cache_is_whole_sets_with_its_costs() -> None:
    memories = load_board("rpi3").memories
    with pytest.raises(UsageError, match=r"timing\.outer\.cache is not a whole number of sets"):
        timing_of(changed("rpi3", "timing.outer.cache.ways", 3)["timing"], memories)
    outer = timing_of(changed("rpi3", "timing.outer.miss", 50)["timing"], memories).outer
    assert outer is not None
    assert (outer.miss, outer.cache.size) == (50.0, 512 * 1024)
