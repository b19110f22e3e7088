"""The comparison of what two checkouts make: it sees a difference, and names its file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deployer.resources import data_root

PROGRAM = data_root() / "ci" / "same_output.py"
FILES = {"status": "status 0\n", "6-generate-network.c": "void dpl_transpose_words(int lead);\n"}


def made(folder: Path, **changes: str | None) -> Path:
    """A collected build in ``folder``, files changed or, with None, left out."""
    build = folder / "net-board-plain"
    build.mkdir(parents=True)
    for name, text in {**FILES, **changes}.items():
        if text is not None:
            (build / name).write_text(text)
    return folder


def compared(before: Path, after: Path, *options: str) -> tuple[int, str]:
    line = [sys.executable, str(PROGRAM), "compare", str(before), str(after), *options]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.returncode, done.stdout


def test_builds_that_are_alike_are_the_same(tmp_path: Path) -> None:
    found = compared(made(tmp_path / "a"), made(tmp_path / "b"))
    assert found == (0, "1 builds compared, 0 differ\n")


@pytest.mark.parametrize("text", ["void dpl_transpose_words(int lead) ;\n", "", None])
def test_a_text_that_differs_or_is_missing_is_named(text: str | None, tmp_path: Path) -> None:
    after = made(tmp_path / "b", **{"6-generate-network.c": text})
    status, said = compared(made(tmp_path / "a"), after)
    assert status == 1
    assert "net-board-plain: 6-generate-network.c" in said


def test_a_build_on_one_side_alone_differs(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    status, said = compared(made(tmp_path / "a"), tmp_path / "b")
    assert (status, "only in" in said) == (1, True)


def test_nothing_to_compare_is_no_success(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    assert compared(tmp_path / "a", tmp_path / "b")[0] == 1


def test_renamed_words_are_the_same_and_parts_of_words_are_not(tmp_path: Path) -> None:
    renames = tmp_path / "renames.txt"
    renames.write_text("# old new\nlead overlap_offset\nwords rows\n")
    before = made(tmp_path / "a")
    text = "void dpl_transpose_words(int overlap_offset);\n"
    after = made(tmp_path / "b", **{"6-generate-network.c": text})
    assert compared(before, after)[0] == 1
    assert compared(before, after, "--renames", str(renames))[0] == 0


def test_renamed_texts_of_more_than_a_word_are_replaced_where_they_stand(tmp_path: Path) -> None:
    renames = tmp_path / "renames.txt"
    renames.write_text(".old .new\n")
    files = {"6-generate-network.c": "/* old */ x.old = 1;\n"}
    before = made(tmp_path / "a", **files)
    after = made(tmp_path / "b", **{"6-generate-network.c": "/* old */ x.new = 1;\n"})
    assert compared(before, after)[0] == 1
    assert compared(before, after, "--renames", str(renames))[0] == 0
