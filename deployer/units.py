"""Bytes as people write them, commands as they type them, and what figures are worth."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from deployer.choices import Word
from deployer.errors import UsageError


class FigureKind(Word):
    """What a figure is worth: of silicon, of a timing model, exact but no time, by a formula, or by
    somebody's word."""

    MEASURED = "measured"
    SIMULATED = "simulated"
    COUNTED = "counted"
    ESTIMATED = "estimated"
    ASSUMED = "assumed"
    NONE = "none"


class CounterUnit(Word):
    """What a runner or a device counts."""

    CYCLES = "cycles"
    INSTRUCTIONS = "instructions"
    NANOSECONDS = "nanoseconds"
    NONE = "none"


_FACTORS = {"B": 1, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30}
_SIZE = re.compile(r"(\d+)\s*([A-Za-z]+)")


def parse_size(text: str) -> int:
    """``"64KiB"`` to 65536. Raises UsageError for a bare number or an unknown unit."""
    match = _SIZE.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None or match[2].upper() not in _FACTORS:
        raise UsageError(
            f"not a size: {text!r}", hints=["write bytes with a unit: 512B, 64KiB, 2MiB"]
        )
    return int(match[1]) * _FACTORS[match[2].upper()]


def format_bytes(count: int) -> str:
    """``55296`` to ``"55,296 B"``."""
    return f"{count:,} B"


def command_line(words: Sequence[str], file: str) -> str:
    """``deployer`` with ``words`` on ``file``, to be pasted into a shell."""
    end = ["--", file] if file.startswith("-") else [file]
    return shlex.join(["deployer", *words, *end])
