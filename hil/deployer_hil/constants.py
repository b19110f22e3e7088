"""What the CRCs of a network's constants say about a run that is not exact, or is not yet begun."""

from __future__ import annotations

from collections.abc import Sequence

from deployer.errors import BenchError
from deployer_hil.protocol import Constants

INTACT = "as built"


def told(found: Sequence[Constants]) -> str:
    """INTACT, or where the constants differ and how."""
    return "; ".join(_told(group) for group in found if not group.intact) or INTACT


def require_programmed(found: Sequence[Constants]) -> None:
    """Raise BenchError for a board that was just programmed, and has not the bundle's constants."""
    text = told(found)
    if text != INTACT:
        raise BenchError(
            f"the weights on the board are not those of the bundle: {text}",
            why=["it was not programmed well, or its flash no longer keeps what it is given"],
            hints=["program it again; if it stays so, another board"],
        )


def _told(group: Constants) -> str:
    crcs = f"CRC {group.found:08x}, built with {group.built:08x}"
    return f"{group.where} differs ({group.bytes:,} bytes, {crcs})"
