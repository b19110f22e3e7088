"""Reading board files: what a user gets wrong is named with file, key and a remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.board.load import board_names, load_board, load_twin
from deployer.board.model import Wait
from deployer.errors import UsageError

GOOD = """
schema      = 1
name        = "desk"
description = "a board of the tests"
core        = "cortex-m7"
clock_hz    = 1_000_000
port        = "mps2"
kernels     = ["ref"]
[toolchain]
prefix  = "arm-none-eabi-"
package = "gcc-arm-none-eabi"
[[memory]]
name   = "flash"
base   = 0x0000_0000
size   = "64KiB"
access = "rx"
[[memory]]
name   = "ram"
base   = 0x2000_0000
size   = "16KiB"
access = "rw"
[place]
text    = "flash"
weights = "flash"
data    = "ram"
stack   = "ram"
arena   = "ram"
[stack]
size = "1KiB"
[runners.qemu_system]
twin = "qemu-mps2-an500"
"""

WAIT = 'wait = {{ cycles_per_byte = {1}, kind = "{0}", source = "a guess" }}\n[place]'


def write(folder: Path, text: str) -> Path:
    (folder / "desk.toml").write_text(text)
    return folder


def refusal(folder: Path, old: str, new: str) -> str:
    assert old in GOOD
    with pytest.raises(UsageError) as error:
        load_board("desk", write(folder, GOOD.replace(old, new, 1)))
    return str(error.value)


def test_a_board_of_the_user_is_found_and_offered(tmp_path: Path) -> None:
    board = load_board("desk", write(tmp_path, GOOD.replace('"ram"', '"sram"')))
    assert board.memory("sram").size == 16 * 1024
    assert board.place.arena == ("sram",)
    assert "desk" in board_names(tmp_path)
    assert load_twin(board, "qemu_system").name == "qemu-mps2-an500"
    assert load_twin(board, "host") is board


def test_the_users_folder_comes_first(tmp_path: Path) -> None:
    (tmp_path / "gap8.toml").write_text(GOOD.replace("desk", "gap8"))
    assert load_board("gap8", tmp_path).description == "a board of the tests"


def test_an_unknown_board_gets_the_nearest_name() -> None:
    with pytest.raises(UsageError) as error:
        load_board("nucleo-f746zi")
    assert "did you mean nucleo-f767zi?" in error.value.hints[0]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("clock_hz ", "clock_khz ", "did you mean 'clock_hz'?"),
        ('size   = "64KiB"', "size   = 65536", "size is 65536"),
        ('size   = "64KiB"', 'size   = "64kB"', "bytes with a unit"),
        ('arena   = "ram"', 'arena   = "dram"', "[place] names 'dram'"),
        ("base   = 0x2000_0000", "base   = 0x0000_8000", "flash and ram overlap"),
        ('name   = "ram"', 'name   = "flash"', "two memories of one name"),
        ("schema      = 1", "schema      = 2", "this version reads 1"),
        ('port        = "mps2"\n', "", "lacks the key 'port'"),
        ("[place]", "[place", "not TOML"),
        ("[place]", WAIT.format("guessed", 1.0), 'memory[1].wait.kind is "guessed"'),
        ("[place]", WAIT.format("estimated", -1), "memory[1].wait.cycles_per_byte is -1"),
        ("[place]", WAIT.format("estimated", 1.0).replace("source", "src"), "unknown key 'src'"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, old: str, new: str, says: str) -> None:
    text = refusal(tmp_path, old, new)
    assert says in text
    assert "desk.toml" in text


def test_what_a_memory_makes_wait_is_read_with_its_source(tmp_path: Path) -> None:
    text = GOOD.replace("[place]", WAIT.format("estimated", 0.5), 1)
    board = load_board("desk", write(tmp_path, text))
    assert board.memory("ram").wait == Wait(0.5, "estimated", "a guess")
    assert board.memory("flash").wait is None


def test_a_board_may_name_a_memory_for_code(tmp_path: Path) -> None:
    assert load_board("desk", write(tmp_path, GOOD)).place.hot == ""
    named = GOOD.replace("[stack]", 'hot = "flash"\n[stack]')
    assert load_board("desk", write(tmp_path, named)).place.hot == "flash"
    assert "'attic'" in refusal(tmp_path, "[stack]", 'hot = "attic"\n[stack]')


TIMING = """
[timing]
pipeline      = "cortex-m7"
data_cache    = { size = "4KiB", ways = 4, line = 32 }
code_cache    = { size = "8KiB", ways = 2, line = 32 }
tight         = "ram"
misprediction = 7
data_miss     = 12.5
fetch_miss    = 11
error         = 0.15
ratio_error   = 0.08
"""


def test_a_board_may_say_how_long_things_take(tmp_path: Path) -> None:
    assert load_board("desk", write(tmp_path, GOOD)).timing is None
    timing = load_board("desk", write(tmp_path, GOOD + TIMING)).timing
    assert timing is not None
    assert (timing.data_cache.size, timing.code_cache.ways, timing.tight) == (4096, 2, "ram")
    assert (timing.costs.data_miss, timing.error) == (12.5, 0.15)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"cortex-m7"', '"cortex-m4"', 'timing.pipeline is "cortex-m4"'),
        ('"4KiB", ways = 4', '"4KiB", ways = 3', "whole number of sets"),
        ("ways = 2, line = 32", "ways = 2, line = 64", "different lines"),
        ("ways = 4, ", "", "lacks the key 'timing.data_cache.ways'"),
        ("fetch_miss ", 'tight_code = "rum"\nfetch_miss ', "'rum'"),
        ("line = 32 }\ncode", "lines = 32 }\ncode", "did you mean 'line'?"),
        ('"ram"', '"rum"', "'rum'"),
        ("= 12.5", "= -1", "timing.data_miss is -1"),
        ("= 12.5", '= "12"', "data_miss"),
        ("0.15", "15", "a share"),
        ("fetch_miss    = 11\n", "", "lacks the key 'timing.fetch_miss'"),
        ("misprediction", "mispredicted", "did you mean 'misprediction'?"),
    ],
)
def test_a_damaged_timing_table_is_refused(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert old in TIMING
    with pytest.raises(UsageError) as error:
        load_board("desk", write(tmp_path, GOOD + TIMING.replace(old, new, 1)))
    assert said in str(error.value)
    assert "desk.toml" in str(error.value)
