"""How much Python code runs: what grows with the work and not with how busy the machine is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


class TooManyError(AssertionError):
    """The work does not end where it should."""


def calls(function: Callable[[], object], *, most: float = float("inf")) -> int:
    """Python functions that ``function`` calls, itself and those below. Raises TooManyError as soon
    as there are more than ``most``."""
    count = 0

    def seen(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"
        if count > most:
            raise TooManyError(f"more than {most:,} calls")

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count
