"""Folders are written whole, mended after a kill, and held by one process at a time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from deployer import folders
from deployer.errors import UsageError
from deployer.folders import clean, held, remove_of_dead, write_folder

_HOLDER = """
import sys
from pathlib import Path
from deployer.folders import held
with held(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def with_text(text: str) -> folders.Callable[[Path], None]:
    def fill(folder: Path) -> None:
        (folder / "x").write_text(text)

    return fill


@pytest.fixture(params=[True, False], ids=["exchange", "two renames"])
def _swaps(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not request.param:
        monkeypatch.setattr(folders, "_exchange", lambda one, other: False)


@pytest.mark.usefixtures("_swaps")
def test_a_folder_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "new" / "target"
    for text in ("one", "two"):
        write_folder(target, with_text(text))
        assert (target / "x").read_text() == text
        assert [path.name for path in target.parent.iterdir()] == ["target"]


def test_a_failed_write_leaves_the_earlier_folder(tmp_path: Path) -> None:
    target = tmp_path / "target"
    write_folder(target, with_text("kept"))

    def fail(folder: Path) -> None:
        (folder / "x").write_text("half")
        raise OSError("disk full")

    with pytest.raises(UsageError, match=rf"cannot write {target}\n  disk full"):
        write_folder(target, fail)
    assert (target / "x").read_text() == "kept"
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


def test_what_a_killed_writer_left_is_mended(tmp_path: Path) -> None:
    for name in (".4-plan.77.new", ".5-tile.77.old", ".6-run.77.old", "6-run", ".mine"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x").write_text(name)
    clean(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".mine", "5-tile", "6-run"]
    assert (tmp_path / "5-tile" / "x").read_text() == ".5-tile.77.old"
    assert (tmp_path / "6-run" / "x").read_text() == "6-run"


def test_a_folder_is_held_by_one_process_until_it_ends(tmp_path: Path) -> None:
    target = tmp_path / "job"
    child = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(target)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stdout.readline() == b"held\n"
    (target / ".0-import.77.new").mkdir()
    waited: list[bool] = []

    def waiting() -> None:
        waited.append(True)
        assert (target / ".0-import.77.new").exists()
        child.kill()

    with held(target, waiting=waiting):
        assert list(target.iterdir()) == []
    assert waited == [True]
    child.wait()
    child.stdin.close()
    child.stdout.close()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="file/job"), held(tmp_path / "file" / "job"):
        pass


def test_only_what_belongs_to_processes_that_are_gone_is_removed(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for name in (f".a.{gone.pid}", f".a.{os.getpid()}", ".a.text", f".b.{gone.pid}"):
        (tmp_path / name).touch()
    (tmp_path / f".a.x.{gone.pid}").mkdir()
    remove_of_dead(tmp_path, ".a.*")
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == sorted([f".a.{os.getpid()}", ".a.text", f".b.{gone.pid}"])


def test_a_number_that_no_process_can_have_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / f".a.{10**30}").touch()
    remove_of_dead(tmp_path, ".a.*")
    assert [path.name for path in tmp_path.iterdir()] == [f".a.{10**30}"]


def test_a_process_of_somebody_else_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(process: int, signal: int) -> None:
        raise PermissionError

    (tmp_path / ".a.17").touch()
    monkeypatch.setattr(os, "kill", refuse)
    remove_of_dead(tmp_path, ".a.*")
    assert (tmp_path / ".a.17").exists()


def test_two_folders_change_places_in_one_step(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x").write_text(name)
    if not folders._exchange(tmp_path / "one", tmp_path / "two"):
        pytest.skip("this file system cannot")
    assert [(tmp_path / name / "x").read_text() for name in ("one", "two")] == ["two", "one"]
    assert not folders._exchange(tmp_path / "one", tmp_path / "none")


def test_what_an_earlier_writer_of_this_number_left_is_not_taken_along(tmp_path: Path) -> None:
    left = tmp_path / f".target.{os.getpid()}.new"
    left.mkdir()
    (left / "old").touch()
    write_folder(tmp_path / "target", with_text("new"))
    assert [path.name for path in (tmp_path / "target").iterdir()] == ["x"]


def test_where_nothing_can_be_locked_work_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on some disks of a network."""

    def refuse(handle: int, how: int) -> None:
        raise OSError(38, "not implemented")

    monkeypatch.setattr(folders.fcntl, "flock", refuse)
    with held(tmp_path / "job", waiting=lambda: pytest.fail("nobody holds it")):
        assert (tmp_path / "job").is_dir()


def test_a_folder_that_is_not_there_cannot_be_held_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot write"), folders.locked(tmp_path / "none"):
        pass
