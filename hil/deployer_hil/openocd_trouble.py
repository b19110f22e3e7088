"""What OpenOCD printed, as an error with something to try."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deployer.errors import BenchError
from deployer_hil.stream import printable

_MAX_LINES = 8
_CAUSES: Sequence[tuple[str, str, Sequence[str]]] = (
    (
        r"LIBUSB_ERROR_ACCESS|[Pp]ermission denied|insufficient permissions",
        "the cable may not be opened",
        ["allow USB access to {cable} by a udev rule, then plug in again"],
    ),
    (
        r"LIBUSB_ERROR_BUSY|[Rr]esource busy|unable to claim",
        "the cable is in use",
        ["close other debuggers (OpenOCD, gapy, an IDE)", "unplug and replug the board"],
    ),
    (
        r"unable to open ftdi device|no device found|LIBUSB_ERROR_NO_DEVICE",
        "OpenOCD finds no cable",
        ["connect the GAPuino's USB port", "GAPY_OPENOCD_CABLE names another cable's script"],
    ),
    (
        r"[Uu]nknown target type|invalid command name",
        "this OpenOCD does not know GAP8",
        ["put GreenWaves' OpenOCD first on PATH: source gap_sdk's configs/gapuino_v3.sh"],
    ),
    (
        r"scan chain interrogation failed|all (ones|zeroes)|UNEXPECTED",
        "no GAP8 answers on the JTAG chain",
        [
            "is the board powered?",
            "unplug and replug it",
            "another chip? 'target' of the board file",
        ],
    ),
)


def trouble(status: int, said: str, *, cable: str) -> BenchError:
    """For a run that ended without having started the image. ``cable``: USB ids, for the hints."""
    for pattern, what, hints in _CAUSES:
        if re.search(pattern, said):
            return BenchError(what, why=_told(said), hints=[h.format(cable=cable) for h in hints])
    return BenchError(
        f"OpenOCD ended with status {status} before the image ran",
        why=_told(said),
        hints=["unplug and replug the board, then try again"],
    )


def hung(seconds: float, said: str) -> BenchError:
    """For a run that was ended after ``seconds``."""
    return BenchError(
        f"OpenOCD had not loaded the image after {seconds:.0f} s and was ended",
        why=_told(said),
        hints=["unplug and replug the board, then try again", "close other debuggers"],
    )


def _told(said: str) -> list[str]:
    """Its last lines; those that name errors, if any do."""
    lines = [line for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"\s*error", line, re.IGNORECASE)]
    shown = [printable(line.encode()) for line in (errors or lines)[-_MAX_LINES:]]
    return [f"OpenOCD: {line}" for line in shown] or ["OpenOCD printed nothing"]
