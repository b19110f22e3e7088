"""Trouble that the system reports about files, as errors with words."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from deployer.errors import DeployerError, MachineError, UsageError

_MACHINE = {
    errno.ENOSPC: "make room on that disk, or give another folder",
    errno.EDQUOT: "make room in your quota, or give another folder",
    errno.EFBIG: "raise the limit on the size of files: ulimit -f",
    errno.EIO: "is the disk failing?",
    errno.EMFILE: "close other programs, or raise the limit: ulimit -n",
    errno.ENFILE: "close other programs: the system has too many open files",
    errno.ENOMEM: "close other programs: the system has no memory left",
}
_USER = {
    errno.EACCES: "give a folder that you may write to, or change its permissions",
    errno.EPERM: "give a folder that you may write to, or change its permissions",
    errno.EROFS: "it is on a read-only disk: give a folder elsewhere",
    errno.ENOTDIR: "a part of the path is a file: give a folder",
    errno.EEXIST: "a file is in the way: give another name, or move it",
    errno.EISDIR: "it is a folder: give a file",
    errno.ENOENT: "make the folder first, or check the path",
    errno.ENAMETOOLONG: "give a shorter path",
    errno.ELOOP: "the path's links go in a circle",
}
_FULL = ("No space left on device", "Disk quota exceeded")
_STARVED = ("Killed signal terminated", "out of memory", "memory exhausted")


@contextmanager
def file_trouble(doing: str, path: Path) -> Iterator[None]:
    """An OSError inside is raised as ``trouble``: "cannot ``doing`` ``path``"."""
    try:
        yield
    except OSError as error:
        raise trouble(error, f"cannot {doing} {path}", path) from None


def trouble(error: OSError, what: str, path: Path | None = None) -> DeployerError:
    """MachineError where the machine is at fault (a full disk), UsageError where the path is."""
    reason = error.strerror or str(error)
    where = error.filename
    why = f"{where}: {reason}" if where and str(where) != str(path) else reason
    kind = MachineError if error.errno in _MACHINE else UsageError
    hint = (_MACHINE | _USER).get(error.errno or 0)
    return kind(what, why=[why], hints=[hint] if hint else [])


def no_memory(error: MemoryError) -> DeployerError:
    """``error`` as one of the machine."""
    why = [str(error)] if str(error) else []
    return MachineError("this machine has no memory left", why=why, hints=[_MACHINE[errno.ENOMEM]])


def machine_trouble(lines: Sequence[str], where: Path) -> DeployerError | None:
    """What a compiler's messages ``lines`` mean, where they say that the disk or the memory is
    full."""
    for texts, what, number in (
        (_FULL, f"no room to compile in {where}", errno.ENOSPC),
        (_STARVED, "this machine has no memory left to compile", errno.ENOMEM),
    ):
        found = next((line for line in lines if any(text in line for text in texts)), None)
        if found is not None:
            return MachineError(what, why=[found.strip()], hints=[_MACHINE[number]])
    return None
