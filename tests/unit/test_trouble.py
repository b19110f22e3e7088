"""What the system says about files, as errors a user can act on."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from deployer.errors import MachineError, UsageError
from deployer.trouble import file_trouble, machine_trouble, trouble


@pytest.mark.parametrize(
    ("number", "kind", "hint"),
    [
        (errno.EACCES, UsageError, "may write to"),
        (errno.EROFS, UsageError, "read-only"),
        (errno.ENOTDIR, UsageError, "is a file"),
        (errno.ENAMETOOLONG, UsageError, "shorter"),
        (errno.ENOSPC, MachineError, "make room"),
        (errno.EDQUOT, MachineError, "quota"),
        (errno.EMFILE, MachineError, "ulimit"),
    ],
)
def test_the_folder_the_reason_and_what_to_do_are_told(
    number: int, kind: type[Exception], hint: str
) -> None:
    with pytest.raises(kind) as told, file_trouble("write", Path("out")):
        raise OSError(number, "the reason")
    assert "cannot write out" in str(told.value)
    assert "the reason" in str(told.value)
    assert hint in str(told.value)


def test_another_file_than_the_folder_is_named_too() -> None:
    with pytest.raises(UsageError, match="out/deep: why"), file_trouble("write", Path("out")):
        raise OSError(errno.EACCES, "why", "out/deep")


def test_a_compiler_that_finds_the_disk_full_is_no_bug() -> None:
    lines = ["x.c:1: warning", "as: /t/cc.o: No space left on device"]
    found = machine_trouble(lines, Path("build"))
    assert isinstance(found, MachineError)
    assert "build" in str(found)
    assert machine_trouble(["x.c:1: error: no such thing"], Path("build")) is None


def test_a_compiler_that_is_killed_for_memory_is_no_bug() -> None:
    lines = ["gcc: fatal error: Killed signal terminated program cc1", "compilation terminated."]
    found = machine_trouble(lines, Path("build"))
    assert isinstance(found, MachineError)
    assert "memory" in str(found)
    assert "cc1" in "".join(found.why)


MACHINE = {
    "ENOSPC": "make room on that disk, or give another folder",
    "EDQUOT": "make room in your quota, or give another folder",
    "EFBIG": "raise the limit on the size of files: ulimit -f",
    "EIO": "is the disk failing?",
    "EMFILE": "close other programs, or raise the limit: ulimit -n",
    "ENFILE": "close other programs: the system has too many open files",
    "ENOMEM": "close other programs: the system has no memory left",
}
PATHS = {
    "EACCES": "give a folder that you may write to, or change its permissions",
    "EPERM": "give a folder that you may write to, or change its permissions",
    "EROFS": "it is on a read-only disk: give a folder elsewhere",
    "ENOTDIR": "a part of the path is a file: give a folder",
    "EEXIST": "a file is in the way: give another name, or move it",
    "EISDIR": "it is a folder: give a file",
    "ENOENT": "make the folder first, or check the path",
    "ENAMETOOLONG": "give a shorter path",
    "ELOOP": "the path's links go in a circle",
}


@pytest.mark.parametrize("name", [*MACHINE, *PATHS])
def test_every_reason_of_the_system_has_its_advice(name: str) -> None:
    """The machine's trouble is no fault of the command line."""
    found = trouble(OSError(getattr(errno, name), "reason", "out"), "cannot", Path("out"))
    assert type(found) is (MachineError if name in MACHINE else UsageError)
    assert (found.what, found.why) == ("cannot", ("reason",))
    assert found.hints == ((MACHINE | PATHS)[name],)


def test_a_reason_without_a_number_has_no_advice() -> None:
    found = trouble(OSError("odd"), "cannot")
    assert type(found) is UsageError
    assert (found.why, found.hints) == (("odd",), ())


def test_the_line_of_a_full_disk_is_shown_with_its_advice() -> None:
    for text in ("  x: No space left on device ", "y: Disk quota exceeded"):
        found = machine_trouble(["first", text, "last"], Path("here"))
        assert found is not None
        assert found.what == "no room to compile in here"
        assert found.why == (text.strip(),)
        assert found.hints == (MACHINE["ENOSPC"],)
