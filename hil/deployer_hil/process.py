"""Programs as devices: find them, start them on pipes, end them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import weakref
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import IO

from deployer.children import ends_with_parent
from deployer.errors import BenchError
from deployer_hil.stream import FdStream, printable

_GRACE_SECONDS = 2.0
_STDERR_LINES = 10
_STDERR_BYTES = 4096


def find_program(program: str, package: str) -> str:
    """Its path. Raises BenchError naming the Debian package that holds it."""
    path = shutil.which(program)
    if path is None:
        raise BenchError(f"{program} is not installed", hints=[f"apt-get install {package}"])
    return path


def version_line(program: str, option: str = "--version") -> str:
    """First line of ``program --version``, "" when it has none to tell. A file that stays as it is
    is asked once."""
    path = shutil.which(program)
    if path is None:
        return ""
    status = os.stat(path)
    return _told_version(path, option, (status.st_ino, status.st_mtime_ns, status.st_size))


@lru_cache
def _told_version(program: str, option: str, file: tuple[int, ...]) -> str:
    try:
        done = subprocess.run(
            [program, option], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ""
    lines = (done.stdout or done.stderr).splitlines()  # OpenOCD tells it on stderr
    return lines[0].strip() if done.returncode == 0 and lines else ""


class ProcessPeer:
    """A child on pipes. Its stderr goes to a file, so that it can never fill up and block."""

    def __init__(self, child: subprocess.Popen[bytes], errors: IO[bytes], name: str):
        self._child = child
        self._errors = errors
        self._name = name
        self._end = weakref.finalize(self, end, child)  # also when nobody closes the stream

    def epitaph(self) -> tuple[str, ...]:
        """Exit status and the last lines of stderr."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(_GRACE_SECONDS)
        return (f"{self._name} {_status(self._child.returncode)}", *self._last_errors())

    def close(self) -> None:
        self._end()
        for pipe in (self._child.stdin, self._child.stdout, self._errors):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def _last_errors(self) -> tuple[str, ...]:
        if self._errors.closed:
            return ()
        self._errors.seek(0, 2)
        self._errors.seek(max(0, self._errors.tell() - _STDERR_BYTES))
        lines = [line for line in self._errors.read().split(b"\n") if line.strip()]
        return tuple(f"stderr: {printable(line)}" for line in lines[-_STDERR_LINES:])


def start(command: Sequence[str], name: str = "") -> FdStream:
    """The program's stdin and stdout as a stream; closing the stream ends the program.

    ``name`` is what errors call it, by default that of the command.
    """
    return start_process(command, name)[0]


def start_process(command: Sequence[str], name: str = "") -> tuple[FdStream, int]:
    """The same, and the number of its process."""
    errors = tempfile.TemporaryFile()  # noqa: SIM115  (the peer closes it)
    try:
        child = spawn(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
    except BenchError:
        errors.close()
        raise
    if child.stdin is None or child.stdout is None:
        raise RuntimeError("a child on pipes has both")
    peer = ProcessPeer(child, errors, name or Path(command[0]).name)
    return FdStream(child.stdout.fileno(), child.stdin.fileno(), peer), child.pid


def output_of(command: Sequence[str], *, folder: Path, seconds: float) -> tuple[int | None, str]:
    """Exit status and everything printed by a program that ends by itself, run in ``folder``.

    After ``seconds`` it is killed with all that it started; its status is then None.
    """
    with tempfile.TemporaryFile() as said:
        child = spawn(
            command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, folder=folder, group=True
        )
        try:
            status = child.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _kill_group(child)
        said.seek(0)
        return status, said.read().decode(errors="replace")


def spawn(
    command: Sequence[str],
    *,
    stdin: int,
    stdout: int | IO[bytes],
    stderr: int | IO[bytes],
    folder: Path | None = None,
    group: bool = False,
) -> subprocess.Popen[bytes]:
    """The started child, in a process group of its own on ``group``. Raises BenchError when the
    system refuses to run the program."""
    try:
        return subprocess.Popen(
            list(command),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            bufsize=0,
            cwd=folder,
            start_new_session=group,
            preexec_fn=ends_with_parent(),
        )
    except OSError as error:
        raise BenchError(
            f"cannot start {command[0]}",
            why=[error.strerror or str(error)],
            hints=["is it built for this machine, and executable?"],
        ) from None


def end(child: subprocess.Popen[bytes]) -> None:
    """Ask the child to end, then make it."""
    child.terminate()
    try:
        child.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _status(code: int | None) -> str:
    if code is None:
        return "closed its output"
    return f"ended by signal {-code}" if code < 0 else f"ended with status {code}"
