"""Streams whose program says more than the device."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.errors import BenchError
from deployer_hil.cpu_time import CpuWatch
from deployer_hil.quiet import QuietStream
from deployer_hil.stream import FdStream

NOISE = b"noise!\n"


class Peer:
    def epitaph(self) -> tuple[str, ...]:
        return ("it ended",)

    def close(self) -> None: ...


class Line:
    """A quiet stream over a pipe; what was written to it comes back."""

    def __init__(self, closed: Callable[[], None] = lambda: None):
        self.reader, self.writer = os.pipe()
        inner, watch = FdStream(self.reader, self.writer, Peer()), CpuWatch(os.getpid(), 60.0)
        self.stream = QuietStream(inner, NOISE, closed, watch)

    def say(self, data: bytes) -> None:
        os.write(self.writer, data)

    def end(self) -> None:
        os.close(self.writer)


pieces = st.lists(st.sampled_from([b"noise", b"n", b"!\n", b"no", b"m-ready\r\n", b"\n"]))


@given(before=pieces, noisy=st.lists(st.integers(0, 40)), limit=st.integers(1, 20))
def test_what_the_device_said_is_left(before: list[bytes], noisy: list[int], limit: int) -> None:
    """Wherever the noise comes, and however much is read at once."""
    text = b"".join(before)
    while NOISE in text:  # what is left may be noise again
        text = text.replace(NOISE, b"")
    mixed = text
    for place in sorted((place % (len(text) + 1) for place in noisy), reverse=True):
        mixed = mixed[:place] + NOISE + mixed[place:]
    line = Line()
    line.say(mixed)
    line.end()
    heard = b""
    while line.stream.alive:
        part = line.stream.read(limit, 1.0)
        assert len(part) <= limit
        heard += part
    os.close(line.reader)
    assert heard == text
    assert line.stream.transcript.heard == text


def test_the_beginning_of_noise_may_be_text() -> None:
    line = Line()
    line.say(b"m-noi")
    assert line.stream.read(100, 0.02) == b"m-"
    assert line.stream.read(100, 0.02) == b"noi"
    line.say(b"no")
    assert line.stream.read(100, 0.02) == b"no"


def test_noise_in_two_parts_is_noise() -> None:
    line = Line()
    line.say(b"a" + NOISE[:3])
    assert line.stream.read(100, 0.02) == b"a"
    line.say(NOISE[3:] + b"b")
    assert line.stream.read(100, 0.02) == b"b"


def test_what_was_listened_for_is_still_read() -> None:
    line = Line()
    line.stream.listen(0.02)
    assert line.stream.read(100, 0.02) == b""
    line.say(b"m-ready\r\n")
    line.stream.listen(1.0)
    assert line.stream.read(100, 0.02) == b"m-ready\r\n"


def test_noise_alone_is_silence() -> None:
    line = Line()
    line.say(NOISE * 3)
    assert line.stream.read(100, 0.02) == b""
    assert line.stream.alive


def test_an_error_shows_the_device_alone() -> None:
    line = Line()
    line.say(b"last words\r\n" + NOISE)
    assert line.stream.read(100, 0.02) == b"last words\r\n"
    os.close(line.reader)
    os.close(line.writer)
    with pytest.raises(BenchError) as caught:
        line.stream.write(b"name%")
    assert caught.value.why == ("it ended", "< last words")


def test_closing_says_so_after_the_program_ended() -> None:
    happened: list[str] = []
    line = Line(closed=lambda: happened.append("closed"))
    line.stream.close()
    assert happened == ["closed"]
    assert not line.stream.alive
