"""Board files that nobody vetted: each key is refused by its path, with what it takes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deployer.board.load import board_names, find_board, load_board, load_twin
from deployer.errors import UsageError
from deployer.resources import data_root

SHIPPED = data_root() / "boards"
GAP8 = (SHIPPED / "gap8.toml").read_text()


def loaded(folder: Path, text: str | bytes, name: str = "gap8") -> str:
    """What is said of the file."""
    data = text.encode() if isinstance(text, str) else text
    (folder / f"{name}.toml").write_bytes(data)
    with pytest.raises(UsageError) as failure:
        load_board(name, folder)
    assert f"{name}.toml" in failure.value.what
    assert failure.value.hints or failure.value.why, "nothing to go on"
    return str(failure.value)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("clock_hz", '"fast"', 'clock_hz is "fast"'),
        ("clock_hz", "-1", "permitted: an integer from 0"),
        ("clock_hz", "true", "clock_hz is true"),
        ("clock_hz", "1e6", "clock_hz is 1000000.0"),
        ("clock_hz", "1979-05-27", "clock_hz is date"),
        ("name", '"other"', "permitted: 'gap8'"),
        ("name", '"a/b"', 'name is "a/b"'),
        ("core", "[]", "core is []"),
        ("cores", "0", "cores is 0"),
        ("port", '"../../evil"', "permitted: one of gap8, linux"),
        ("port", '"cortex_m"', "permitted: one of gap8, linux"),
        ("linker", '"../../../etc/passwd"', "permitted: one of (nothing), link/"),
        ("linker", '"link/../../evil.j2"', "permitted: one of (nothing), link/"),
        ("kernels", '"ref"', "kernels is"),
        ("kernels", "[1]", "kernels[0] is 1"),
        ("requant", '"q99"', "permitted: one of auto"),
        ("twin_of", '"gap8"', "the board itself"),
        ("base", "-4", "memory[0].base is -4"),
        ("size", '"0B"', "memory[0].size"),
        ("size", '"99999999GiB"', "memory[0].size"),
        ("size", "65536", "memory[0].size"),
        ("access", '"rwz"', "memory[0].access"),
        ("level", "9", "memory[1].level"),
        ("setup_cycles", "-1", "dma[0].setup_cycles"),
        ("bytes_per_cycle", "0", "dma[0].bytes_per_cycle is 0"),
        ("bytes_per_cycle", "inf", "dma[0].bytes_per_cycle"),
        ("from", '"l9"', "dma[0].from names 'l9'"),
        ("cpi", "nan", "cost.cpi is NaN"),
        ("counts", '"../../evil"', "cost.counts"),
        ("arena", "[]", "place.arena is []"),
        ("arena", '["l2", "l2"]', "names a memory twice"),
        ("arena", '"l3"', "no core can address"),
        ("weights", "[]", "place.weights is []"),
        ("weights", "3", "place.weights is 3"),
        ("prefix", '"gcc; rm"', "toolchain.prefix"),
        ("cflags", '["-fplugin=evil.so"]', "toolchain.cflags[0]"),
        ("cflags", '["-o/evil"]', "toolchain.cflags[0]"),
        ("cflags", "1", "toolchain.cflags is 1"),
        ("ldflags", '["-Wl,-Map=/evil"]', "toolchain.ldflags[0]"),
        ("cable", "1979-05-27", "runners.openocd.cable is date"),
    ],
)
def test_a_value_is_refused_by_its_path(tmp_path: Path, key: str, value: str, said: str) -> None:
    text, count = re.subn(rf"(?m)^({key}\s*)=.*$", lambda m: f"{m[1]}= {value}", GAP8, count=1)
    assert count or key == "twin_of"
    assert said in loaded(tmp_path, text if count else f"{key} = {value}\n{GAP8}")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('[stack]\nsize = "8KiB"', '[stack]\nsize = "0B"', "stack.size"),
        ('[stack]\nsize = "8KiB"', '[stack]\nsize = "1MiB"', "memory l1 has 65,536 B"),
        ("[stack]\n", "[[stack]]\n", "stack is"),
        ("[place]", "[place]\nhott = 'l2'", "did you mean 'hot'?"),
        ("base   = 0x1000_0000", "base   = 0x1C00_1000", "0x1c001000 to 0x1c011000"),
        ('name   = "l1"', 'name   = "l2"', "two memories of one name"),
        ('access = "rw"\nlevel  = 1', 'access = "r"\nlevel  = 1', "lacks 'w'"),
        ('twin = "pulp-open"', 'twin = "gap8"', "runners.pulp_open.twin is 'gap8'"),
        ("[runners.gap8_sim]", "[runners.gap8_sim]\nwhen = 1979-05-27", "what JSON cannot"),
        ("[runners.gap8_sim]", "[runners.gap8_sim]\nx = nan", "what JSON cannot"),
        ("[toolchain]", "[[toolchain]]", "toolchain is"),
        ("[[memory]]", "[memory]", ""),
    ],
)
def test_a_table_is_refused_with_the_reason(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in GAP8
    assert said in loaded(tmp_path, GAP8.replace(old, new, 1))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'name = "\xff\xfe"', "byte 8 is not UTF-8"),
        (b"a = " + b"[" * 5000, "not TOML"),
        (b"clock_hz = " + b"9" * 6000, "not TOML"),
        (b"# " + b"x" * (1 << 20), "1,048,576 are read"),
        (b"", "lacks the key 'schema'"),
        (b"\x00\x1b[31m", "not TOML"),
    ],
)
def test_bytes_that_are_no_board_are_refused(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "gap8.toml").write_bytes(data)
    with pytest.raises(UsageError) as failure:
        load_board("gap8", tmp_path)
    assert said in str(failure.value)
    assert "gap8.toml" in str(failure.value)


def test_twins_of_each_other_are_refused(tmp_path: Path) -> None:
    for name, other in (("left", "right"), ("right", "left")):
        text = GAP8.replace('name        = "gap8"', f'name = "{name}"')
        text = text.replace('twin = "pulp-open"', f'twin = "{other}"')
        (tmp_path / f"{name}.toml").write_text(text)
    with pytest.raises(UsageError, match="names a twin for pulp_open itself"):
        load_twin(load_board("left", tmp_path), "pulp_open", tmp_path)


def test_a_twin_without_the_boards_memories_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gap8.toml").write_text(GAP8.replace('twin = "pulp-open"', 'twin = "rpi3"'))
    with pytest.raises(UsageError, match="lacks memory l1, l2"):
        load_twin(load_board("gap8", tmp_path), "pulp_open", tmp_path)


def test_a_broken_neighbour_does_not_hide_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text("schema = [")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(UsageError, match="did you mean rpi3"):
        find_board("rpi4", tmp_path)
    with pytest.raises(UsageError, match=r"broken\.toml"):
        board_names(tmp_path)
