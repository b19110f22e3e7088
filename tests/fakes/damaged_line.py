"""A runner whose line damages bytes and whose device restarts, where a seed says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from deployer.bundle import Bundle
from deployer_hil.runner import Runner
from deployer_hil.stream import ByteStream, Transcript

DIGITS = b"0123456789"
_READY = b"m-ready\r\n"
_LATE = (0, 0, 1, 1, 2, 3, 6)  # pieces that the host sends before a reply comes again


@dataclass
class Faults:
    """By the number of the byte on the line, each way: ``bits`` and ``digits`` that flip, bytes
    that are ``lost`` or come ``twice``; ``restarts`` before a byte that is received. ``replies``
    that come twice, by their number: how many pieces the host sends in between."""

    bits: set[tuple[str, int]] = field(default_factory=set)
    digits: set[tuple[str, int]] = field(default_factory=set)
    lost: set[tuple[str, int]] = field(default_factory=set)
    twice: set[tuple[str, int]] = field(default_factory=set)
    restarts: set[int] = field(default_factory=set)
    replies: dict[int, int] = field(default_factory=dict)


@dataclass
class Talk:
    """What was said: bytes each way, and the number of the byte behind each reply."""

    counts: dict[str, int] = field(default_factory=lambda: {"<": 0, ">": 0})
    ends: list[int] = field(default_factory=list)


def drawn(kind: str, seed: int, talk: Talk) -> Faults:
    """Two faults of ``kind``, anywhere in a conversation like ``talk``; six places of digits, since
    most bytes are none."""
    random = Random(f"{kind} {seed}")
    count = 6 if kind == "digits" else 2
    if kind == "restarts":
        return Faults(restarts={random.randrange(talk.counts["<"]) for _ in range(count)})
    if kind == "restarts in replies":
        return Faults(restarts={_within_reply(random, talk.ends) for _ in range(count)})
    if kind == "replies":
        again = {random.randrange(len(talk.ends)): random.choice(_LATE) for _ in range(count)}
        return Faults(replies=again)
    ways = [random.choice("><") for _ in range(count)]
    return Faults(**{kind: {(way, random.randrange(talk.counts[way])) for way in ways}})


def _within_reply(random: Random, ends: Sequence[int]) -> int:
    """Any reply, however short, and a byte behind its first."""
    number = random.randrange(1, len(ends))
    return random.randrange(ends[number - 1] + 1, ends[number])


class DamagedLine:
    """A ByteStream. A restart is a new stream of the runner, as a reset is to a real line."""

    def __init__(self, runner: Runner, faults: Faults):
        self.transcript = Transcript()
        self.talk = Talk()
        self._runner = runner
        self._faults = faults
        self._inner: ByteStream = runner.open()
        self._reply = bytearray()
        self._late: list[tuple[int, bytes]] = []  # pieces still to be sent, and the reply

    @property
    def alive(self) -> bool:
        return self._inner.alive

    def read(self, n: int, timeout: float) -> bytes:
        data = self._due() or self._damaged("<", self._inner.read(n, timeout))
        self.transcript.received(data)
        return data

    def write(self, data: bytes) -> None:
        self._late = [(left - 1, reply) for left, reply in self._late]
        self.transcript.sent(data)
        self._inner.write(self._damaged(">", data))

    def epitaph(self) -> tuple[str, ...]:
        return self._inner.epitaph()

    def close(self) -> None:
        self._inner.close()

    def _damaged(self, way: str, data: bytes) -> bytes:
        pieces = []
        for byte in data:
            number = self.talk.counts[way]
            self.talk.counts[way] += 1
            if way == "<" and number in self._faults.restarts:
                self._restart()
                break  # what was on its way is gone
            pieces.append(self._damaged_byte((way, number), byte))
            if way == "<":
                self._note(byte)
        return b"".join(pieces)

    def _note(self, byte: int) -> None:
        """Where a reply ends, which may be one that comes again."""
        self._reply.append(byte)
        if not self._reply.endswith(_READY):
            return
        number, reply = len(self.talk.ends), bytes(self._reply)
        self.talk.ends.append(self.talk.counts["<"])
        self._reply.clear()
        if number in self._faults.replies:
            self._late.append((self._faults.replies[number], reply))

    def _due(self) -> bytes:
        """Replies that come once more now."""
        due = [reply for left, reply in self._late if left <= 0]
        self._late = [each for each in self._late if each[0] > 0]
        return b"".join(due)

    def _damaged_byte(self, place: tuple[str, int], byte: int) -> bytes:
        if place in self._faults.lost:
            return b""
        if place in self._faults.bits:
            byte ^= 1 << place[1] % 7
        if place in self._faults.digits:
            byte = _next_digit(byte)
        return bytes([byte]) * (2 if place in self._faults.twice else 1)

    def _restart(self) -> None:
        self._reply.clear()
        self._inner.close()
        self._inner = self._runner.open()


class DamagedRunner:
    """``runner`` behind a DamagedLine."""

    def __init__(self, runner: Runner, faults: Faults):
        self._runner = runner
        self._faults = faults
        self.line: DamagedLine | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runner, name)

    def load(self, bundle: Bundle) -> None:
        self._runner.load(bundle)

    def open(self) -> ByteStream:
        self.line = DamagedLine(self._runner, self._faults)
        return self.line


def _next_digit(byte: int) -> int:
    if byte not in DIGITS:
        return byte
    return DIGITS[(DIGITS.index(byte) + 1) % len(DIGITS)]


def kinds() -> Sequence[str]:
    return ("restarts", "restarts in replies", "bits", "digits", "lost", "twice", "replies")
