"""The dialogue that MLPerf Tiny's public runner has with a device, in its three modes, and the
interface board between them in energy mode. Written from what those say and wait for.

A reply ends with the line that holds ``m-ready``; a line that does not come within the limit ends
the run. There is no sequence number: a reply too many would shift all that follow.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from deployer.bundle import Bundle
from deployer_hil.register_model.chip import Chip

LINE_SECONDS, INFER_SECONDS = 5.0, 30.0
DIRECT_BYTES, METERED_BYTES = 31, 26  # of a file in one command
READY = "m-ready"
LOOPS = 5
GPIOF_BSRR = 0x40021418  # sets and resets PF13, the trigger of a nucleo
LOW, HIGH = 1 << 29, 1 << 13
_ECHO, _PREFIX = "m-dut-passthrough", "[dut]: "


class Wire(Protocol):
    """Bytes to a device and from it; ``read`` gives what comes within ``timeout`` seconds."""

    def write(self, data: bytes) -> None: ...

    def read(self, size: int, timeout: float) -> bytes: ...


class Line:
    """Lines of a wire, without CR, LF and NUL."""

    def __init__(self, wire: Wire):
        self._wire, self._heard = wire, b""
        self.log: list[str] = []

    def say(self, text: str) -> None:
        self.log.append(f"> {text}")
        self._wire.write(text.encode())

    def line(self, seconds: float) -> str | None:
        end = time.monotonic() + seconds
        while b"\n" not in self._heard:
            left = end - time.monotonic()
            if left <= 0:
                return None
            self._heard += self._wire.read(4096, left)
        raw, _, self._heard = self._heard.partition(b"\n")
        text = raw.decode().translate({13: None, 0: None})
        self.log.append(f"< {text}")
        return text


class Direct:
    """A device on the host's own port."""

    def __init__(self, line: Line):
        self._line = line

    def ask(self, command: str, seconds: float = LINE_SECONDS) -> list[str]:
        self._line.say(f"{command}%")
        lines: list[str] = []
        while not lines or READY not in lines[-1]:
            text = self._line.line(seconds)
            if text is None:
                raise RuntimeError(f"no response to command {command}")
            lines += [text] if text else []
        return lines


class Behind:
    """A device behind the interface board, which says at once that it passes the command on."""

    def __init__(self, line: Line):
        self._line = line
        self._direct = Direct(line)

    def ask(self, command: str, seconds: float = LINE_SECONDS) -> list[str]:
        begun = self._direct.ask(f"dut {command}")
        if len(begun) != 2 or begun[1] != READY:
            raise RuntimeError(f"the interface board says {begun} to {command}")
        lines: list[str] = []
        end = time.monotonic() + 4 * INFER_SECONDS
        while not lines or lines[-1] != READY:
            if time.monotonic() > end:
                raise RuntimeError(f"no response to command {command} behind the interface board")
            text = self._line.line(seconds)
            lines += [] if text is None else [text.replace(_PREFIX, "")]
        return lines


class InterfaceBoard:
    """The wire to a device behind the board. What the device said before a command is lost: its
    line is read only for an answer."""

    def __init__(self, device: Wire):
        self._device = device
        self._taken, self._says = b"", b""
        self._answering = False

    def write(self, data: bytes) -> None:
        *commands, self._taken = (self._taken + data).split(b"%")
        for command in commands:
            verb, _, rest = command.partition(b" ")
            if verb == b"setbaud":
                self._says += f"set baud to: {rest.decode()}\r\n{READY}\r\n".encode()
                continue
            assert verb == b"dut", command
            while self._device.read(4096, 0.0):
                pass
            self._says += f"{_ECHO}({rest.decode()})\r\n{READY}\r\n".encode()
            self._device.write(rest + b"%")
            self._answering = True

    def read(self, size: int, timeout: float) -> bytes:
        if not self._says and self._answering:
            self._says = self._answer(timeout)
        found, self._says = self._says[:size], self._says[size:]
        return found

    def _answer(self, timeout: float) -> bytes:
        """Whole lines, each with the prefix."""
        end, heard = time.monotonic() + timeout, b""
        while not heard.endswith(b"\r\n") and time.monotonic() < end:
            heard += self._device.read(4096, max(0.0, end - time.monotonic()))
        lines = heard.decode().split("\r\n")[:-1]
        self._answering = READY not in lines
        return "".join(f"{_PREFIX}{line}\r\n" for line in lines).encode()


@dataclass
class Device:
    """A device as the runner sees it. ``most``: bytes in one ``db``."""

    port: Direct | Behind
    most: int
    name: str = ""
    model: str = ""
    profile: str = ""

    def identify(self) -> None:
        """Name, then model and profile; each is asked for three times at most."""
        self._until("name", lambda: bool(self.name))
        self._until("profile", lambda: bool(self.profile))

    def load(self, data: bytes) -> list[str]:
        self.port.ask(f"db load {len(data)}")
        said: list[str] = []
        for at in range(0, len(data), self.most):
            said = self.port.ask(f"db {data[at : at + self.most].hex()}")
        return said

    def infer(self, runs: int, warmups: int) -> Inferred:
        return inferred(self.port.ask(f"infer {runs} {warmups}", INFER_SECONDS), runs)

    def _until(self, command: str, done: Callable[[], bool]) -> None:
        for _ in range(3):
            for line in self.port.ask(command):
                match = re.match(r"^m-(name-dut|model|profile)-\[([^]]+)]$", line)
                if match:
                    setattr(self, match[1].removesuffix("-dut"), match[2])
            if done():
                return


@dataclass(frozen=True)
class Inferred:
    """``results`` of the last inference; ``microseconds`` of all ``runs``, None without two
    times."""

    runs: int
    results: tuple[float, ...]
    microseconds: int | None

    @property
    def throughput(self) -> float:
        return self.runs / (self.microseconds or 0) * 1e6


def inferred(lines: Sequence[str], runs: int) -> Inferred:
    """The last vector of results, and the times around them."""
    found = [match for line in lines if (match := re.match(r"^m-results-\[([^]]+)\]$", line))]
    laps = [int(match[1]) for line in lines if (match := re.match(r"^m-lap-us-([0-9]+)$", line))]
    results = tuple(float(word) for word in found[-1][1].split(",") if word.strip())
    took = laps[-1] - laps[0] if len(laps) > 1 else None
    return Inferred(runs, results, took)


@dataclass
class Session:
    """Every inference of one test, the lines in ``log``."""

    device: Device
    log: list[str] = field(default_factory=list)

    def windows(self, data: bytes, runs: int, warmups: int) -> Iterator[Inferred]:
        """Performance and energy mode: LOOPS times the input, then a window."""
        for _ in range(LOOPS):
            self.device.load(data)
            yield self.device.infer(runs, warmups)

    def classes(self, files: Sequence[bytes]) -> Iterator[int]:
        """Accuracy mode: of each file what the results, made to add up to one, are largest at."""
        for data in files:
            self.device.load(data)
            results = self.device.infer(1, 0).results
            whole = sum(results)
            shares = [value / whole for value in results]
            yield shares.index(max(shares))


def session(wire: Wire, *, metered: bool = False) -> Session:
    """With a device whose name and model are known by then. ``metered``: behind the interface
    board, as energy mode has it."""
    line = Line(InterfaceBoard(wire) if metered else wire)
    port = Behind(line) if metered else Direct(line)
    device = Device(port, METERED_BYTES if metered else DIRECT_BYTES)
    device.identify()
    return Session(device, line.log)


class ChipWire:
    """The console of a board's own image on the model of its registers. ``writes``: address and
    value of every write to one."""

    def __init__(self, elf: Path):
        self.writes: list[tuple[int, int]] = []
        self.falls = 0
        self.chip = Chip(elf, written=self._written)

    def write(self, data: bytes) -> None:
        self.chip.waiting += data

    def read(self, size: int, timeout: float) -> bytes:
        self.chip.run()
        said = bytes(self.chip.sent)
        self.chip.sent.clear()
        return said

    def edges(self, since: int = 0) -> list[int]:
        """Of the trigger, from a write on."""
        return [value for at, value in self.writes[since:] if at == GPIOF_BSRR]

    def _written(self, address: int, value: int) -> None:
        self.writes.append((address, value))
        self.falls += (address, value) == (GPIOF_BSRR, LOW)


def reconstructed(bundle: Bundle) -> tuple[np.ndarray, np.ndarray]:
    """Golden inputs of an autoencoder as float32 (samples, values), and the score of each: the mean
    squared difference to the golden output, in double precision."""
    ends = (bundle.manifest["inputs"][0], bundle.manifest["outputs"][0])
    integers = (bundle.golden["input"], bundle.golden["output"])
    values, made = (
        (rows.view(np.int8).astype(float) - end["zero_point"]) * end["scale"]
        for rows, end in zip(integers, ends, strict=True)
    )
    return values.astype("<f4"), np.square(made - values).mean(axis=1)
