"""pytest in a child of this process, which has loaded what all tests load."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = (
    "numpy", "onnx", "onnx.reference", "onnxruntime", "ortools.sat.python.cp_model", "hypothesis",
    "hypothesis.extra.numpy", "click", "jinja2", "rich.console", "serial", "torch", "xdist",
)  # fmt: skip
SECONDS = 60  # of processor time for one test
WAITS = 200  # seconds by the clock for one test, far beyond what a busy machine needs
MEMORY = 5 << 30  # bytes of all processes of a run
QUIET = ("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0")
PAGE = os.sysconf("SC_PAGE_SIZE")
ENDLESS = 99


def load() -> None:
    """Import third-party modules once; the project's own are imported by each child."""
    for name in HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def run(tree: Path, files: Sequence[str], log: Path, reached: Path | None = None) -> str:
    """ "passed", "failed", or why it was ended: "no end", "memory". ``reached``: to that file go
    the functions of ``tree`` that the tests call, a line each."""
    child = os.fork()
    if child == 0:
        _tests(tree, files, log, reached)
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        full = not found and _memory(child) > MEMORY
        if found or full:
            break
        time.sleep(0.1)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if full:
        os.waitpid(child, 0)
        return "memory"
    names = {0: "passed", ENDLESS: "no end"}
    return names.get(os.waitstatus_to_exitcode(status), "failed")


def _tests(tree: Path, files: Sequence[str], log: Path, reached: Path | None) -> None:
    """In the child, as leader of a group that holds all it starts."""
    os.setsid()
    os.chdir(tree)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(out, stream)
    others = [path for path in sys.path if Path(path).resolve() not in (ROOT, ROOT / "tests")]
    sys.path[:] = [str(tree), str(tree / "tests"), *others]
    status = 1
    try:
        with _traced(tree, reached) if reached else contextlib.nullcontext():
            status = int(pytest.main([*QUIET, f"--timeout={WAITS}", *files], plugins=[_Limit()]))
    finally:
        os._exit(status)


class _Limit:
    """Ends the process when one test, or collecting all, takes too much processor time."""

    def __init__(self) -> None:
        signal.signal(signal.SIGPROF, lambda number, frame: os._exit(ENDLESS))
        signal.setitimer(signal.ITIMER_PROF, SECONDS)

    def pytest_runtest_logstart(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)


@contextlib.contextmanager
def _traced(tree: Path, reached: Path) -> Iterator[None]:
    codes: set[CodeType] = set()

    def called(frame: FrameType, event: str, value: object) -> None:
        codes.add(frame.f_code)

    threading.settrace(called)
    sys.settrace(called)
    yield
    sys.settrace(None)
    own = [code for code in codes if code.co_filename.startswith(f"{tree}/")]
    names = {f"{Path(c.co_filename).relative_to(tree)}:{c.co_qualname}" for c in own}
    reached.write_text("\n".join(sorted(names)))


def _memory(group: int) -> int:
    """Bytes in memory of the processes of ``group``."""
    total = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(state[2]) == group:  # after the name: state, parent, group
                total += int(state[21]) * PAGE
    return total
