"""Child processes that do not outlive this one, however it ends."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def ends_with_parent() -> Callable[[], None] | None:
    """What ``subprocess`` is to run in a new child before the program (``preexec_fn``): the system
    then kills the child when the thread that starts it ends. None where the system cannot."""
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None).prctl  # looked up here: little is safe in a child that has forked
    parent = os.getpid()

    def prepare() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it ended before the call
            os._exit(1)

    return prepare
