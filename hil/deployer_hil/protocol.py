"""The serial protocol as text: commands out, replies in (docs/protocol.md). No device here.

Parsers take the lines of one reply without the closing ``m-ready`` and are strict: a line that
should not be there means that the reply is damaged or belongs to another command.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

READY = "m-ready"
REPLIES = ("m-", "e-[")  # what lines of a reply begin with
STARTED = b"m-init-done\r\nm-ready\r\n"  # how a start message without a fault ends
RESYNC = b"%"
PERFORMANCE, ENERGY = MODES = ("performance", "energy")
MAX_COMMAND_CHARACTERS = 80
MAX_FRAME_BYTES = 1024
EARLIER = "fault before this start: "  # begins the boot line of a fault that could not be told
DB_BYTES = 32  # of input in one db command: 67 characters

_ERROR = re.compile(r"e-\[(.*)\]")
_NUMBER = r"(0|[1-9][0-9]{0,18})"
_CRC = r"([0-9a-f]{8})"
_NAME = re.compile(r"m-name-dut-\[([^\[\]]+)\]")
_PROFILE = re.compile(r"m-profile-\[([^\[\]]+)\]")
_MODEL = re.compile(r"m-model-\[([^\[\]]*)\]")
_ID = re.compile(r"m-x-id-\[([0-9a-f]{16})\]")
_MODE = re.compile(r"m-x-mode-\[(performance|energy)\]")
_LAP = re.compile(rf"m-lap-us-{_NUMBER}")
_LAYER = re.compile(rf"m-x-layer-\[{_NUMBER},{_NUMBER},{_CRC}\]")
_RUN = re.compile(rf"m-x-run-\[{_NUMBER},{_NUMBER},{_NUMBER}\]")
_OUT = re.compile(r"m-x-out-\[((?:[0-9a-f]{2}){1,32})\]")
_OUT_CRC = re.compile(rf"m-x-out-crc-\[{_CRC}\]")
_CONSTANTS = re.compile(rf"m-x-crc-\[([A-Za-z0-9_]+),{_NUMBER},{_CRC},{_CRC}\]")
_FOUND = re.compile(r"m-x-l3-\[(flash|ram|missing)\]")
_BUFFER = re.compile(r"m-buffer-((?:[0-9a-f]{2}-)*[0-9a-f]{2})")
_REAL = r"-?[0-9]{1,12}\.[0-9]{3}"
_RESULTS = re.compile(rf"m-results-\[({_REAL}(?:,{_REAL})*)\]")
_BOOT = re.compile(r"m-timestamp-mode-((?:(?!m-timestamp-mode-).)*?)m-ready", re.DOTALL)


class BadReply(Exception):
    """A reply that cannot be right. ``line`` is the raw line at fault, "" when one is missing."""

    def __init__(self, what: str, line: str = ""):
        super().__init__(what)
        self.what = what
        self.line = line


@dataclass(frozen=True)
class Layer:
    """One step of ``x-layers``: counts of the device's counter, CRC-32 of the output bytes."""

    index: int
    count: int
    crc: int


@dataclass(frozen=True)
class Inference:
    """``microseconds`` for all ``runs`` together, None in energy mode, which tells no times;
    ``results`` are the first output, real."""

    runs: int
    microseconds: int | None
    results: tuple[float, ...]


@dataclass(frozen=True)
class TimedRun:
    """One inference of ``x-runs``, by itself: counts of the device's counter, which wrap at 2^32,
    and microseconds of its clock."""

    count: int
    microseconds: int


@dataclass(frozen=True)
class Constants:
    """Those of one place, ``image`` or a memory: the CRC-32 they were built with and that of what
    is there."""

    where: str
    bytes: int
    built: int
    found: int

    @property
    def intact(self) -> bool:
        return self.built == self.found


def crc32(data: bytes) -> int:
    return zlib.crc32(data)


def encode(command: str) -> bytes:
    """``name`` to ``b"name%"``. Raises ValueError for what no device may be sent."""
    if not command.isascii() or not command.isprintable() or "%" in command:
        raise ValueError(f"not a command: {command!r}")
    if not 0 < len(command) <= MAX_COMMAND_CHARACTERS:
        raise ValueError(f"a command has 1 to {MAX_COMMAND_CHARACTERS} characters: {command!r}")
    return command.encode("ascii") + b"%"


def frame_header(verb: str, offset: int, frame: bytes) -> str:
    """The command that announces ``frame``, at most MAX_FRAME_BYTES bytes for ``offset``. The CRC
    covers the offset's digits too."""
    crc = crc32(str(offset).encode() + frame)
    return f"{verb} {offset} {len(frame)} {crc:08x}"


def find_weights(data: bytes) -> str:
    """The command that asks where ``data``, weights that are fetched, lies."""
    return f"x-l3 {len(data)} {crc32(data):08x}"


def frames(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(offset, bytes) of each frame."""
    for offset in range(0, len(data), MAX_FRAME_BYTES):
        yield offset, data[offset : offset + MAX_FRAME_BYTES]


def db_commands(data: bytes) -> list[str]:
    """The commands that upload ``data`` as text."""
    parts = [data[i : i + DB_BYTES] for i in range(0, len(data), DB_BYTES)]
    return [f"db load {len(data)}", *(f"db {part.hex()}" for part in parts)]


def refuse_errors(lines: Sequence[str]) -> None:
    """Raise BadReply for a line ``e-[text]``."""
    for line in lines:
        if match := _ERROR.fullmatch(line):
            raise BadReply(f"the device says: {match[1]}", line)


def parse_nothing(lines: Sequence[str]) -> None:
    _take(lines, [])


def parse_name(lines: Sequence[str]) -> str:
    return _take(lines, [_NAME])[0][1]


def parse_profile(lines: Sequence[str]) -> tuple[str, str]:
    """(profile, model)."""
    profile, model = _take(lines, [_PROFILE, _MODEL])
    return profile[1], model[1]


def parse_timestamp(lines: Sequence[str]) -> int:
    """Microseconds since the device started."""
    return int(_take(lines, [_LAP])[0][1])


def parse_id(lines: Sequence[str]) -> str:
    return _take(lines, [_ID])[0][1]


def parse_caps(lines: Sequence[str]) -> dict[str, str]:
    return _pairs(lines, "m-x-caps-")


def parse_mem(lines: Sequence[str]) -> dict[str, int]:
    """Bytes by key."""
    pairs = _pairs(lines, "m-x-mem-")
    for key, value in pairs.items():
        if not re.fullmatch(_NUMBER, value):
            raise BadReply(f"{key} is not a number of bytes", f"m-x-mem-[{key}={value}]")
    return {key: int(value) for key, value in pairs.items()}


def go(verb: str) -> str:
    """The line that asks for the frame's bytes."""
    return f"m-{verb}-[go]"


def parse_go(lines: Sequence[str], verb: str) -> None:
    _take(lines, [re.compile(re.escape(go(verb)))])


def parse_loaded(lines: Sequence[str], verb: str) -> None:
    _take(lines, [re.compile(rf"m-{verb}-\[ok\]")])


def parse_found(lines: Sequence[str]) -> str:
    """Where the weights lie: "flash", "ram" or "missing"."""
    return _take(lines, [_FOUND])[0][1]


def parse_expecting(lines: Sequence[str], count: int) -> None:
    _take(lines, [re.compile(rf"m-\[Expecting {count} bytes\]")])


def parse_load_done(lines: Sequence[str]) -> None:
    _take(lines, [re.compile("m-load-done")])


def parse_buffer(lines: Sequence[str]) -> bytes:
    return bytes.fromhex(_take(lines, [_BUFFER])[0][1].replace("-", ""))


def parse_results(lines: Sequence[str]) -> tuple[float, ...]:
    return _floats(_take(lines, [_RESULTS])[0])


def parse_infer(lines: Sequence[str], runs: int, warmups: int) -> Inference:
    """The reply to ``infer runs warmups``."""
    fixed = [f"m-warmup-start-{warmups}", "m-warmup-done", f"m-infer-start-{runs}"]
    stamps = [_LAP, _LAP] if any(_LAP.fullmatch(line) for line in lines) else []
    patterns = [*(re.compile(text) for text in fixed), *stamps]
    matches = _take(lines, [*patterns, re.compile("m-infer-done"), _RESULTS])
    laps = [int(match[1]) for match in matches[3:-2]]
    if laps and laps[1] < laps[0]:
        raise BadReply("the clock of the device runs backwards", matches[4][0])
    return Inference(runs, laps[1] - laps[0] if laps else None, _floats(matches[-1]))


def parse_mode(lines: Sequence[str]) -> str:
    """How the device marks moments: one of the MODES."""
    return _take(lines, [_MODE])[0][1]


def parse_layers(lines: Sequence[str], steps: int | None = None) -> tuple[Layer, ...]:
    """Every step in order; ``steps`` is how many there must be."""
    refuse_errors(lines)
    matches = [_match(_LAYER, line) for line in lines]
    layers = tuple(Layer(int(m[1]), int(m[2]), int(m[3], 16)) for m in matches)
    for place, layer in enumerate(layers):
        if layer.index != place:
            raise BadReply(f"step {layer.index} where step {place} belongs", lines[place])
    if steps is not None and len(layers) != steps:
        raise BadReply(f"{len(layers)} steps, the bundle has {steps}")
    return layers


def parse_runs(lines: Sequence[str], runs: int) -> tuple[TimedRun, ...]:
    """The reply to ``x-runs runs``: all of them, in order."""
    matches = _take(lines, [_RUN] * runs)
    for place, match in enumerate(matches):
        if int(match[1]) != place:
            raise BadReply(f"inference {match[1]} where inference {place} belongs", match[0])
    return tuple(TimedRun(int(match[2]), int(match[3])) for match in matches)


def parse_constants(lines: Sequence[str]) -> tuple[Constants, ...]:
    refuse_errors(lines)
    matches = [_match(_CONSTANTS, line) for line in lines]
    return tuple(Constants(m[1], int(m[2]), int(m[3], 16), int(m[4], 16)) for m in matches)


def parse_out(lines: Sequence[str]) -> bytes:
    """The bytes of an output, checked against the CRC that closes them."""
    refuse_errors(lines)
    if not lines:
        raise BadReply("no output")
    data = b"".join(bytes.fromhex(_match(_OUT, line)[1]) for line in lines[:-1])
    said = int(_match(_OUT_CRC, lines[-1])[1], 16)
    if crc32(data) != said:
        raise BadReply(f"CRC of the {len(data)} bytes received is {crc32(data):08x}", lines[-1])
    return data


def boot_faults(heard: bytes) -> tuple[str, ...]:
    """Errors a device reported in its last start message, [] when it came up well."""
    starts = _BOOT.findall(heard.decode("ascii", "replace"))
    return tuple(re.findall(r"e-\[(.*?)\]", starts[-1])) if starts else ()


def device_fault(heard: bytes) -> str:
    """What the device said of the fault it ended with, "" when it started since or said none."""
    last = heard.decode("ascii", "replace").rpartition("m-timestamp-mode-")[2]
    found = re.search(r"e-\[fault (?!before this start)(.*?)\]", last)
    return found[1] if found else ""


def _take(lines: Sequence[str], patterns: Sequence[re.Pattern[str]]) -> list[re.Match[str]]:
    refuse_errors(lines)
    matches = [_match(pattern, line) for pattern, line in zip(patterns, lines, strict=False)]
    if len(lines) < len(patterns):
        raise BadReply(f"{len(lines)} lines where {len(patterns)} belong")
    if len(lines) > len(patterns):
        raise BadReply("a line too many", lines[len(patterns)])
    return matches


def _match(pattern: re.Pattern[str], line: str) -> re.Match[str]:
    match = pattern.fullmatch(line)
    if match is None:
        raise BadReply("a line that does not belong there", line)
    return match


def _pairs(lines: Sequence[str], prefix: str) -> dict[str, str]:
    refuse_errors(lines)
    pattern = re.compile(re.escape(prefix) + r"\[([a-z0-9_]+)=([^\[\]]*)\]")
    matches = [_match(pattern, line) for line in lines]
    if not matches:
        raise BadReply("an empty reply")
    return {match[1]: match[2] for match in matches}


def _floats(match: re.Match[str]) -> tuple[float, ...]:
    return tuple(float(word) for word in match[1].split(","))
