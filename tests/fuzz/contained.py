"""Work in a child process that may take little memory and time; what became of it."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

BYTES = 2 << 30  # of address space
SECONDS = 20  # of processor time: the machine may be busy with other work
_WAIT = 60  # times as long on the clock, for a child that sleeps
DOCUMENTED = frozenset({0, 2, 3, 4, 5, 6, 7})
TOO_LONG = "too long"
NO_MEMORY = ("MemoryError", "bad_alloc", "this machine has no memory left")
Work = Callable[[], None]


@dataclass(frozen=True)
class Outcome:
    """``status``: that of the command line, or -N when signal N ended the child.

    ``text`` is all it printed; ``seconds`` of the processor; ``kibibytes`` resident at most.
    """

    status: int
    text: str
    seconds: float
    kibibytes: int

    @property
    def fault(self) -> str:
        """What is wrong with it; empty when it is as documented."""
        if self.status in (-signal.SIGXCPU, -signal.SIGALRM, -signal.SIGKILL):
            return TOO_LONG
        if self.status < 0:
            return f"ended by signal {-self.status}"
        if any(text in self.text for text in NO_MEMORY):
            return "out of memory"
        return "" if self.status in DOCUMENTED else f"status {self.status}"


def command(arguments: list[str]) -> Work:
    """The command line, its traceback too where it calls itself at fault."""

    def work() -> None:
        from deployer.cli.main import main

        try:
            main(arguments)
        except SystemExit as end:
            if end.code == 1:
                with contextlib.suppress(SystemExit):
                    main(["--debug", *arguments])
            raise

    return work


def outcome(work: Work) -> Outcome:
    """Do ``work`` in a fork of this process."""
    with tempfile.TemporaryFile() as printed:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if not child:
            _child(work, printed.fileno())
        _, status, usage = os.wait4(child, 0)
        printed.seek(0)
        text = printed.read().decode(errors="replace")
    code = os.waitstatus_to_exitcode(status)
    return Outcome(code, text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)


def _child(work: Work, printed: int) -> None:
    """Never returns."""
    code = 1
    try:
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        sys.stdout, sys.stderr = (open(fd, "w", closefd=False) for fd in (1, 2))  # noqa: SIM115
        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.alarm(_WAIT * SECONDS)
        work()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


@contextlib.contextmanager
def unchanged(folder: Path, but: tuple[Path, ...] = ()) -> Iterator[list[str]]:
    """Collects what changes in ``folder`` meanwhile, outside ``but``: names of files."""
    before, changes = listing(folder, but), []
    yield changes
    after = listing(folder, but)
    changes += sorted(name for name in before.keys() | after if before.get(name) != after.get(name))


def listing(folder: Path, but: tuple[Path, ...]) -> dict[str, tuple[int, int]]:
    """Every file's size and time of change, by path."""
    found: dict[str, tuple[int, int]] = {}
    for here, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if Path(here, name) not in but]
        for name in files:
            path = Path(here, name)
            if path not in but:
                with contextlib.suppress(OSError):
                    stat = path.lstat()
                    found[str(path)] = (stat.st_size, stat.st_mtime_ns)
    return found


def elapsed() -> Callable[[], float]:
    """Seconds since this call, whenever the result is called."""
    start = time.monotonic()
    return lambda: time.monotonic() - start
