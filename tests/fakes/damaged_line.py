"""A runner whose line damages bytes and whose device restarts, where a seed says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from deployer.bundle import Bundle
from deployer_hil.runner import Runner
from deployer_hil.stream import ByteStream, Transcript

DIGITS = b"0123456789"


@dataclass
class Faults:
    """By the number of the byte on the line, each way: ``bits`` and ``digits`` that flip, bytes
    that are ``lost`` or come ``twice``; ``restarts`` before a byte that is received."""

    bits: set[tuple[str, int]] = field(default_factory=set)
    digits: set[tuple[str, int]] = field(default_factory=set)
    lost: set[tuple[str, int]] = field(default_factory=set)
    twice: set[tuple[str, int]] = field(default_factory=set)
    restarts: set[int] = field(default_factory=set)


def drawn(kind: str, seed: int, received: int, sent: int) -> Faults:
    """Two faults of ``kind``, anywhere in a talk of so many bytes; six places of digits, since most
    bytes are none."""
    random = Random(f"{kind} {seed}")
    count = 6 if kind == "digits" else 2
    if kind == "restarts":
        return Faults(restarts={random.randrange(received) for _ in range(count)})
    ways = [random.choice("><") for _ in range(count)]
    places = {(way, random.randrange(sent if way == ">" else received)) for way in ways}
    return Faults(**{kind: places})


class DamagedLine:
    """A ByteStream. A restart is a new stream of the runner, as a reset is to a real line."""

    def __init__(self, runner: Runner, faults: Faults):
        self.transcript = Transcript()
        self.counts = {"<": 0, ">": 0}
        self._runner = runner
        self._faults = faults
        self._inner: ByteStream = runner.open()

    @property
    def alive(self) -> bool:
        return self._inner.alive

    def read(self, n: int, timeout: float) -> bytes:
        data = self._damaged("<", self._inner.read(n, timeout))
        self.transcript.received(data)
        return data

    def write(self, data: bytes) -> None:
        self.transcript.sent(data)
        self._inner.write(self._damaged(">", data))

    def epitaph(self) -> tuple[str, ...]:
        return self._inner.epitaph()

    def close(self) -> None:
        self._inner.close()

    def _damaged(self, way: str, data: bytes) -> bytes:
        pieces = []
        for byte in data:
            number, self.counts[way] = self.counts[way], self.counts[way] + 1
            if way == "<" and number in self._faults.restarts:
                self._restart()
                break  # what was on its way is gone
            pieces.append(self._damaged_byte((way, number), byte))
        return b"".join(pieces)

    def _damaged_byte(self, place: tuple[str, int], byte: int) -> bytes:
        if place in self._faults.lost:
            return b""
        if place in self._faults.bits:
            byte ^= 1 << place[1] % 7
        if place in self._faults.digits:
            byte = _next_digit(byte)
        return bytes([byte]) * (2 if place in self._faults.twice else 1)

    def _restart(self) -> None:
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


def kinds() -> Iterable[str]:
    return ("restarts", "bits", "digits", "lost", "twice")
