"""An image on another machine, over the user's own ssh: sent, run on its console, removed.

remote.sh does the other side's part. One connection carries all of it, and its end is the end of
everything there: a client that is killed leaves neither a process nor a file.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from deployer.errors import BenchError
from deployer_hil.process import ProcessPeer, find_program, spawn
from deployer_hil.remote_trouble import died, refused, require_fit, silent
from deployer_hil.stream import FdStream, Transcript

_FACT = re.compile(r"(?:stderr: )?remote (\w+)=(.*)")
PERFORMANCE = "performance"
_ANSWER_SECONDS = 60.0  # without a word: somebody may be typing a password
_PARTING_SECONDS = 10.0  # for it to remove what it has written
_PIECE_BYTES = 1 << 16
_OPTIONS = ("-T", "-x", "-a", "-o", "ClearAllForwardings=yes", "-o", "ServerAliveInterval=5")


@dataclass(frozen=True)
class Image:
    """A program for another machine. ``host``: as ssh takes it. ``machines``: what ``uname -m`` may
    say there. ``launcher``: a program there that runs it, "" for none. ``needs``: bytes of RAM.
    ``cores``: threads that share its work. ``governor``: of the clock, while it runs."""

    file: Path
    host: str
    machines: tuple[str, ...]
    needs: int
    cores: int = 1
    launcher: str = ""
    governor: str = PERFORMANCE

    @property
    def bytes(self) -> int:
        return self.file.stat().st_size

    @property
    def command(self) -> list[str]:
        """What starts the other side, which then waits for the image on its stdin."""
        script = Path(__file__).with_name("remote.sh").read_text(encoding="utf-8")
        image = (str(self.bytes), str(self.cores), self.launcher, self.governor)
        words = ("sh", "-c", script, "deployer", *image)
        ssh = find_program("ssh", "openssh-client")
        return [ssh, *_OPTIONS, "--", self.host, shlex.join(words)]


class RemotePeer:
    """The ssh client. Closing hangs up and waits until the other side has removed what it had;
    ``facts`` are those it told, complete then."""

    def __init__(self, child: subprocess.Popen[bytes], errors: IO[bytes], facts: dict[str, str]):
        self._child = child
        self._errors = errors
        self._facts = facts
        self._process = ProcessPeer(child, errors, "ssh")

    def epitaph(self) -> tuple[str, ...]:
        """How the image ended, if the other side told, or how ssh did; what either said."""
        found = self._process.epitaph()
        told = _facts(found)
        said = [line for line in found if not _FACT.fullmatch(line)]
        return (*died(told.get("ended", "")), *said)

    def close(self) -> None:
        self._hang_up()
        self._facts |= self._last_facts()
        self._process.close()

    def _hang_up(self) -> None:
        """The end of stdin is the client's; what comes until the other side ends is not read."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.communicate(timeout=_PARTING_SECONDS)

    def _last_facts(self) -> dict[str, str]:
        if self._errors.closed:
            return {}
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").splitlines()
        return _facts(lines)


def run_remotely(image: Image, facts: dict[str, str]) -> FdStream:
    """The console of ``image``, freshly started on its host; closing the stream ends and removes
    it. ``facts`` gets what the host tells of itself, the last of it when the stream is closed.

    Raises BenchError when ssh, the host or its system fail, or it is no machine for the image.
    """
    facts.clear()
    stream = _connected(image.command, facts)
    try:
        _await_fact(stream, "ready", facts, image.host)
        require_fit(facts, image.host, image.machines, image.needs, image.bytes)
        _send(stream, image, facts)
    except BaseException:
        stream.close()
        raise
    stream.transcript = Transcript()
    return stream


def _connected(command: list[str], facts: dict[str, str]) -> FdStream:
    errors = tempfile.TemporaryFile()  # noqa: SIM115  (the peer closes it)
    try:
        child = spawn(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
    except BenchError:
        errors.close()
        raise
    if child.stdin is None or child.stdout is None:
        raise RuntimeError("a child on pipes has both")
    peer = RemotePeer(child, errors, facts)
    return FdStream(child.stdout.fileno(), child.stdin.fileno(), peer)


def _facts(lines: Sequence[str]) -> dict[str, str]:
    return {match[1]: match[2] for match in map(_FACT.fullmatch, lines) if match}


def _send(stream: FdStream, image: Image, facts: dict[str, str]) -> None:
    """The other side takes what follows for the console once it has told that it has the image."""
    data = image.file.read_bytes()
    try:
        for begin in range(0, len(data), _PIECE_BYTES):
            stream.write(data[begin : begin + _PIECE_BYTES])
    except BenchError:
        raise refused(image.host, stream.epitaph()) from None
    _await_fact(stream, "copied", facts, image.host)


def _await_fact(stream: FdStream, last: str, facts: dict[str, str], host: str) -> None:
    """Read facts up to the one named ``last``, and nothing behind it; a login may say more."""
    while last not in facts:
        match = _FACT.fullmatch(_line(stream, host))
        if match:
            facts[match[1]] = match[2]


def _line(stream: FdStream, host: str) -> str:
    found = b""
    while not found.endswith(b"\n"):
        byte = stream.read(1, _ANSWER_SECONDS)
        if not byte and not stream.alive:
            raise refused(host, stream.epitaph())
        if not byte:
            raise silent(host, _ANSWER_SECONDS)
        found += byte
    return found.decode("ascii", "backslashreplace").strip()
