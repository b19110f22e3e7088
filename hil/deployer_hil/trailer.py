"""The last line of a reply, ``m-x-end-[NONCE,NUMBER,CRC]``, which makes the rest believable.

The host gives every start of the device a nonce (``x-nonce``), and a reset forgets it. The number
grows with every reply, so that a repeated one is seen. The CRC-32 covers the command as the device
took it and all lines before, each with CR LF.
"""

from __future__ import annotations

import re
import secrets
import zlib
from collections.abc import Sequence

from deployer_hil.protocol import BadReply, refuse_errors

_TRAILER = re.compile(r"m-x-end-\[([0-9a-f]{8}),([1-9][0-9]{0,9}),([0-9a-f]{8})\]")
_NONCE = re.compile(r"m-x-nonce-\[([0-9a-f]{8})\]")
NO_NONCE = 0
END = b"%"  # of a command
_SPLIT = 1  # commands that a damaged byte makes of one


def fresh_nonce() -> int:
    """At random, never NO_NONCE."""
    return 1 + secrets.randbelow((1 << 32) - 1)


def give_nonce(nonce: int) -> str:
    """The command that gives this start of the device its nonce."""
    return f"x-nonce {nonce:08x}"


def parse_nonce(lines: Sequence[str]) -> int:
    """The nonce a device has. One that lost it answers without a trailer."""
    said = without(lines)
    refuse_errors(said)
    match = _NONCE.fullmatch(said[0]) if len(said) == 1 else None
    if match is None:
        raise BadReply("no nonce", said[0] if said else "")
    return int(match[1], 16)


def without(lines: Sequence[str]) -> list[str]:
    """``lines`` without a trailer at their end, whatever it says."""
    body = list(lines)
    if body and _TRAILER.fullmatch(body[-1]):
        body.pop()
    return body


class Trailers:
    """What the trailers of one start of the device must be."""

    def __init__(self, nonce: int):
        self.nonce = nonce
        self._last = 0
        self._most = 1 + _SPLIT  # replies there can be: that to the nonce has been read

    def sent(self, data: bytes) -> None:
        """Of these bytes the device may make commands, each of which has a reply."""
        self._most += data.count(END)

    def strip(self, command: str, lines: Sequence[str]) -> list[str]:
        """``lines`` of a reply to ``command`` without their trailer. Raises BadReply for one that
        is damaged, of another start, or has been seen."""
        *body, last = lines or [""]
        match = _TRAILER.fullmatch(last)
        if match is None:
            raise BadReply("its last line is missing", last)
        if int(match[1], 16) != self.nonce:
            raise BadReply("it is of another start of the device", last)
        if int(match[3], 16) != zlib.crc32(covered(command, body)):
            raise BadReply("its CRC does not fit")
        number = int(match[2])
        if number <= self._last:
            raise BadReply("it has been read before", last)
        if number > self._most:
            raise BadReply("its number is of a reply that was not asked for", last)
        self._last, self._most = number, number + _SPLIT
        return body


def covered(command: str, body: Sequence[str]) -> bytes:
    """The bytes that the CRC is of."""
    return (command + "".join(line + "\r\n" for line in body)).encode("ascii", "replace")
