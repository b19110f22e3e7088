"""Conversations that go wrong, and what the user is told."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer_hil.exchange import RETRIES, Timeouts
from deployer_hil.measure import send_weights
from deployer_hil.protocol import MAX_FRAME_BYTES
from deployer_hil.session import Session
from deployer_hil.stream import FdStream, socket_stream

Talk = Callable[..., Session]
Toy = Callable[..., Bundle]
_READY = b"m-ready\r\n"
DATA = bytes(i * 11 & 255 for i in range(1500))


def test_open_accepts_the_bundle_and_its_twin(talk: Talk, toy: Toy) -> None:
    talk().open(toy())
    talk(board="toy-twin").open(toy())


class Late:
    """A line on which each reply comes by itself once it is ``late``, and only to who waits longer
    than for silence."""

    def __init__(self, inner: FdStream, silence: float):
        self._inner, self._silence = inner, silence
        self._heard, self.late = b"", False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def read(self, n: int, timeout: float) -> bytes:
        if not self.late:
            return self._inner.read(n, timeout)
        if timeout <= self._silence:
            return b""
        while _READY not in self._heard and (data := self._inner.read(n, timeout)):
            self._heard += data
        end = self._heard.find(_READY) + len(_READY) if _READY in self._heard else n
        found, self._heard = self._heard[:end], self._heard[end:]
        return found


def test_a_stray_reply_that_comes_after_silence_shifts_no_other(
    device_stream: Callable[..., FdStream], toy: Toy
) -> None:
    """As from an emulator on a machine that has no time for it."""
    broken = [1, "m-x-mem-.static", "m-ready\r\nm-x-mem-[static"]  # one reply looks like two
    waits = Timeouts(silence=0.03, noise=0.3, hello=2, reply=2, run=2)
    line = Late(device_stream(garble={"x-mem": broken}), waits.silence)
    session = Session(line, timeouts=waits)
    session.open(toy())
    line.late = True
    assert session.mem()["arena"] == 3000


def test_another_board_is_refused(talk: Talk, toy: Toy) -> None:
    with pytest.raises(BenchError, match="the device is gap8, the bundle is for toy"):
        talk(board="gap8").open(toy())


def test_another_image_is_refused_naming_both_ids(talk: Talk, toy: Toy) -> None:
    with pytest.raises(BenchError) as caught:
        talk(id="f" * 16).open(toy())
    assert "it runs ffffffffffffffff, the bundle is 0123456789abcdef" in caught.value.what
    assert "deployer flash" in caught.value.hints[0]


def test_an_image_that_takes_no_nonce_is_told_apart(talk: Talk, toy: Toy) -> None:
    old = {"x-nonce": "unknown command, try help"}
    with pytest.raises(BenchError, match="the device says: unknown command") as caught:
        talk(refuse=old).open(toy())
    assert "build the bundle again" in caught.value.hints[-1]
    with pytest.raises(BenchError, match="it runs ffffffffffffffff"):
        talk(refuse=old, id="f" * 16).open(toy())


def test_a_fault_at_start_is_told(talk: Talk, toy: Toy) -> None:
    with pytest.raises(BenchError, match="did not come up well: clock: HSE timeout"):
        talk(boot_fault="clock: HSE timeout").open(toy())


def test_a_fault_of_the_life_before_is_told_with_what_to_do(talk: Talk, toy: Toy) -> None:
    with pytest.raises(BenchError, match="fault before this start: bus 5 pc=08000200") as caught:
        talk(boot_fault="fault before this start: bus 5 pc=08000200").open(toy())
    assert caught.value.hints[0].startswith("it is told once")


def test_a_device_that_faulted_is_not_called_silent(talk: Talk, toy: Toy) -> None:
    session = talk(hasty=True, fault_at="x-mem")
    session.open(toy())
    with pytest.raises(BenchError) as caught:
        session.mem()
    assert caught.value.what == "the device ended with a fault: memmanage 4 pc=08001234"


def test_the_stray_start_message_shifts_no_answer(talk: Talk, toy: Toy) -> None:
    """The start message comes while the answer to ``name`` is awaited."""
    session = talk(boot_delay=0.06)
    session.open(toy())
    assert session.bundle_id() == "0123456789abcdef"
    assert session.profile() == ("mlperf-tiny", "toy_net")


def test_a_device_slower_to_start_than_one_attempt_is_reached(talk: Talk, toy: Toy) -> None:
    session = talk(hasty=True, boot_delay=0.25)
    session.open(toy())
    assert session.mem()["arena"] == 3000


def test_a_slow_device_is_waited_for(talk: Talk, toy: Toy) -> None:
    session = talk(delay=0.05, dribble=True)
    session.open(toy())
    session.load(DATA)
    assert session.buffer() == DATA


def test_a_silent_device_is_described(talk: Talk, toy: Toy) -> None:
    with pytest.raises(BenchError) as caught:
        talk(hasty=True, silent_at="start").open(toy())
    error = caught.value
    assert error.what == "the device is silent: sent 'name', 4 times, waited 0.4 s"
    assert error.why[0] == "nothing was ever received"
    assert "> %name%" in error.why[1]


def test_silence_in_the_middle_shows_the_last_lines(talk: Talk, toy: Toy) -> None:
    session = talk(hasty=True, silent_at="x-mem")
    session.open(toy())
    with pytest.raises(BenchError) as caught:
        session.mem()
    assert caught.value.what == "the device is silent: sent 'x-mem', 4 times, waited 1.2 s"
    assert caught.value.why[-2:] == ("< m-ready", "> x-mem%")


def test_a_device_that_never_stops_is_given_up(talk: Talk) -> None:
    with pytest.raises(BenchError, match=r"never stops sending") as caught:
        talk(babble=True).hello()
    assert any(r"\xff\x00~ noise" in line for line in caught.value.why)


@pytest.mark.parametrize(
    ("verb", "pattern", "replacement"),
    [
        ("name", "dut", "du"),
        ("x-id", r"\[", "{"),
        ("x-id", "m-ready", "m-re\x00dy"),
        ("x-id", "m-x-id.*?\r\n", ""),
        ("x-mem", "arena=", "arena"),
        ("x-layers", r"m-x-layer-\[1,.*?\r\n", ""),
        ("x-out", "m-x-out-.[0-9a-f]{2}", "m-x-out-[00"),
        ("x-load", "ok", "oj"),
        ("infer", "m-infer-done", "m-infer"),
        ("results", r"\.", ","),
    ],
)
def test_a_reply_damaged_up_to_three_times_is_asked_for_again(
    talk: Talk, toy: Toy, verb: str, pattern: str, replacement: str
) -> None:
    endless = pattern == "m-ready"
    session = talk(hasty=endless, garble={verb: [RETRIES, pattern, replacement]})
    bundle = toy()
    session.open(bundle)
    session.load(bundle.golden["input"][0].tobytes())
    assert session.mem()["stack_size"] == 4096
    assert len(session.infer(1, 0).results) == 33
    assert [layer.crc for layer in session.layers(3)] == list(bundle.golden["crc"][0])
    assert session.output(0) == bundle.golden["output"][0].tobytes()[:33]
    assert len(session.results()) == 33


def test_a_reply_damaged_every_time_is_an_error_with_the_raw_line(talk: Talk, toy: Toy) -> None:
    session = talk(garble={"x-mem": [99, "arena", "ar\x01na"]})
    session.open(toy())
    with pytest.raises(BenchError, match="bad reply to 'x-mem', 4 times") as caught:
        session.mem()
    assert r"< m-x-mem-[ar\x01na=3000]" in caught.value.why


def test_what_the_device_refuses_is_quoted(talk: Talk, toy: Toy) -> None:
    session = talk(refuse={"profile": "no profile"})
    session.open(toy())
    with pytest.raises(BenchError, match="the device says: no profile"):
        session.profile()


@pytest.mark.parametrize("fault", ["flip_frames", "short_frames"])
def test_damaged_frames_are_sent_again(talk: Talk, toy: Toy, fault: str) -> None:
    session = talk(hasty=fault == "short_frames", **{fault: RETRIES})
    session.open(toy())
    session.load(DATA)
    assert session.buffer() == DATA
    assert session.bundle_id() == "0123456789abcdef"


def test_frames_damaged_every_time_are_an_error(talk: Talk, toy: Toy) -> None:
    session = talk(flip_frames=99)
    session.open(toy())
    with pytest.raises(BenchError, match=r"bad reply to 'x-load 0 1024 .*the device says: x-load"):
        session.load(DATA)


def test_weights_the_device_lacks_are_sent_once(talk: Talk, toy: Toy) -> None:
    session, told = talk(flip_frames=2), []
    session.open(toy())
    send_weights(session, DATA, lambda label, done, total: told.append((label, done, total)))
    assert told == [("send weights", 1024, 1500), ("send weights", 1500, 1500)]
    assert session.weights_found(DATA) == "ram"
    send_weights(session, DATA, lambda label, done, total: told.append((label, done, total)))
    assert len(told) == 2


def test_weights_that_lie_in_flash_are_not_sent(talk: Talk, toy: Toy) -> None:
    session = talk(weights=DATA, forgetful=True)
    session.open(toy())
    send_weights(session, DATA)
    assert session.weights_found(DATA) == "flash"


def test_weights_that_do_not_stay_are_an_error(talk: Talk, toy: Toy) -> None:
    session = talk(forgetful=True)
    session.open(toy())
    with pytest.raises(BenchError, match="not what the device reads back") as caught:
        send_weights(session, DATA)
    assert caught.value.why == ("1,500 bytes, behind the memory of the arena",)


def test_an_input_of_one_frame_and_a_byte_arrives(talk: Talk, toy: Toy) -> None:
    session = talk(inputs=[MAX_FRAME_BYTES + 1])
    session.open(toy(inputs=[MAX_FRAME_BYTES + 1]))
    session.load(DATA[: MAX_FRAME_BYTES + 1])
    assert session.buffer() == DATA[: MAX_FRAME_BYTES + 1]


@pytest.mark.parametrize(("baud", "seconds"), [(921_600, 0.45), (2_000_000, 0.2)])
def test_an_image_of_96_by_96_is_there_in_time(
    device_stream: Callable[..., FdStream], toy: Toy, baud: int, seconds: float
) -> None:
    """Counted: ten bits a byte, both directions, which take turns."""
    image = {"inputs": [96 * 96 * 3]}
    stream = device_stream(**image)
    session = Session(stream, timeouts=Timeouts(silence=0.03))
    session.open(toy(**image))
    moved = 0

    def count(sent: bytes) -> None:
        nonlocal moved
        moved += len(sent)

    stream.transcript.sent = stream.transcript.received = count  # type: ignore[method-assign]
    session.load(bytes(96 * 96 * 3))
    assert moved > 96 * 96 * 3
    assert 10 * moved / baud < seconds


def test_stale_bytes_are_no_answer(device_stream: Callable[..., FdStream], toy: Toy) -> None:
    stream = device_stream()
    session = Session(stream, timeouts=Timeouts(silence=0.03, hello=0.5))
    session.open(toy())
    stream.write(b"profile%")  # somebody else's question
    while b"mlperf" not in stream.transcript.heard + stream.read(1, 1):
        pass
    assert session.bundle_id() == "0123456789abcdef"


def test_exit_ends_a_hosted_device(device_stream: Callable[..., FdStream], toy: Toy) -> None:
    stream = device_stream()
    session = Session(stream, timeouts=Timeouts(silence=0.03))
    session.open(toy())
    session.exit()
    while stream.read(64, 2):
        pass
    assert not stream.alive
    with pytest.raises(BenchError, match="the device ended"):
        session.bundle_id()


@settings(deadline=None, max_examples=60)
@given(noise=st.lists(st.binary(max_size=60), min_size=1, max_size=6))
def test_garbage_never_raises_anything_but_bench_errors(noise: list[bytes]) -> None:
    ours, theirs = socket.socketpair()
    stream = socket_stream(ours)
    waits = Timeouts(silence=0.001, noise=0.1, hello=0.001, reply=0.001, run=0.001)
    session = Session(stream, timeouts=waits)
    with theirs:
        theirs.sendall(b"\r\n".join(noise) + b"\r\nm-ready\r\n")
        for ask in (session.layers, session.mem, session.caps, session.hello):
            with pytest.raises(BenchError):
                ask()
    stream.close()
