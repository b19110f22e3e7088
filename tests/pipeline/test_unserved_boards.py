"""A board file whose chip no port serves: nothing is compiled for it, its plans are made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deployer.resources import data_root

Run = Callable[..., Any]


@pytest.fixture
def h743(tmp_path: Path) -> tuple[str, ...]:
    """Options that name a NUCLEO-H743ZI, copied from the nucleo with its own clock and memories."""
    text = (data_root() / "boards" / "nucleo-f767zi.toml").read_text()
    for old, new in (
        ('"nucleo-f767zi"', '"nucleo-h743zi"'),
        ("216_000_000", "400_000_000"),
        ("0x2002_0000", "0x2400_0000"),
        ('"384KiB"', '"512KiB"'),
        ('"16KiB"\naccess = "rx"', '"64KiB"\naccess = "rx"'),
    ):
        assert old in text
        text = text.replace(old, new, 1)
    (tmp_path / "nucleo-h743zi.toml").write_text(text)
    return "-b", "nucleo-h743zi", "--board-dir", str(tmp_path)


@pytest.mark.parametrize("command", ["build", "run", "flash"])
def test_no_image_is_built_for_a_chip_that_the_port_does_not_serve(
    deployer: Run, h743: tuple[str, ...], small_model: Path, tmp_path: Path, command: str
) -> None:
    done = deployer(command, *h743, "-o", tmp_path / "build", small_model)
    assert done.status == 2
    assert "nucleo-h743zi.toml: port stm32f7 does not serve board nucleo-h743zi" in done.err
    assert "clock_hz is 400,000,000, the port sets 54,000,000 or " in done.err
    assert "copy firmware/ports/stm32f7 to firmware/ports/NAME" in done.err
    assert not list(tmp_path.rglob("*.elf"))


def test_its_memory_is_planned_with_a_word_of_warning(
    deployer: Run, h743: tuple[str, ...], small_model: Path
) -> None:
    done = deployer("check", *h743, small_model)
    assert done.status == 0
    assert "deployer build refuses nucleo-h743zi, which port stm32f7 does not serve" in done.err


def test_a_library_needs_no_port(
    deployer: Run, h743: tuple[str, ...], small_model: Path, tmp_path: Path
) -> None:
    done = deployer(
        *("build", *h743, "-o", tmp_path / "build", "--library", tmp_path / "net", small_model)
    )
    assert done.status == 0, done.err
    assert list((tmp_path / "net").glob("*.h"))
