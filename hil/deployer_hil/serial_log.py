"""Everything that was said on a line, whole, with the time of each piece."""

from __future__ import annotations

import time
from tempfile import SpooledTemporaryFile
from typing import Protocol

_IN_MEMORY = 1 << 20  # bytes; a longer log goes to a temporary file
_PLAIN = {byte: chr(byte) for byte in range(32, 127) if byte != ord("\\")}
_TEXT = [_PLAIN.get(byte, f"\\x{byte:02x}") for byte in range(256)]


class Log(Protocol):
    """What hears both sides; ``mark`` is ">" for what is sent, "<" for what is received."""

    def __call__(self, mark: str, data: bytes) -> None: ...


class SerialLog:
    """A line of text for each piece: seconds since the log began, ``>`` or ``<``, the bytes, those
    that are not printable as ``\\xNN``."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115  (closed by ``close``)
        self._begin = time.monotonic()

    def __call__(self, mark: str, data: bytes) -> None:
        seconds = time.monotonic() - self._begin
        text = "".join(map(_TEXT.__getitem__, data))
        self._file.write(f"{seconds:.6f} {mark} {text}\n".encode())

    def text(self) -> bytes:
        """All of it."""
        end = self._file.tell()
        self._file.seek(0)
        try:
            return self._file.read()
        finally:
            self._file.seek(end)

    def close(self) -> None:
        self._file.close()
