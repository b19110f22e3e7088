"""The user's own build of CMSIS-NN: which files it is, and what complaints about it mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.board.load import load_board
from deployer.build.cmsis_nn import (
    HEADER,
    VARIABLE,
    Library,
    checked,
    header_misfit,
    library_of,
    link_misfit,
)
from deployer.errors import UsageError

BOARD = load_board("nucleo-f767zi")


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.delenv(VARIABLE, raising=False)
    (tmp_path / "Include").mkdir()
    (tmp_path / "Include" / HEADER).touch()
    (tmp_path / "lib,nn.a").write_bytes(b"!<arch>\n")
    return Library(tmp_path / "lib,nn.a", tmp_path / "Include")


def test_a_library_is_that_of_the_options(library: Library) -> None:
    assert library_of(library.archive, library.include) == library


def test_what_no_option_says_the_environment_does(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last comma divides the two."""
    monkeypatch.setenv(VARIABLE, f"{library.archive},{library.include}")
    assert library_of(None, None) == library
    assert library_of(library.archive, None) == library
    assert library_of(None, library.include) == library
    monkeypatch.setenv(VARIABLE, "absent.a,absent")
    assert library_of(library.archive, library.include) == library
    with pytest.raises(UsageError, match=r"no file absent\.a"):
        library_of(None, library.include)
    with pytest.raises(UsageError, match=rf"no file absent/{HEADER}"):
        library_of(library.archive, None)


def test_none_at_all_is_refused_with_both_ways_to_give_one(library: Library) -> None:
    with pytest.raises(UsageError, match="no library is given") as caught:
        library_of(None, library.include)
    assert any(VARIABLE in hint for hint in caught.value.hints)
    with pytest.raises(UsageError, match="no headers are given") as caught:
        library_of(library.archive, None)
    assert any("--cmsis-nn-include" in hint for hint in caught.value.hints)


def test_an_archive_that_is_none_is_refused(library: Library) -> None:
    library.archive.write_bytes(b"\x7fELF")
    with pytest.raises(UsageError, match=r"--kernels: .*lib,nn\.a is not a library"):
        checked(library, "--kernels")


@pytest.mark.parametrize(
    ("lines", "what", "why"),
    [
        (
            ["a.c: undefined reference to `arm_a'", "undefined reference to 'arm_b'"] * 2,
            "lacks functions of CMSIS-NN",
            "arm_a, arm_b",
        ),
        (
            [f"undefined reference to `f{i}'" for i in range(9)],
            "lacks functions of CMSIS-NN",
            "f0, f1, f2, f3, f4, f5, f6, f7",
        ),
        (
            ["x.o uses VFP register arguments, y does not", "failed to merge"],
            "another floating-point ABI than nucleo-f767zi",
            "x.o uses VFP register arguments, y does not",
        ),
        (["file in wrong format"], "does not link with the network", "file in wrong format"),
    ],
    ids=["absent", "many", "abi", "other"],
)
def test_a_linkers_complaint_says_what_is_wrong_with_it(
    library: Library, lines: list[str], what: str, why: str
) -> None:
    error = link_misfit(library, BOARD)(lines)
    assert (error.what.startswith("lib,nn.a"), error.why) == (True, (why,))
    assert what in error.what
    assert error.hints


def test_long_complaints_are_cut(library: Library) -> None:
    lines = [f"line {number}" for number in range(20)]
    assert link_misfit(library, BOARD)(lines).why == tuple(lines[:8])
    error = header_misfit(library)(lines)
    assert error.why == tuple(lines[:8])
    assert str(library.include) in error.what
