"""Lines out of a byte stream."""

from __future__ import annotations

import time

from deployer_hil.protocol import BadReply
from deployer_hil.stream import ByteStream, ended

MAX_LINE_BYTES = 1 << 20  # db print of the largest input is far below
MAX_NOISE_BYTES = 1 << 14  # of a line that is none of a reply
_CHUNK_BYTES = 4096
_KNOWN = (b"m-", b"e-")


class LineReader:
    """Splits what a device sends at LF; CR and empty lines are dropped."""

    def __init__(self, stream: ByteStream):
        self._stream = stream
        self._pending = b""

    @property
    def partial(self) -> bytes:
        """The beginning of a line whose end has not come."""
        return self._pending

    def next(self, timeout: float) -> str | None:
        """The next line, or None after ``timeout`` seconds without a byte.

        Raises BenchError when the device has ended, BadReply for a line without end.
        """
        while True:
            line, newline, rest = self._pending.partition(b"\n")
            if newline:
                self._pending = rest
                if text := line.strip(b"\r"):
                    return text.decode("ascii", "backslashreplace")
                continue
            if len(line) > (most := MAX_LINE_BYTES if line[:2] in _KNOWN else MAX_NOISE_BYTES):
                raise BadReply(f"a line of more than {most} bytes")
            if not self._more(timeout):
                return None

    def discard(self) -> None:
        """Drop what was received before it was requested."""
        self._pending = b""
        while self._stream.read(_CHUNK_BYTES, 0):
            pass

    def drain(self, silence: float, limit: float, *, until: bytes = b"") -> bool:
        """Read until ``silence`` seconds pass without a byte, or what came ends in ``until``.
        False if not within ``limit``."""
        self._pending, tail = b"", b""
        deadline = time.monotonic() + limit
        while data := self._stream.read(_CHUNK_BYTES, silence):
            tail = (tail + data)[-_CHUNK_BYTES:]
            if until and tail.endswith(until):
                return True
            if time.monotonic() > deadline:
                return False
        return True

    def _more(self, timeout: float) -> bool:
        data = self._stream.read(_CHUNK_BYTES, timeout)
        if not data and not self._stream.alive:
            raise ended(self._stream)
        self._pending += data
        return bool(data)
