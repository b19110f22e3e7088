"""What one process at a time uses: benches, probes, serial ports, machines reached by ssh.

Each is a file that the holder has locked (flock). The system lets go when the holder ends, however
it does. In the file stands who it is; files stay, since a removed one could be locked twice.
"""

from __future__ import annotations

import contextlib
import fcntl
import getpass
import hashlib
import json
import os
import platform
import re
import shlex
import sys
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Self

from deployer.errors import BenchError, UsageError
from deployer.json_text import read_json
from deployer.printed import label
from deployer.schema import Table, integer, text
from deployer.trouble import file_trouble

FOLDER = "DEPLOYER_LOCKS"
_MOST_COMMAND = 2_000  # characters
_UNTOLD_SECONDS = 1.0  # a holder has locked and is about to say who it is
_PAUSE_SECONDS = 0.01
_ENDED = "ZX"  # states of a process that its parent has not heard of yet
_HOLDER = Table(
    {
        "process": integer(1, 1 << 31),
        "started": text(r"\d*"),
        "user": text(most=200),
        "command": text(most=_MOST_COMMAND),
        "since": text(most=40),
    },
    {},
)


@dataclass(frozen=True)
class Holder:
    """A process. ``started``: clock ticks after boot, tells it from a later one of its number.
    ``since``: local time, ISO 8601, when it took what it holds."""

    process: int
    started: str
    user: str
    command: str
    since: str

    @property
    def alive(self) -> bool:
        return self.started != "" and _start_of(self.process) == self.started

    def __str__(self) -> str:
        return f"process {self.process} of {self.user}, since {self.since.replace('T', ' ')}"


@dataclass(frozen=True)
class Elsewhere:
    """Somebody on another machine, as labgrid calls them: HOST/USER."""

    user: str

    def __str__(self) -> str:
        return self.user


class BenchHeld(BenchError):
    """Another process, or another part of this one, has ``claim``. ``holder`` is None when it does
    not tell who it is. ``why``: more that is known."""

    def __init__(self, claim: str, holder: Holder | Elsewhere | None, why: Sequence[str] = ()):
        who = str(holder) if holder else "another process"
        runs = [f"it runs: {label(holder.command)}"] if isinstance(holder, Holder) else []
        super().__init__(
            f"{label(claim)} is held by {label(who)}",
            why=[*runs, *map(label, why)],
            hints=["wait until it has ended", "for another bench: deployer lab list"],
        )
        self.claim, self.holder = claim, holder


class Locks:
    """Claims of this object, all at once or none. ``held``: those that its maker has already."""

    def __init__(self, held: Collection[str] = ()):
        self._held = frozenset(held)
        self._files: dict[str, int] = {}

    def take(self, *claims: str) -> None:
        """Raises BenchHeld, and lets go of what it took here, when one has another holder."""
        before = set(self._files)
        try:
            for claim in sorted({*claims} - before - self._held):
                self._files[claim] = _lock(claim)
        except BaseException:
            self._free(set(self._files) - before)
            raise

    def close(self) -> None:
        """Let go. Twice is harmless."""
        self._free(set(self._files))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *trouble: object) -> None:
        self.close()

    def _free(self, claims: Iterable[str]) -> None:
        for claim in claims:
            handle = self._files.pop(claim)
            with contextlib.suppress(OSError):
                os.ftruncate(handle, 0)
            os.close(handle)


def probe(uid: str) -> str:
    """The claim on a debug probe or cable."""
    return f"probe {uid.lower()}"


def port(device: str) -> str:
    """The claim on a serial port, by whichever of its names; a URL has one."""
    return f"port {device if '://' in device else os.path.realpath(device)}"


def host(name: str) -> str:
    """The claim on a machine that ``name``, such as ``pi@raspberrypi``, reaches by ssh."""
    return f"host {name.rpartition('@')[2].lower()}"


def holder_of(claim: str) -> Holder | None:
    """Who has it now; nobody is asked to wait for the answer."""
    found = _told(_file(claim))
    return found if found and found.alive else None


def _folder() -> Path:
    """One for every way that a user comes in, by cron too: the folder of a login is not there
    then. A home may lie on a disk of many machines."""
    if os.environ.get(FOLDER):
        return Path(os.environ[FOLDER])
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "deployer" / "locks" / (platform.node() or "here")


def _file(claim: str) -> Path:
    """Readable, and different for claims that differ."""
    digest = hashlib.sha256(claim.encode(errors="surrogatepass")).hexdigest()[:12]
    return _folder() / f"{re.sub(r'[^A-Za-z0-9]+', '-', claim)[:60]}-{digest}"


def _lock(claim: str) -> int:
    """The descriptor whose closing lets go. A holder that is about to say who it is gets the time
    to; so does one that is about to let go."""
    path = _file(claim)
    handle = _opened(path)
    try:
        _lock_file(claim, path, handle)
        with file_trouble("write", path):
            _tell(handle)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _opened(path: Path) -> int:
    with file_trouble("write", path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    if os.environ.get(FOLDER):  # a folder of several users
        with contextlib.suppress(OSError):
            os.fchmod(handle, 0o666)
    return handle


def _lock_file(claim: str, path: Path, handle: int) -> None:
    end = time.monotonic() + _UNTOLD_SECONDS
    while True:
        try:
            return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            found = _told(path)
        except OSError as error:
            hint = f"name a folder on a disk of this machine: {FOLDER}=/run/lock/deployer"
            raise BenchError(f"cannot lock {path}", why=[str(error)], hints=[hint]) from None
        if (found and found.alive) or time.monotonic() > end:
            raise BenchHeld(claim, found)
        time.sleep(_PAUSE_SECONDS)


def _tell(handle: int) -> None:
    """Beside what it replaces, in one write: a reader sees the end of it or refuses it."""
    command = shlex.join([Path(sys.argv[0] or "python").name, *sys.argv[1:]])[:_MOST_COMMAND]
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    me = Holder(os.getpid(), _start_of(os.getpid()), _user(), command, now)
    os.ftruncate(handle, 0)
    os.pwrite(handle, json.dumps(asdict(me)).encode(), 0)


def _told(path: Path) -> Holder | None:
    try:
        table = read_json(path)
        _HOLDER.check(table, "")
    except (OSError, ValueError, UsageError):
        return None
    return Holder(**table)


def _start_of(process: int) -> str:
    """Clock ticks after boot, "" when there is no such process, or it has ended."""
    try:
        status = Path(f"/proc/{process}/stat").read_text(errors="replace")
    except OSError:
        return ""
    state, *others = status.rpartition(")")[2].split()  # its name, in parentheses, holds anything
    return "" if state in _ENDED else others[18]


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())
