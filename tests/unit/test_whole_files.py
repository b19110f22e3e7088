"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deployer.errors import UsageError
from deployer.files import write_file


@pytest.mark.parametrize("content", ["größe\n", b"\x00\xff"])
def test_texts_and_bytes_are_written_and_replaced(tmp_path: Path, content: str | bytes) -> None:
    path = tmp_path / "file"
    path.write_text("older")
    write_file(path, content)
    assert path.read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_folders_are_made_only_where_that_is_asked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot write"):
        write_file(tmp_path / "new" / "deep" / "file", "x")
    write_file(tmp_path / "new" / "deep" / "file", "x", parents=True)
    write_file(tmp_path / "new" / "deep" / "file", "y", parents=True)
    assert (tmp_path / "new" / "deep" / "file").read_text() == "y"


def test_a_folder_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(UsageError, match=r"cannot write .*there") as caught:
        write_file(tmp_path / "there", "x")
    assert caught.value.why == ("it is a folder",)
    assert caught.value.hints == ("it is a folder: give a file",)
    assert [each.name for each in tmp_path.iterdir()] == ["there"]


def test_what_killed_writers_left_goes_and_nothing_else(tmp_path: Path) -> None:
    """A number that no process has, one that lives, and names of others."""
    dead, mine = f".a[b].{1 << 22}", f".a[b].{os.getpid()}"
    kept = [".a[b].old", f".ab.{1 << 22}", f"a[b].{1 << 22}"]
    for name in (dead, mine, *kept):
        (tmp_path / name).write_text("left")
    write_file(tmp_path / "a[b]", "x")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["a[b]", *kept])


def test_a_write_that_fails_leaves_the_older_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_text("older")

    def refuse(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(Exception, match="cannot write"):
        write_file(path, "newer")
    assert path.read_text() == "older"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
