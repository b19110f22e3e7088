"""What ssh and the machine behind it said, as an error with something to try."""

from __future__ import annotations

import re
import signal
from collections.abc import Mapping, Sequence

from deployer.errors import BenchError

_MARGIN_BYTES = 8 << 20  # of RAM, for the program's own libraries, stacks and the copy of its file
_SIGNALLED = 128  # a shell's status of a child that signal n ended is this + n
_CAUSES: Sequence[tuple[str, str, Sequence[str]]] = (
    (
        r"Could not resolve hostname|Name or service not known",
        "no machine has the name {host}",
        ["--host USER@ADDRESS, as ssh takes it; the Pi's own address: hostname -I"],
    ),
    (
        r"Connection refused",
        "{host} lets nobody in: no ssh server answers there",
        ["turn it on, on the Pi: sudo raspi-config, Interface Options, SSH"],
    ),
    (
        r"Host key verification failed|IDENTIFICATION HAS CHANGED",
        "the key of {host} is not the one your known_hosts has, or is not in it",
        ["connect once by hand, and look at what it says: ssh {host}"],
    ),
    (
        r"Permission denied \(|Too many authentication failures",
        "{host} does not accept your key or password",
        ["give it your key once: ssh-copy-id {host}"],
    ),
    (
        r"timed out|No route to host|Network is unreachable",
        "{host} does not answer",
        ["is it on, and in this network? ping its address"],
    ),
    (
        r"No space left on device|Disk quota exceeded",
        "{host} has no room for the image",
        ["free some, or name a folder in TMPDIR there (~/.ssh/environment, SetEnv)"],
    ),
)


def refused(host: str, said: Sequence[str]) -> BenchError:
    """For a connection that ended before the image ran."""
    text = "\n".join(said)
    for pattern, what, hints in _CAUSES:
        if re.search(pattern, text):
            told = [hint.format(host=host) for hint in hints]
            return BenchError(what.format(host=host), why=said, hints=told)
    hint = f"does this print Linux? ssh {host} uname"
    return BenchError(f"{host} ended the connection before the image ran", why=said, hints=[hint])


def silent(host: str, seconds: float) -> BenchError:
    """For a machine that says nothing, or waits for somebody who is not there."""
    return BenchError(
        f"{host} said nothing for {seconds:g} s",
        hints=[f"is a question left open, for a password or a new key? ssh {host}"],
    )


def require_fit(
    facts: Mapping[str, str], host: str, machines: Sequence[str], needs: int, size: int
) -> None:
    """Raise BenchError for a machine that cannot run an image of ``size`` bytes for ``machines``,
    which takes ``needs`` bytes of RAM. A launcher runs images of other machines."""
    if facts.get("launcher") == "missing":
        raise BenchError(
            f"{host} lacks the launcher that the board file names",
            hints=["install it there, or correct 'launcher' under [runners.ssh]"],
        )
    kinds = {facts.get("machine"), facts.get("machine_32")}
    if "launcher" not in facts and not kinds & set(machines):
        raise BenchError(
            f"{host} is {facts.get('machine', 'unknown')}, the image is for {', '.join(machines)}",
            why=["uname -m tells what its kernel runs, setarch linux32 uname -m what of 32 bits"],
            hints=["another --board, or a system of that kind on the Pi: deployer boards"],
        )
    _require_room(facts, "memory_kib", needs + _MARGIN_BYTES, f"{host} has too little free memory")
    _require_room(facts, "room_kib", size, f"{host} has no room for the image")


def _require_room(facts: Mapping[str, str], name: str, needs: int, what: str) -> None:
    text = facts.get(name, "")
    if not text.isdigit() or int(text) << 10 >= needs:  # not told: the system itself will say
        return
    where = f" in {facts['folder']}" if name == "room_kib" and "folder" in facts else ""
    raise BenchError(
        what,
        why=[f"{int(text) << 10:,} B are free{where}, {needs:,} B are needed"],
        hints=["end other programs there, or remove files"],
    )


def died(status: str) -> tuple[str, ...]:
    """A line about an image whose shell told ``status``, none for one that ended by itself."""
    code = int(status) if status.isdigit() else 0
    if code > _SIGNALLED:
        number = code - _SIGNALLED
        known = {each.value: each.name for each in signal.Signals}
        memory = ": was memory short?" if number == signal.SIGKILL else ""
        return (f"the image ended by {known.get(number, f'signal {number}')} there{memory}",)
    why = {126: ": it may not be executed, is its folder mounted noexec?", 127: ": not found"}
    return (f"the image ended with status {code} there{why.get(code, '')}",) if code else ()
