"""Questions and answers on a line that loses, damages and repeats bytes.

A question is asked again when its answer is damaged. Before that the line is brought to quiet, and
the device must still have the nonce of its start: a restart took what was loaded with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from deployer.errors import BenchError
from deployer_hil import protocol
from deployer_hil.lines import LineReader
from deployer_hil.protocol import BadReply
from deployer_hil.stream import ByteStream, printable
from deployer_hil.trailer import NO_NONCE, Trailers, fresh_nonce, give_nonce, parse_nonce, without

T = TypeVar("T")
Parse = Callable[[Sequence[str]], T]
RETRIES = 3
_REPLY_LINES = 100_000
_NOISE_LINES = 64
_STRAY_REPLIES = 16
_FAULT = "reset it; pc= is where, in the disassembly of the bundle's firmware"


@dataclass(frozen=True)
class Timeouts:
    """Seconds without a byte after which a wait ends. With a question about the nonce behind it, no
    wait but that for an inference takes more than ten."""

    silence: float = 0.2  # the line is quiet
    noise: float = 9.0  # longest time to wait for quiet
    hello: float = 2.0  # one attempt at ``name`` or the nonce; an emulator may still be starting
    reply: float = 4.5  # a command, beside what it computes
    run: float = 1.0  # one inference
    constants: float = 5.0  # reading all weights

    def running(self, inferences: int) -> float:
        """Of a command that runs so many."""
        return self.reply + self.run * inferences


class Silent(Exception):
    """No reply at all. ``waited`` is in seconds."""

    def __init__(self, waited: float):
        super().__init__(f"silent for {waited:g} s")
        self.waited = waited


class DeviceRestarted(BenchError):
    """The device forgot its nonce: input, weights that were sent and counts are gone."""


class Exchange:
    """Commands and replies over ``stream``. All raise BenchError when the bench is at fault."""

    def __init__(self, stream: ByteStream, timeouts: Timeouts):
        self.stream = stream
        self.timeouts = timeouts
        self._lines = LineReader(stream)
        self._trailers: Trailers | None = None

    def hello(self, *, silences: int = RETRIES + 1) -> str:
        """The device's board name, from wherever it was in a conversation. Forgets its nonce.
        ``silences``: how often it may say nothing at all."""
        self._trailers = None
        last: BadReply | Silent | None = None
        attempt = 0
        while silences and attempt <= RETRIES:
            attempt += 1
            # a start message that is whole has nothing behind it: there is no need to wait
            self._resync(until=b"" if last else protocol.STARTED)
            try:
                name = self._reply("name", self.timeouts.hello, protocol.parse_name)
            except (BadReply, Silent) as error:
                last = error
                silences -= isinstance(error, Silent)
                continue
            if last is not None:
                self._resync()  # the answers to the earlier attempts
            return name
        raise self._failed("name", last, attempt)

    def give_nonce(self) -> None:
        """From now on every reply must be of this start of the device. One that restarts while it
        is asked is greeted and asked again: nothing was loaded yet."""
        nonce = fresh_nonce()
        command = give_nonce(nonce)

        def parse(lines: Sequence[str]) -> None:
            _echoed(parse_nonce(lines), nonce)

        try:
            self._reply(command, self.timeouts.hello, parse)
        except (BadReply, Silent):
            self.hello(silences=1)
            self.ask(command, parse)
        self._trailers = Trailers(nonce)

    def ask(self, command: str, parse: Parse[T], *, timeout: float | None = None) -> T:
        """The answer; a damaged one is asked for again, RETRIES times."""
        return self._attempt(command, parse, timeout=timeout, attempts=RETRIES + 1)

    def once(self, command: str, parse: Parse[T], *, timeout: float | None = None) -> T:
        """The answer to what the device must not be told twice."""
        return self._attempt(command, parse, timeout=timeout, attempts=1)

    def load_frame(self, verb: str, offset: int, frame: bytes) -> None:
        """Have ``frame`` where ``verb`` puts what is at ``offset``."""
        header = protocol.frame_header(verb, offset, frame)
        last: BadReply | Silent | None = None
        for _ in range(RETRIES + 1):
            if last is not None:
                # If bytes were lost the device still waits for them: fill its frame up. What it
                # does not need are empty commands.
                self._begin_again(header, last, protocol.RESYNC * protocol.MAX_FRAME_BYTES)
            try:
                return self._send_frame(verb, header, frame)
            except (BadReply, Silent) as error:
                last = error
        raise self._failed(header, last, RETRIES + 1)

    def tell(self, command: str) -> None:
        """Send, and wait for nothing."""
        self._send(protocol.encode(command))

    def _send(self, data: bytes) -> None:
        self.stream.write(data)
        if self._trailers is not None:
            self._trailers.sent(data)

    def _attempt(self, command: str, parse: Parse[T], *, timeout: float | None, attempts: int) -> T:
        wait = self.timeouts.reply if timeout is None else timeout
        last: BadReply | Silent | None = None
        for _ in range(attempts):
            if last is not None:
                self._begin_again(command, last)
            try:
                return self._reply(command, wait, parse)
            except (BadReply, Silent) as error:
                last = error
        raise self._failed(command, last, attempts)

    def _send_frame(self, verb: str, header: str, frame: bytes) -> None:
        wait, go = self.timeouts.reply, protocol.go(verb)
        self._lines.discard()
        self.tell(header)
        begun = self._read_reply(wait, go)
        protocol.parse_go(begun if begun[-1:] == [go] else self._strip(header, begun), verb)
        self._send(frame)
        lines = [*begun, *self._read_reply(wait, protocol.READY)]
        protocol.parse_loaded(self._strip(header, lines)[len(begun) :], verb)

    def _reply(self, command: str, timeout: float, parse: Parse[T]) -> T:
        self._lines.discard()
        self.tell(command)
        return parse(self._strip(command, self._read_reply(timeout, protocol.READY)))

    def _strip(self, command: str, lines: list[str]) -> list[str]:
        """``lines`` without the trailer, which must be there once a nonce was given."""
        return self._trailers.strip(command, lines) if self._trailers else without(lines)

    def _read_reply(self, timeout: float, end: str) -> list[str]:
        """Lines up to ``m-ready``, or up to and with ``end`` when that is another line."""
        lines: list[str] = []
        noise = 0
        while len(lines) < _REPLY_LINES:
            line = self._lines.next(timeout)
            if line is None:
                raise self._unfinished(lines, timeout)
            if line == protocol.READY:
                return lines
            lines.append(line)
            if line == end:
                return lines
            noise += not line.startswith(protocol.REPLIES)
            if noise > _NOISE_LINES:  # a device that never stops would be listened to for minutes
                raise BadReply(f"more than {_NOISE_LINES} lines are none of a reply", line)
        raise BadReply(f"a reply of more than {_REPLY_LINES} lines", lines[-1])

    def _unfinished(self, lines: Sequence[str], timeout: float) -> BadReply | Silent:
        if not lines and not self._lines.partial:
            return Silent(timeout)
        last = printable(self._lines.partial) or lines[-1]
        return BadReply(f"the reply did not end within {timeout:g} s", last)

    def _begin_again(
        self, command: str, last: BadReply | Silent, sent: bytes = protocol.RESYNC
    ) -> None:
        """Have a quiet line for another attempt, to a device that still answers: what was sent may
        have been lost."""
        if self._trailers is None and isinstance(last, Silent):
            raise self._failed(command, last, 1)
        self._resync(sent)
        self._require_same_start(command, last)

    def _resync(self, sent: bytes = protocol.RESYNC, *, until: bytes = b"") -> None:
        """End whatever command is half sent, forget every reply on its way: up to a pause, or to
        ``until``."""
        self._send(sent)
        if self._lines.drain(self.timeouts.silence, self.timeouts.noise, until=until):
            return
        raise BenchError(
            f"the device never stops sending: {self.timeouts.noise:g} s without a pause",
            why=self.stream.transcript.tail(),
            hints=["is it another program's port, or the wrong baud rate?"],
        )

    def _require_same_start(self, command: str, last: BadReply | Silent) -> None:
        """Raise DeviceRestarted unless the device still has its nonce, BenchError when it does not
        answer. A reply that says neither is left to the next attempt."""
        if self._trailers is None:
            return
        self._lines.discard()
        self.tell("x-nonce")
        try:
            seen = self._told_nonce()
        except Silent as error:
            waited = error.waited + (last.waited if isinstance(last, Silent) else 0)
            raise self._failed(command, Silent(waited), 1) from None
        if seen != NO_NONCE:
            return
        raise DeviceRestarted(
            f"the device restarted while {command!r} was answered",
            why=self.stream.transcript.tail(),
            hints=["check its supply and its reset line; a watchdog or a debugger resets too"],
        )

    def _told_nonce(self) -> int | None:
        """The answer to ``x-nonce``, None for none that is whole. Answers to what was sent before
        may come first, however quiet the line was: left there, they would shift all others."""
        for came in range(_STRAY_REPLIES):
            try:
                lines = self._read_reply(self.timeouts.hello, protocol.READY)
            except BadReply:
                return None
            except Silent:
                if came:
                    return None
                raise
            with suppress(BadReply):
                return parse_nonce(lines)
        return None

    def _failed(self, command: str, error: BadReply | Silent | None, attempts: int) -> BenchError:
        heard = self.stream.transcript.tail()
        times = f", {attempts} times" if attempts > 1 else ""
        if isinstance(error, BadReply):
            line = [f"line: {printable(error.line.encode())}"] if error.line else []
            refused = error.line.startswith("e-[")
            cable = "check cable and baud rate; is another program on the same port?"
            return BenchError(
                f"bad reply to {command!r}{times}: {error.what}",
                why=[*line, *heard],
                hints=[] if refused else [cable],
            )
        fault = protocol.device_fault(self.stream.transcript.heard)
        if fault:
            return BenchError(f"the device ended with a fault: {fault}", why=heard, hints=[_FAULT])
        waited = error.waited * attempts if error else 0.0
        return BenchError(
            f"the device is silent: sent {command!r}{times}, waited {waited:g} s",
            why=heard if self.stream.transcript.heard else ["nothing was ever received", *heard],
            hints=["is it powered, programmed with this bundle, and the port at its baud rate?"],
        )


def _echoed(seen: int, wanted: int) -> None:
    if seen != wanted:
        raise BadReply(f"nonce {seen:08x} where {wanted:08x} was sent")
