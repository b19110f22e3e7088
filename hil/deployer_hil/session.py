"""A conversation with a device that speaks docs/protocol.md.

There are no sequence numbers in the protocol, so one stray reply would shift every later answer.
Hence: resynchronize on opening, parse strictly, drop what nobody requested, and on a damaged reply
resynchronize and ask again. Every wait ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer_hil import protocol
from deployer_hil.lines import LineReader
from deployer_hil.protocol import BadReply, Constants, Inference, Layer
from deployer_hil.stream import ByteStream, printable

T = TypeVar("T")
RETRIES = 3
_REPLY_LINES = 100_000
_SLOWEST_CRC_BYTES_PER_SECOND = 100e3  # bytes a second, of the slowest emulator
_SLOWEST_MACS_PER_SECOND = 10e6  # MACs a second of an emulator that shares its machine with others
_POWER = "power it off and on; timing on a wrong clock would be worthless"
_EARLIER = "it is told once: run again, and see whether it ends in the same way"
_FAULT = "reset it; pc= is where, in the disassembly of the bundle's firmware"


@dataclass(frozen=True)
class Timeouts:
    """Seconds without a byte after which a wait ends."""

    silence: float = 0.2  # the line is quiet
    noise: float = 10.0  # longest time to wait for quiet
    hello: float = 2.5  # one attempt at ``name``; an emulator may still be starting
    reply: float = 5.0  # commands that do not compute
    run: float = 60.0  # one inference, on the slowest emulator


def timeouts_for(bundle: Bundle, *, slow: int = 1) -> Timeouts:
    """More time for a run where the network has more to compute: all of it may be one step; and
    ``slow`` times as much for every answer."""
    macs = bundle.manifest.get("model", {}).get("macs", 0)
    return Timeouts(
        hello=Timeouts.hello * slow,
        reply=Timeouts.reply * slow,
        run=(Timeouts.run + macs / _SLOWEST_MACS_PER_SECOND) * slow,
    )


class Silent(Exception):
    """No reply at all. ``waited`` is in seconds."""

    def __init__(self, waited: float):
        super().__init__(f"silent for {waited:g} s")
        self.waited = waited


class Session:
    """One method per verb. Call ``open`` first. All raise BenchError when the bench is at fault."""

    def __init__(self, stream: ByteStream, *, timeouts: Timeouts | None = None):
        self._stream = stream
        self._lines = LineReader(stream)
        self._timeouts = timeouts or Timeouts()

    def open(self, bundle: Bundle) -> None:
        """Reach the device and refuse any image but the bundle's."""
        board = self.hello()
        self._check_board(bundle, board)
        self._check_id(bundle, board)
        self._check_boot()

    def hello(self) -> str:
        """The device's board name, from wherever it was in a conversation."""
        last: BadReply | Silent | None = None
        for _ in range(RETRIES + 1):
            self._resync()
            try:
                name = self._reply("name", self._timeouts.hello, protocol.parse_name)
            except (BadReply, Silent) as error:
                last = error
                continue
            if last is not None:
                self._resync()  # the answers to the earlier attempts
            return name
        raise self._failed("name", last, RETRIES + 1)

    def bundle_id(self) -> str:
        return self._ask("x-id", protocol.parse_id)

    def profile(self) -> tuple[str, str]:
        """(profile, model)."""
        return self._ask("profile", protocol.parse_profile)

    def timestamp(self) -> int:
        """Microseconds since the device started."""
        return self._ask("timestamp", protocol.parse_timestamp)

    def caps(self) -> dict[str, str]:
        return self._ask("x-caps", protocol.parse_caps)

    def mem(self) -> dict[str, int]:
        """Bytes: arena, static, stack_size, stack_used so far."""
        return self._ask("x-mem", protocol.parse_mem)

    def load(self, data: bytes) -> None:
        """The input bytes, in frames guarded by CRC."""
        for offset, frame in protocol.frames(data):
            self._load_frame("x-load", offset, frame)

    def weights_found(self, data: bytes) -> str:
        """Where the device has ``data``, the weights that are fetched: "flash", "ram", "missing".
        It fetches them from there from now on."""
        seconds = self._timeouts.run + len(data) / _SLOWEST_CRC_BYTES_PER_SECOND
        return self._ask(protocol.find_weights(data), protocol.parse_found, timeout=seconds)

    def send_weights(self, data: bytes, sent: Callable[[int], None] = lambda count: None) -> None:
        """``data`` into the memory behind the arena's. ``sent``: told the bytes that are there."""
        for offset, frame in protocol.frames(data):
            self._load_frame("x-l3", offset, frame)
            sent(offset + len(frame))

    def constants(self) -> tuple[Constants, ...]:
        """Whether weights and tables are those of the build, a place each. The device reads every
        byte of them."""
        return self._ask("x-crc", protocol.parse_constants, timeout=self._timeouts.run)

    def infer(self, runs: int = 1, warmups: int = 0) -> Inference:
        """Run the loaded input ``runs`` times after ``warmups`` runs that are not timed."""
        return self._ask(
            f"infer {runs} {warmups}",
            lambda lines: protocol.parse_infer(lines, runs, warmups),
            timeout=self._timeouts.run * max(1, runs + warmups),
        )

    def layers(self, steps: int | None = None, *, before: int = 0) -> tuple[Layer, ...]:
        """Run the loaded input ``before`` times, then once more counting every step; there must be
        ``steps`` of them. A network that fetches weights says nothing before all are counted."""
        return self._ask(
            f"x-layers {before}" if before else "x-layers",
            lambda lines: protocol.parse_layers(lines, steps),
            timeout=self._timeouts.run * (before + 2),
        )

    def output(self, index: int = 0) -> bytes:
        """Output ``index`` of the last run."""
        return self._ask(f"x-out {index}", protocol.parse_out)

    def results(self) -> tuple[float, ...]:
        """The first output as real numbers, three decimals."""
        return self._ask("results", protocol.parse_results)

    def upload(self, data: bytes) -> None:
        """The input bytes as text, the way of the MLPerf Tiny runner: no CRC, no retry."""
        first, *parts = protocol.db_commands(data)
        self._once(first, lambda lines: protocol.parse_expecting(lines, len(data)))
        for part in parts[:-1]:
            self._once(part, protocol.parse_nothing)
        for part in parts[-1:]:
            self._once(part, protocol.parse_load_done)

    def buffer(self) -> bytes:
        """The input buffer as the device sees it."""
        return self._ask("db print", protocol.parse_buffer)

    def exit(self) -> None:
        """Ask an emulated or hosted device to end; others stay."""
        self._stream.write(protocol.encode("x-exit"))

    # -- requests

    def _ask(
        self, command: str, parse: Callable[[Sequence[str]], T], *, timeout: float | None = None
    ) -> T:
        """The parsed reply; a damaged one is requested again, RETRIES times."""
        return self._attempt(command, parse, timeout=timeout, attempts=RETRIES + 1)

    def _once(self, command: str, parse: Callable[[Sequence[str]], T]) -> T:
        return self._attempt(command, parse, timeout=None, attempts=1)

    def _attempt(
        self,
        command: str,
        parse: Callable[[Sequence[str]], T],
        *,
        timeout: float | None,
        attempts: int,
    ) -> T:
        wait = self._timeouts.reply if timeout is None else timeout
        bad: BadReply | None = None
        for _ in range(attempts):
            if bad is not None:
                self._resync()
            try:
                return self._reply(command, wait, parse)
            except BadReply as error:
                bad = error
            except Silent as error:
                raise self._failed(command, error, 1) from None
        raise self._failed(command, bad, attempts)

    def _load_frame(self, verb: str, offset: int, frame: bytes) -> None:
        header = protocol.frame_header(verb, offset, frame)
        last: BadReply | Silent | None = None
        for _ in range(RETRIES + 1):
            if last is not None:
                # If bytes were lost the device still waits for them: fill its frame up. What it
                # does not need are empty commands.
                self._resync(protocol.RESYNC * protocol.MAX_FRAME_BYTES)
            try:
                wait, go = self._timeouts.reply, protocol.go(verb)
                self._reply(header, wait, lambda lines: protocol.parse_go(lines, verb), end=go)
                self._stream.write(frame)
                protocol.parse_loaded(self._read_reply(wait, protocol.READY), verb)
                return
            except (BadReply, Silent) as error:
                last = error
        raise self._failed(header, last, RETRIES + 1)

    def _reply(
        self,
        command: str,
        timeout: float,
        parse: Callable[[Sequence[str]], T],
        *,
        end: str = protocol.READY,
    ) -> T:
        self._lines.discard()
        self._stream.write(protocol.encode(command))
        return parse(self._read_reply(timeout, end))

    def _read_reply(self, timeout: float, end: str) -> list[str]:
        """Lines up to ``m-ready``, or up to and with ``end`` when that is another line."""
        lines: list[str] = []
        while len(lines) < _REPLY_LINES:
            line = self._lines.next(timeout)
            if line is None:
                raise self._unfinished(lines, timeout)
            if line == protocol.READY:
                return lines
            lines.append(line)
            if line == end:
                return lines
        raise BadReply(f"a reply of more than {_REPLY_LINES} lines", lines[-1])

    def _unfinished(self, lines: Sequence[str], timeout: float) -> BadReply | Silent:
        if not lines and not self._lines.partial:
            return Silent(timeout)
        last = printable(self._lines.partial) or lines[-1]
        return BadReply(f"the reply did not end within {timeout:g} s", last)

    def _resync(self, sent: bytes = protocol.RESYNC) -> None:
        """End whatever command is half sent, forget every reply on its way."""
        self._stream.write(sent)
        if self._lines.drain(self._timeouts.silence, self._timeouts.noise):
            return
        raise BenchError(
            f"the device never stops sending: {self._timeouts.noise:g} s without a pause",
            why=self._stream.transcript.tail(),
            hints=["is it another program's port, or the wrong baud rate?"],
        )

    # -- refusing

    def _check_id(self, bundle: Bundle, board: str) -> None:
        seen = self.bundle_id()
        if seen == bundle.id:
            return
        raise BenchError(
            f"wrong image on {board}: it runs {seen}, the bundle is {bundle.id}",
            why=["its figures would belong to another network or other options"],
            hints=[
                "put this bundle on it: deployer flash, or deployer run for an emulator",
                "an image that listens: copy firmware.elf of the bundle there and start that",
            ],
        )

    def _check_board(self, bundle: Bundle, board: str) -> None:
        known = (bundle.board, bundle.manifest["target"])
        if board not in known:
            raise BenchError(
                f"wrong board: the device is {board}, the bundle is for {bundle.board}",
                hints=["choose another port or probe: --port, --probe"],
            )

    def _check_boot(self) -> None:
        faults = protocol.boot_faults(self._stream.transcript.heard)
        if faults:
            raise BenchError(
                f"the device did not come up well: {faults[0]}",
                why=faults[1:],
                hints=[_EARLIER if faults[0].startswith(protocol.EARLIER) else _POWER],
            )

    def _failed(self, command: str, error: BadReply | Silent | None, attempts: int) -> BenchError:
        heard = self._stream.transcript.tail()
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
        fault = protocol.device_fault(self._stream.transcript.heard)
        if fault:
            return BenchError(f"the device ended with a fault: {fault}", why=heard, hints=[_FAULT])
        waited = error.waited * attempts if error else 0.0
        return BenchError(
            f"the device is silent: sent {command!r}{times}, waited {waited:g} s",
            why=heard if self._stream.transcript.heard else ["nothing was ever received", *heard],
            hints=["is it powered, programmed with this bundle, and the port at its baud rate?"],
        )
