"""A conversation with a device that speaks docs/protocol.md.

One stray reply would shift every later answer. Hence: resynchronize on opening, parse strictly,
drop what nobody requested, believe only replies of this start of the device, and ask again for a
damaged one. Every wait ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer.units import FigureKind
from deployer_hil import protocol
from deployer_hil.exchange import DeviceRestarted, Exchange, Timeouts
from deployer_hil.protocol import Constants, Inference, Layer, TimedRun
from deployer_hil.runner import Caps
from deployer_hil.stream import ByteStream

T = TypeVar("T")
RESTARTS = 3  # that one piece of work survives
_SLOWEST_CRC_BYTES_PER_SECOND = 100e3  # bytes a second, of the slowest emulator
_CRC_BYTES_PER_SECOND = 1e6  # of one that shares its machine with others
_LATE = 1.2  # times what a window was measured to take
_SLACK = 4.0  # times the estimate: it is of kernels, and of memories that answer at once
_POWER = "power it off and on; timing on a wrong clock would be worthless"
_NO_NONCE = "an image of an earlier version takes no nonce: build the bundle again"
_EARLIER = "it is told once: run again, and see whether it ends in the same way"


def timeouts_for(bundle: Bundle, caps: Caps) -> Timeouts:
    """By the estimated time of an inference, which may be all one step: at the board's clock, or as
    an emulator gets on; ``caps.slow`` times as much for every answer."""
    hertz = bundle.manifest["clock_hz"] if caps.kind == FigureKind.MEASURED else caps.hertz
    weights = bundle.manifest["memory"]["weights"]
    return Timeouts(
        hello=Timeouts.hello * caps.slow,
        reply=Timeouts.reply * caps.slow,
        run=(Timeouts.run + _SLACK * _cycles(bundle) / hertz) * caps.slow,
        constants=(Timeouts.constants + weights / _CRC_BYTES_PER_SECOND) * caps.slow,
    )


def _cycles(bundle: Bundle) -> int:
    """Estimated, of an inference."""
    told = bundle.manifest.get("inference")
    return told["cycles"] if told else bundle.manifest["model"]["macs"]


@dataclass(frozen=True)
class Upload:
    """Input bytes that reached the device, and the seconds that took by this machine's clock."""

    bytes: int = 0
    seconds: float = 0.0


class Session:
    """One method per verb. Call ``open`` first. All raise BenchError when the bench is at fault,
    DeviceRestarted when what was loaded is gone: ``open`` again then."""

    def __init__(self, stream: ByteStream, *, timeouts: Timeouts | None = None):
        self._stream = stream
        self._timeouts = timeouts or Timeouts()
        self._line = Exchange(stream, self._timeouts)
        self.uploaded = Upload()

    def open(self, bundle: Bundle) -> None:
        """Reach the device, refuse any image but the bundle's, and give its start a nonce."""
        self._begin(bundle)
        self._check_board(bundle, self._line.ask("name", protocol.parse_name))
        self._check_id(bundle)
        self._check_boot()

    def hello(self) -> str:
        """The device's board name, from wherever it was in a conversation. ``open`` again after it:
        it forgets the nonce."""
        return self._line.hello()

    def bundle_id(self) -> str:
        return self._line.ask("x-id", protocol.parse_id)

    def profile(self) -> tuple[str, str]:
        """(profile, model)."""
        return self._line.ask("profile", protocol.parse_profile)

    def timestamp(self) -> int:
        """Microseconds since the device started."""
        return self._line.ask("timestamp", protocol.parse_timestamp)

    def caps(self) -> dict[str, str]:
        return self._line.ask("x-caps", protocol.parse_caps)

    def mem(self) -> dict[str, int]:
        """Bytes: arena, static, stack_size, stack_used so far."""
        return self._line.ask("x-mem", protocol.parse_mem)

    def load(self, data: bytes) -> None:
        """The input bytes, in frames guarded by CRC."""
        begun = time.monotonic()
        for offset, frame in protocol.frames(data):
            self._line.load_frame("x-load", offset, frame)
        seconds = self.uploaded.seconds + time.monotonic() - begun
        self.uploaded = Upload(self.uploaded.bytes + len(data), seconds)

    def weights_found(self, data: bytes) -> str:
        """Where the device has ``data``, the weights that are fetched: "flash", "ram", "missing".
        It fetches them from there from now on."""
        seconds = self._timeouts.reply + len(data) / _SLOWEST_CRC_BYTES_PER_SECOND
        return self._line.ask(protocol.find_weights(data), protocol.parse_found, timeout=seconds)

    def send_weights(self, data: bytes, sent: Callable[[int], None] = lambda count: None) -> None:
        """``data`` into the memory behind the arena's. ``sent``: told the bytes that are there."""
        for offset, frame in protocol.frames(data):
            self._line.load_frame("x-l3", offset, frame)
            sent(offset + len(frame))

    def constants(self) -> tuple[Constants, ...]:
        """Whether weights and tables are those of the build, a place each. The device reads every
        byte of them."""
        return self._line.ask("x-crc", protocol.parse_constants, timeout=self._timeouts.constants)

    def infer(self, runs: int = 1, warmups: int = 0, *, seconds: float | None = None) -> Inference:
        """Run the loaded input ``runs`` times after ``warmups`` runs that are not timed.
        ``seconds``: what all of it was measured to take, waited for in place of the estimate."""
        reply, running = self._timeouts.reply, self._timeouts.running(runs + warmups)
        return self._line.ask(
            f"infer {runs} {warmups}",
            lambda lines: protocol.parse_infer(lines, runs, warmups),
            timeout=running if seconds is None else reply + _LATE * seconds,
        )

    def runs(self, runs: int, warmups: int = 0) -> tuple[TimedRun, ...]:
        """Run the loaded input ``warmups`` times, then ``runs`` times, each timed by itself and
        told at once."""
        return self._line.ask(
            f"x-runs {runs} {warmups}",
            lambda lines: protocol.parse_runs(lines, runs),
            timeout=self._timeouts.running(warmups + 1),
        )

    def mode(self, wanted: str) -> None:
        """How it marks moments from now on, protocol.MODES: times as text, or pulses for a meter.
        Entering energy mode pulses the trigger once."""
        found = self._line.ask(f"x-mode {wanted}", protocol.parse_mode)
        if found != wanted:
            raise BenchError(f"the device stays in {found} mode, {wanted} mode was wanted")

    def pulse(self) -> None:
        """Of the trigger, in energy mode. It is not asked for again: there would be another."""
        self._line.once("timestamp", protocol.parse_nothing)

    def window(self, runs: int, seconds: float) -> Inference:
        """``infer`` without warm-up, expected to take ``seconds``. It is not asked again: another
        window would be in the meter's recording."""
        return self._line.once(
            f"infer {runs} 0",
            lambda lines: protocol.parse_infer(lines, runs, 0),
            timeout=self._timeouts.reply + _LATE * seconds,
        )

    def layers(self, steps: int | None = None, *, before: int = 0) -> tuple[Layer, ...]:
        """Run the loaded input ``before`` times, then once more counting every step; there must be
        ``steps`` of them. A network that fetches weights says nothing before all are counted."""
        return self._line.ask(
            f"x-layers {before}" if before else "x-layers",
            lambda lines: protocol.parse_layers(lines, steps),
            timeout=self._timeouts.running(before + 1),
        )

    def output(self, index: int = 0) -> bytes:
        """Output ``index`` of the last run."""
        return self._line.ask(f"x-out {index}", protocol.parse_out)

    def results(self) -> tuple[float, ...]:
        """The first output as real numbers, three decimals."""
        return self._line.ask("results", protocol.parse_results)

    def upload(self, data: bytes) -> None:
        """The input bytes as text, the way of the MLPerf Tiny runner: no CRC, no retry."""
        first, *parts = protocol.db_commands(data)
        self._line.once(first, lambda lines: protocol.parse_expecting(lines, len(data)))
        for part in parts[:-1]:
            self._line.once(part, protocol.parse_nothing)
        for part in parts[-1:]:
            self._line.once(part, protocol.parse_load_done)

    def buffer(self) -> bytes:
        """The input buffer as the device sees it."""
        return self._line.ask("db print", protocol.parse_buffer)

    def exit(self) -> None:
        """Ask an emulated or hosted device to end; others stay."""
        self._line.tell("x-exit")

    # -- refusing

    def _begin(self, bundle: Bundle) -> None:
        board = self.hello()
        try:
            self._line.give_nonce()
        except BenchError as error:  # an image that takes none is most likely another: say which
            self._check_board(bundle, board)
            self._check_id(bundle)
            raise BenchError(error.what, why=error.why, hints=[*error.hints, _NO_NONCE]) from None

    def _check_id(self, bundle: Bundle) -> None:
        seen = self.bundle_id()
        if seen == bundle.id:
            return
        raise BenchError(
            f"wrong image on {bundle.board}: it runs {seen}, the bundle is {bundle.id}",
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


def through_restarts(work: Callable[[], T], begin_again: Callable[[], None]) -> T:
    """The result of ``work``, which is void and done anew when the device restarts in it. Raises
    BenchError when it restarts more than RESTARTS times."""
    for left in range(RESTARTS, -1, -1):
        try:
            return work()
        except DeviceRestarted as error:
            if not left:
                raise _restarts(error) from None
            _reached_again(begin_again)
    raise AssertionError("unreachable")


def _reached_again(begin_again: Callable[[], None]) -> None:
    """A device may restart while it is greeted, too."""
    with suppress(DeviceRestarted):
        begin_again()


def _restarts(error: DeviceRestarted) -> BenchError:
    return BenchError(
        f"the device restarted {RESTARTS + 1} times: {error.what}", why=error.why, hints=error.hints
    )
