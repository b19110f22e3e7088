"""The search for a packing of a given height, compiled: canonical/*.c, called in this process."""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from deployer.allocate.task import End, Task
from deployer.errors import DeployerError
from deployer.native import COMPILER, compiled

FLAGS = ("-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-shared")
_MOST = 1 << 62  # sums and areas are 64-bit there

_Ints = ctypes.POINTER(ctypes.c_int32)
_Longs = ctypes.POINTER(ctypes.c_int64)


class _TaskOfC(ctypes.Structure):
    """canonical_task of canonical.h."""

    _fields_ = (
        ("count", ctypes.c_int32),
        ("sections", ctypes.c_int32),
        ("first", _Ints),
        ("end", _Ints),
        ("twin", _Ints),
        ("size", _Longs),
        ("span", _Longs),
        ("height", ctypes.c_int64),
        ("budget", ctypes.c_int64),
    )


def library_path(cache_folder: Path | None = None) -> Path:
    """The library of these sources. Raises DeployerError where it cannot be made."""
    folder = Path(__file__).parent / "canonical"
    return compiled(
        "canonical.so",
        sorted(folder.glob("*.c")),
        includes=sorted(folder.glob("*.h")),
        flags=FLAGS,
        what="the search for packings",
        cache=cache_folder,
    )


@cache
def search_library() -> ctypes.CDLL | None:
    """None where there is no compiler, or no folder for what it makes."""
    if shutil.which(COMPILER) is None:
        return None
    try:
        return _declared(ctypes.CDLL(str(library_path())))
    except (DeployerError, OSError):
        return None


def _declared(library: ctypes.CDLL) -> ctypes.CDLL:
    state = ctypes.c_void_p
    library.canonical_new.restype = state
    library.canonical_new.argtypes = [ctypes.POINTER(_TaskOfC)]
    library.canonical_free.restype = None
    library.canonical_free.argtypes = [state]
    library.canonical_run.restype = ctypes.c_int
    library.canonical_run.argtypes = [state, ctypes.c_char_p, ctypes.c_int64, _Longs, _Longs]
    library.canonical_least.restype = ctypes.c_int64
    library.canonical_least.argtypes = [state]
    return library


def can_hold(task: Task) -> bool:
    """Whether no sum or area of the task overflows."""
    area = max(task.sizes, default=0) * max(task.spans, default=0)
    return max(area, sum(task.sizes) + task.height, task.budget) < _MOST


class NativeSearch:
    """Runs on one task, as ``canonical.PlainSearch``; ``close`` frees what they learned."""

    def __init__(self, task: Task, library: ctypes.CDLL):
        self._library, self._task = library, _task_of_c(task)
        self._offsets = (ctypes.c_int64 * max(task.count, 1))()
        self._count = task.count
        self._state = library.canonical_new(ctypes.byref(self._task))
        if not self._state:
            raise MemoryError

    def run(self, order: str, limit: int) -> tuple[End, int]:
        """From the start; the end of it and the nodes visited."""
        nodes = ctypes.c_int64()
        end = self._library.canonical_run(
            self._state, order.encode(), limit, self._offsets, ctypes.byref(nodes)
        )
        return End(end), nodes.value

    @property
    def offsets(self) -> tuple[int, ...]:
        return tuple(self._offsets[: self._count])

    @property
    def least(self) -> int:
        return int(self._library.canonical_least(self._state))

    def close(self) -> None:
        self._library.canonical_free(self._state)


def _task_of_c(task: Task) -> _TaskOfC:
    return _TaskOfC(
        task.count,
        task.sections,
        _ints(task.first),
        _ints(task.end),
        _ints(task.twin),
        _longs(task.sizes),
        _longs(task.spans),
        task.height,
        task.budget,
    )


def _ints(values: Sequence[int]) -> ctypes.Array[ctypes.c_int32]:
    return (ctypes.c_int32 * max(len(values), 1))(*values)


def _longs(values: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * max(len(values), 1))(*values)
