"""A library's folder: own files only, the earlier library or the new one whole."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.errors import BenchError, DeployerError, UsageError
from deployer.pipeline import library_folder
from deployer.pipeline.library_folder import ASIDE, check_folder, write_library
from deployer.pipeline.library_manifest import NAME

OLD = {"network.c": b"old", "same.c": b"same", "stale.c": b"stale", "dpl/gone/a.h": b"a"}
NEW = {"network.c": b"new", "same.c": b"same", "fresh.c": b"fresh", "dpl/body/b.h": b"b"}


def put(folder: Path, files: dict[str, bytes], *, overwrite: bool = False) -> None:
    check_folder(folder, overwrite=overwrite)
    write_library(folder, files, overwrite=overwrite)


def content(folder: Path) -> dict[str, bytes]:
    """What is there, without the manifest."""
    found = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    assert set(json.loads(found.pop(NAME))["files"]) <= set(found)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a library in it."""
    put(tmp_path / "net", OLD)
    return tmp_path / "net"


def test_a_new_library_replaces_the_earlier_one(folder: Path) -> None:
    before = (folder / "same.c").stat()
    put(folder, NEW)
    assert content(folder) == NEW
    assert not (folder / "dpl" / "gone").exists()
    after = (folder / "same.c").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert sorted(p.name for p in folder.parent.iterdir()) == ["net"]


def test_files_of_others_stay(folder: Path) -> None:
    (folder / "mine.c").write_text("mine")
    (folder / "dpl" / "gone" / "mine.h").write_text("mine")
    put(folder, NEW)
    assert content(folder) == {**NEW, "mine.c": b"mine", "dpl/gone/mine.h": b"mine"}


def test_a_folder_with_other_files_and_no_library_is_refused(tmp_path: Path) -> None:
    for name in ("main.c", "\x1b[2J.txt", *(f"n{i}" for i in range(9))):
        (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError) as refused:
        check_folder(tmp_path, overwrite=False)
    assert str(tmp_path) in refused.value.what
    assert "'main.c'" in refused.value.what
    assert "and 6 more" in refused.value.what
    assert "\x1b" not in str(refused.value)
    put(tmp_path, NEW, overwrite=True)
    assert (tmp_path / "main.c").read_text() == "mine"
    assert (tmp_path / "network.c").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["fresh.c", "network.c", "stale.c"])
def test_nothing_somebody_wrote_is_replaced_unless_asked(folder: Path, name: str) -> None:
    """A foreign file of a name that is needed, and own ones that were edited, stale ones too."""
    (folder / name).write_text("mine")
    before = content(folder)
    with pytest.raises(UsageError) as refused:
        put(folder, NEW)
    assert refused.value.why == (
        f"{name}: {'not ours' if name == 'fresh.c' else 'edited since it was written'}",
    )
    assert content(folder) == before
    put(folder, NEW, overwrite=True)
    assert content(folder) == NEW


def test_a_file_that_is_as_it_would_be_written_is_no_loss(folder: Path) -> None:
    (folder / "fresh.c").write_bytes(NEW["fresh.c"])
    put(folder, NEW)
    assert content(folder) == NEW


def test_nothing_is_written_through_links(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "body").mkdir(parents=True)
    (tmp_path / "victim").write_text("mine")
    (folder / "fresh.c").symlink_to(tmp_path / "victim")
    with pytest.raises(UsageError, match="would lose 1 file"):
        put(folder, NEW)
    put(folder, NEW, overwrite=True)
    assert (tmp_path / "victim").read_text() == "mine"
    (folder / "dpl" / "body" / "b.h").unlink()
    (folder / "dpl" / "body").rmdir()
    (folder / "dpl").rmdir()
    (folder / "dpl").symlink_to(outside)
    with pytest.raises(UsageError) as refused:
        put(folder, NEW, overwrite=True)
    assert "dpl: not a folder of its own" in refused.value.why
    put(folder, {"network.c": b"alone"})  # dpl/body/b.h is behind the link by now, and not ours
    assert sorted(p.name for p in outside.iterdir()) == ["body"]


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"files": {"../victim": "0"}}', '{"files": {"/victim": "0"}}', '{"files": 3}'],
)
def test_a_manifest_that_is_not_ours_deletes_nothing(folder: Path, text: str) -> None:
    (folder.parent / "victim").write_text("mine")
    (folder / NAME).write_text(text)
    with pytest.raises(UsageError, match="does not say which files"):
        put(folder, NEW)
    assert (folder.parent / "victim").read_text() == "mine"
    assert (folder / "network.c").read_bytes() == b"old"


def test_links_to_folders_dots_and_slashes_are_that_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(folder)
    put(Path(f"{tmp_path}/link/"), NEW)
    assert content(folder) == NEW
    assert (tmp_path / "link").is_symlink()
    monkeypatch.chdir(folder)
    put(Path("."), OLD)
    assert content(folder) == OLD
    assert Path.cwd().samefile(folder)


def test_folders_above_are_made_and_go_again_with_a_failure(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b" / "net"
    put(target, NEW)
    assert content(target) == NEW
    with pytest.raises(UsageError):
        put(tmp_path / "c" / "net", {"x": b"", "x/y": b""})
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("below", ["file", "file/net", "dangling"])
def test_a_file_in_the_way_is_named(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError) as refused:
        put(tmp_path / below, NEW)
    assert str(tmp_path / below) in refused.value.what
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize(("number", "status"), [(errno.ENOSPC, 6), (errno.EACCES, 2)])
def test_a_full_or_read_only_disk_leaves_the_earlier_library(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: int, status: int
) -> None:
    write = Path.write_bytes

    def fail(path: Path, data: bytes) -> int:
        if path.name == "network.c":
            raise OSError(number, os.strerror(number), str(path))
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises((BenchError, UsageError)) as failed:
        write_library(folder, NEW, overwrite=False)
    assert isinstance(failed.value, DeployerError)
    assert failed.value.exit_status == status
    assert str(folder) in failed.value.what
    assert content(folder) == OLD


def test_a_read_only_folder_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
    with pytest.raises(UsageError, match="read-only"):
        check_folder(tmp_path / "net", overwrite=False)


def killed(act: Callable[[], None], after: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Run ``act`` in a process that dies before its ``after``-th change; whether it did."""
    count = 0

    def counting(name: str) -> Callable[..., object]:
        real = getattr(Path, name)

        def changed(*arguments: object, **options: object) -> object:
            nonlocal count
            if count == after:
                os._exit(9)
            count += 1
            return real(*arguments, **options)

        return changed

    child = os.fork()
    if child == 0:
        for name in ("mkdir", "write_bytes", "write_text", "replace", "unlink", "rmdir"):
            monkeypatch.setattr(Path, name, counting(name))
        act()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def test_killed_at_any_moment_the_next_run_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = set()
    for after in range(100):
        folder = tmp_path / str(after) / "net"
        put(folder, OLD)
        if not killed(lambda to=folder: put(to, NEW), after, monkeypatch):  # type: ignore[misc]
            break
        untouched = {k: v for k, v in content_of(folder).items() if not k.startswith(ASIDE)}
        seen.add(untouched == OLD)
        again = NEW if after % 2 else {**OLD, "network.c": b"third"}
        put(folder, again)
        assert content(folder) == again
        assert not (folder / ASIDE).exists()
    else:
        pytest.fail("the run has more than 100 changes")
    assert seen == {True, False}
    assert after > 12


def content_of(folder: Path) -> dict[str, bytes]:
    found = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    found.pop(NAME, None)
    return found


def test_a_first_library_that_was_killed_is_no_stranger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for after in range(100):
        folder = tmp_path / str(after) / "net"
        if not killed(lambda to=folder: put(to, NEW), after, monkeypatch):  # type: ignore[misc]
            break
        put(folder, OLD)
        assert content(folder) == OLD
    assert after > 8


def test_what_a_user_edits_after_a_kill_is_not_lost(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All is staged and nothing renamed yet."""
    with monkeypatch.context() as patch:
        patch.setattr(library_folder, "_commit", interrupted)
        with pytest.raises(KeyboardInterrupt):
            put(folder, NEW)
    assert (folder / ASIDE / NAME).exists()
    assert (folder / "network.c").read_bytes() == b"old"
    (folder / "network.c").write_text("mine")
    with pytest.raises(UsageError, match="would lose 1 file"):
        put(folder, NEW)
    assert (folder / "network.c").read_text() == "mine"


def interrupted(folder: Path) -> None:
    raise KeyboardInterrupt
