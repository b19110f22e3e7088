"""Folders that appear whole, that survive a kill, and that one process at a time writes to."""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from deployer.trouble import file_trouble

_NEW, _OLD = ".new", ".old"
_HERE = -100  # AT_FDCWD: paths are relative to the working folder
_EXCHANGE = 2  # RENAME_EXCHANGE


def write_folder(target: Path, fill: Callable[[Path], None]) -> None:
    """Fill a new folder beside ``target`` and put it in its place once it is whole.

    A kill at any moment leaves the older folder or the new one. Raises UsageError or BenchError
    naming ``target`` when the system refuses.
    """
    with file_trouble("write", target):
        _write(target, fill)


def _write(target: Path, fill: Callable[[Path], None]) -> None:
    aside = _aside(target, _NEW)
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    try:
        fill(aside)
        _replace(aside, target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _aside(target: Path, suffix: str) -> Path:
    return target.with_name(f".{target.name}.{os.getpid()}{suffix}")


def _replace(source: Path, target: Path) -> None:
    """``source`` in the place of ``target``; what was there is then at ``source``, or gone."""
    if not target.exists():
        source.rename(target)
        return
    if _exchange(source, target):
        return
    old = _aside(target, _OLD)  # a kill between the next two lines is mended by ``clean``
    target.rename(old)
    source.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two paths in one step. False where the system or its file system cannot."""
    try:
        swap = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError):
        return False
    return bool(swap(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)


def clean(folder: Path) -> None:
    """Remove what killed writers left in ``folder``; a folder they had moved away comes back.

    Only for who holds ``folder``: another writer's unfinished work would go too.
    """
    for left in sorted(folder.glob(f".*{_OLD}")):
        target = folder / left.name[1:].removesuffix(_OLD).rpartition(".")[0]
        if target.exists():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.rename(target)
    for left in folder.glob(f".*{_NEW}"):
        shutil.rmtree(left, ignore_errors=True)


@contextmanager
def held(folder: Path, *, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """``folder``, made if need be, for this process alone; leftovers of killed ones are removed.

    ``waiting`` is called once when another process holds it; then this one waits until that has
    ended. The system lets go of it when the process ends, however it does.
    """
    with file_trouble("write", folder):
        folder.mkdir(parents=True, exist_ok=True)
    with locked(folder, waiting=waiting):
        with file_trouble("write", folder):
            clean(folder)
        yield


@contextmanager
def locked(folder: Path, *, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """``folder``, which is there, for this process alone; see ``held``. The folder itself is
    locked, so that no file lies about."""
    with file_trouble("write", folder):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _lock(handle, waiting)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, waiting: Callable[[], None]) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        waiting()
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:  # a file system without locks, such as some network disks
        return


def remove_of_dead(folder: Path, pattern: str) -> None:
    """Remove what in ``folder`` matches ``pattern`` and ends, after the last dot, in the number of
    a process that is gone."""
    for path in folder.glob(pattern):
        number = path.name.rpartition(".")[2]
        if not number.isdigit() or _alive(int(number)):
            continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
