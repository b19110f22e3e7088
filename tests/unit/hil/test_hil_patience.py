"""How long each question is waited for, on a line where nothing comes and no time passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deployer.errors import BenchError
from deployer_hil.exchange import Timeouts
from deployer_hil.session import Session
from deployer_hil.stream import Transcript

WAITS = Timeouts(silence=1, noise=2, hello=3, reply=5, run=7, constants=6)


class Mute:
    """A line that gives what ``answers`` has for what was written; ``waits`` of each read."""

    alive = True

    def __init__(self, answers: dict[bytes, bytes] | None = None) -> None:
        self.transcript = Transcript()
        self.waits: list[float] = []
        self.written: list[bytes] = []
        self.answers = answers or {}
        self.pending = b""

    def read(self, n: int, timeout: float) -> bytes:
        self.waits.append(timeout)
        data, self.pending = self.pending[:n], self.pending[n:]
        self.transcript.received(data)
        return data

    def write(self, data: bytes) -> None:
        self.written.append(data)
        self.transcript.sent(data)
        self.pending += self.answers.get(data, b"")

    def epitaph(self) -> tuple[str, ...]:
        return ()

    def close(self) -> None: ...


ASKED: dict[str, tuple[Callable[[Session], Any], str]] = {
    "hello": (Session.hello, "'name', 4 times, waited 12 s"),
    "bundle_id": (Session.bundle_id, "'x-id', waited 5 s"),
    "profile": (Session.profile, "'profile', waited 5 s"),
    "timestamp": (Session.timestamp, "'timestamp', waited 5 s"),
    "caps": (Session.caps, "'x-caps', waited 5 s"),
    "mem": (Session.mem, "'x-mem', waited 5 s"),
    "load": (lambda s: s.load(b"abc"), "'x-load 0 3 1b0abf6d', waited 5 s"),
    "found": (lambda s: s.weights_found(bytes(300_000)), "'x-l3 300000 f6b2e2fb', waited 8 s"),
    "send": (lambda s: s.send_weights(b"abc"), "'x-l3 0 3 1b0abf6d', waited 5 s"),
    "constants": (Session.constants, "'x-crc', waited 6 s"),
    "infer": (Session.infer, "'infer 1 0', waited 12 s"),
    "infer more": (lambda s: s.infer(3, 2), "'infer 3 2', waited 40 s"),
    "layers": (Session.layers, "'x-layers', waited 12 s"),
    "layers warm": (lambda s: s.layers(before=3), "'x-layers 3', waited 33 s"),
    "output": (Session.output, "'x-out 0', waited 5 s"),
    "output more": (lambda s: s.output(2), "'x-out 2', waited 5 s"),
    "results": (Session.results, "'results', waited 5 s"),
    "upload": (lambda s: s.upload(b"abc"), "'db load 3', waited 5 s"),
    "buffer": (Session.buffer, "'db print', waited 5 s"),
}


@pytest.mark.parametrize(("ask", "told"), ASKED.values(), ids=ASKED.keys())
def test_each_question_has_its_time(ask: Callable[[Session], Any], told: str) -> None:
    with pytest.raises(BenchError) as caught:
        ask(Session(Mute(), timeouts=WAITS))
    assert caught.value.what == f"the device is silent: sent {told}"
    assert caught.value.why[0] == "nothing was ever received"
    assert caught.value.hints[0].startswith("is it powered")


def test_who_says_nothing_of_time_waits_as_the_protocol_has_it() -> None:
    line = Mute()
    session = Session(line)
    for ask, seconds in (
        (Session.hello, 8),
        (Session.mem, 4.5),
        (Session.infer, 5.5),
    ):
        with pytest.raises(BenchError, match=f"waited {seconds} s"):
            ask(session)
    assert line.waits[0] == 0.2  # of silence after the first %
    assert Timeouts().noise == 9


def test_the_line_is_quiet_before_a_question_and_once_more_after_a_late_answer() -> None:
    """Waits of the reads: silence, nothing old, the reply; then the answers to earlier attempts."""
    line = Mute()
    with pytest.raises(BenchError):
        Session(line, timeouts=WAITS).hello()
    assert line.waits == [1, 0, 3] * 4
    assert line.written == [b"%", b"name%"] * 4
    line = Mute({b"name%": b"m-name-dut-[toy]\r\nm-ready\r\n"})
    assert Session(line, timeouts=WAITS).hello() == "toy"
    assert line.written == [b"%", b"name%"]


def test_a_frame_that_is_lost_is_filled_up_before_the_next_try() -> None:
    header = b"x-load 0 3 1b0abf6d%"
    line = Mute({header: b"x-lo\r\nm-ready\r\n"})
    with pytest.raises(BenchError):
        Session(line, timeouts=WAITS).load(b"abc")
    assert line.written == [header, *[b"%" * 1024, header] * 3]


def started(answers: dict[bytes, bytes]) -> tuple[Mute, Session]:
    """A session whose device has its nonce, and answers so."""
    line = Mute()
    session = Session(line, timeouts=WAITS)

    def write(data: bytes) -> None:
        line.written.append(data)
        if data.startswith(b"x-nonce "):
            line.answers[b"x-nonce%"] = b"m-x-nonce-[" + data[8:16] + b"]\r\nm-ready\r\n"
            line.pending += line.answers[b"x-nonce%"]
        line.pending += answers.get(data, b"") or line.answers.get(data, b"")

    line.write = write  # type: ignore[method-assign]
    session._line.give_nonce()
    line.written.clear()
    return line, session


class RestartsOnce(Mute):
    """Says its name; a restart takes the first nonce with it."""

    def write(self, data: bytes) -> None:
        super().write(data)
        if data == b"name%":
            self.pending += b"m-name-dut-[toy]\r\nm-ready\r\n"
        if data.startswith(b"x-nonce ") and data in self.written[:-1]:
            self.pending += b"m-x-nonce-[" + data[8:16] + b"]\r\nm-ready\r\n"


def test_a_device_that_restarts_before_its_nonce_is_greeted_again() -> None:
    line = RestartsOnce()
    Session(line, timeouts=WAITS)._line.give_nonce()
    nonce = line.written[0]
    assert line.written == [nonce, b"%", b"name%", nonce]


def test_a_device_that_dies_before_its_nonce_is_told_soon() -> None:
    line = Mute()
    with pytest.raises(BenchError, match="silent: sent 'name', waited 3 s"):
        Session(line, timeouts=WAITS)._line.give_nonce()
    assert sum(wait for wait in line.waits if wait != 1) == 6


def test_a_command_that_was_lost_is_sent_again_to_a_device_that_still_answers() -> None:
    line, session = started({})
    with pytest.raises(BenchError, match="silent: sent 'x-mem', 4 times, waited 20 s"):
        session.mem()
    assert line.written == [*[b"x-mem%", b"%", b"x-nonce%"] * 3, b"x-mem%"]


def test_a_device_that_falls_silent_is_not_asked_again() -> None:
    line, session = started({b"x-nonce%": b""})
    line.answers.clear()
    with pytest.raises(BenchError, match="silent: sent 'x-mem', waited 8 s"):
        session.mem()
    assert line.written == [b"x-mem%", b"%", b"x-nonce%"]


def test_a_device_that_falls_silent_in_its_reply_is_not_waited_for_again() -> None:
    line, session = started({b"x-mem%": b"m-x-mem-[a=1]\r\n"})
    line.answers.clear()
    with pytest.raises(BenchError, match="silent: sent 'x-mem', waited 3 s"):
        session.mem()
    assert line.written == [b"x-mem%", b"%", b"x-nonce%"]


def layers(count: int) -> bytes:
    text = "".join(f"m-x-layer-[{i},1,00000000]\r\n" for i in range(count))
    return text.encode() + b"m-ready\r\n"


@pytest.mark.parametrize(("lines", "fine"), [(99_999, True), (100_000, False)])
def test_a_reply_has_an_end(lines: int, fine: bool) -> None:
    session = Session(Mute({b"x-layers%": layers(lines)}), timeouts=WAITS)
    if fine:
        assert len(session.layers(lines)) == lines
        return
    with pytest.raises(BenchError, match="a reply of more than 100000 lines"):
        session.layers()


@pytest.mark.parametrize(
    ("reply", "what", "line"),
    [
        (b"m-x-mem-[a=1]\r\n", "the reply did not end within 5 s", "line: m-x-mem-[a=1]"),
        (b"m-x-mem-[a=1]\r\nm-re", "the reply did not end within 5 s", "line: m-re"),
        (b"m-x-mem-[a=1", "the reply did not end within 5 s", "line: m-x-mem-[a=1"),
        (b"m-ready\r\n", "an empty reply", "> x-mem%"),
    ],
)
def test_a_reply_that_is_cut_is_told_with_its_last_line(reply: bytes, what: str, line: str) -> None:
    with pytest.raises(BenchError) as caught:
        Session(Mute({b"x-mem%": reply}), timeouts=WAITS).mem()
    assert caught.value.what == f"bad reply to 'x-mem', 4 times: {what}"
    assert caught.value.why[0].startswith(line)
    hint = "check cable and baud rate; is another program on the same port?"
    assert caught.value.hints == (hint,)


def test_what_the_device_refuses_is_not_the_cable_s_fault() -> None:
    with pytest.raises(BenchError) as caught:
        Session(Mute({b"x-mem%": b"e-[no]\r\nm-ready\r\n"}), timeouts=WAITS).mem()
    assert caught.value.what == "bad reply to 'x-mem', 4 times: the device says: no"
    assert caught.value.why[0] == "line: e-[no]"
    assert caught.value.hints == ()


def test_an_upload_is_asked_once_and_each_part_confirmed() -> None:
    data = bytes(range(70))
    parts = [b"db " + data[i : i + 32].hex().encode() + b"%" for i in (0, 32, 64)]
    done = b"m-load-done\r\nm-ready\r\n"
    answers = {
        b"db load 70%": b"m-[Expecting 70 bytes]\r\nm-ready\r\n",
        **dict.fromkeys(parts[:2], b"m-ready\r\n"),
        parts[2]: done,
    }
    line = Mute(answers)
    Session(line, timeouts=WAITS).upload(data)
    assert line.written == [b"db load 70%", *parts]
    for bad in ({parts[0]: done}, {parts[2]: b"m-ready\r\n"}, {b"db load 70%": done}):
        line = Mute(answers | bad)
        with pytest.raises(BenchError, match=r"bad reply to 'db [^,]*'"):
            Session(line, timeouts=WAITS).upload(data)
        assert line.written.count(next(iter(bad))) == 1


def test_a_fault_before_the_silence_is_told_with_the_way_to_find_it() -> None:
    line = Mute({b"x-mem%": b""})
    line.transcript.received(b"\r\ne-[fault bus 5 pc=08001234]\r\n")
    with pytest.raises(BenchError) as caught:
        Session(line, timeouts=WAITS).mem()
    assert caught.value.what == "the device ended with a fault: bus 5 pc=08001234"
    assert caught.value.hints[0].startswith("reset it; pc= is where")


def test_every_start_fault_is_told() -> None:
    line = Mute()
    start = b"m-timestamp-mode-performance\r\nm-lap-us-0\r\nm-init-done\r\n"
    line.transcript.received(start + b"e-[clock: no HSE]\r\ne-[no PLL]\r\nm-ready\r\n")
    with pytest.raises(BenchError) as caught:
        Session(line)._check_boot()
    assert caught.value.what == "the device did not come up well: clock: no HSE"
    assert caught.value.why == ("no PLL",)
    assert caught.value.hints[0].startswith("power it off and on")


def test_a_device_may_check_a_hundred_thousand_bytes_a_second() -> None:
    line = Mute()
    with pytest.raises(BenchError):
        Session(line, timeouts=WAITS).weights_found(bytes(300_000))
    assert max(line.waits) == 8.0


def test_a_start_message_that_is_whole_is_not_waited_behind() -> None:
    """But for one with a fault, or where a reply was damaged before: then for silence."""
    start = b"m-timestamp-mode-performance\r\nm-lap-us-7\r\nm-init-done\r\nm-ready\r\n"
    name = {b"name%": b"m-name-dut-[toy]\r\nm-ready\r\n"}
    line = Mute({b"%": start, **name})
    assert Session(line, timeouts=WAITS).hello() == "toy"
    assert line.waits.count(WAITS.silence) == 1
    line = Mute({b"%": start.replace(b"m-ready", b"e-[clock]\r\nm-ready"), **name})
    assert Session(line, timeouts=WAITS).hello() == "toy"
    assert line.waits.count(WAITS.silence) == 2


@pytest.mark.parametrize("noise", [b"~ noise \r\n" * 2000, b"~" * 200_000])
def test_noise_is_not_listened_to_until_it_ends(noise: bytes) -> None:
    line = Mute({b"x-mem%": noise, b"x-nonce%": noise})
    with pytest.raises(BenchError, match="bad reply to 'x-mem', 4 times: "):
        Session(line, timeouts=WAITS).mem()
    assert len(line.waits) < 2000
