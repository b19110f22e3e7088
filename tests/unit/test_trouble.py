"""What the system says about files, as errors a user can act on."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from deployer.errors import BenchError, UsageError
from deployer.trouble import file_trouble, full_disk


@pytest.mark.parametrize(
    ("number", "kind", "hint"),
    [
        (errno.EACCES, UsageError, "may write to"),
        (errno.EROFS, UsageError, "read-only"),
        (errno.ENOTDIR, UsageError, "is a file"),
        (errno.ENAMETOOLONG, UsageError, "shorter"),
        (errno.ENOSPC, BenchError, "make room"),
        (errno.EDQUOT, BenchError, "quota"),
        (errno.EMFILE, BenchError, "ulimit"),
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
    found = full_disk(lines, Path("build"))
    assert isinstance(found, BenchError)
    assert "build" in str(found)
    assert full_disk(["x.c:1: error: no such thing"], Path("build")) is None
