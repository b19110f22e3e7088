"""Which flags a board file may give the compiler and the linker."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.board.load import load_board
from deployer.errors import UsageError
from deployer.resources import data_root

NUCLEO = (data_root() / "boards" / "nucleo-f767zi.toml").read_text()

GOOD = {
    "cflags": "-mcpu=cortex-m7 -DX=1 -UX -O2 -g -Ifolder -ffast-math -Wall -std=c11 -nostdinc",
    "ldflags": "-n -nostartfiles -static -lc -Lfolder -mthumb -flto --specs=nano.specs "
    "-specs=nano.specs -Wl,--gc-sections -Wl,-z,norelro",
}
LONG = 200 * "x"
BAD = {
    "cflags": "-o -c main.c -fplugin=evil.so -fdump-tree-all -fprofile-use -fcallgraph-info "
    rf"-Wl,-Map=x -Wp,-MD,x -Wa,-al=x -std -mcpu=\u0007 @file -D{LONG}",
    "ldflags": "-o -T -e -s -xc -fplugin=evil.so -fdump-rtl-all -fprofile-generate -Wl,-Map=x "
    "-Wl,-o,x -Wl,--output=x -Wl,-plugin,x -Wl,@x -Wl,--gc-sections,-Map=x --spec=x -W "
    f"-l{LONG}",
}


def _each(flags: dict[str, str]) -> list[tuple[str, str]]:
    return [(key, flag) for key, text in flags.items() for flag in text.split()]


def _with(key: str, flag: str, folder: Path) -> Path:
    """A folder with the nucleo's file, whose list ``key`` is ``flag`` alone."""
    head, _, rest = NUCLEO.partition(f"\n{key}")
    assert rest, key
    text = f'{head}\n{key} = ["{flag}"]' + rest.partition("]")[2]
    (folder / "nucleo-f767zi.toml").write_text(text)
    return folder


@pytest.mark.parametrize(("key", "flag"), _each(GOOD))
def test_flags_of_code_and_link_are_taken(key: str, flag: str, tmp_path: Path) -> None:
    board = load_board("nucleo-f767zi", _with(key, flag, tmp_path))
    assert getattr(board.toolchain, key) == (flag,)


@pytest.mark.parametrize(("key", "flag"), _each(BAD))
def test_flags_that_name_outputs_or_plugins_are_refused(
    key: str, flag: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=rf"toolchain.{key}\[0\]"):
        load_board("nucleo-f767zi", _with(key, flag, tmp_path))
