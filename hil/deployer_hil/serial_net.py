"""Serial ports of other machines: ``rfc2217://HOST:PORT`` of ser2net and terminal servers, which
are told the baud rate, and ``tcp://HOST:PORT`` of those that have their own."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlsplit

from deployer.errors import BenchError
from deployer_hil.stream import ByteStream, Transcript, connect, ended

_TURN_SECONDS = 0.05  # that the library is asked for bytes at a time
_CONNECT_SECONDS = 5.0


def open_url(url: str, baud: int) -> ByteStream:
    """8N1. Raises BenchError when nobody answers there."""
    found = urlsplit(url)
    try:
        host, port = found.hostname, found.port
    except ValueError:
        host = port = None
    if found.scheme not in ("rfc2217", "tcp") or not host or not port:
        hints = ["rfc2217://HOST:PORT, or tcp://HOST:PORT"]
        raise BenchError(f"{url!r} is no serial port of another machine", hints=hints)
    if found.scheme == "tcp":
        return connect(host, port)
    connect(host, port, timeout=_CONNECT_SECONDS).close()  # the library has no limit of its own
    return _Rfc2217(_opened(host, port, baud), f"{host}:{port}")


def _opened(host: str, port: int, baud: int) -> Any:
    from serial import rfc2217

    url = f"rfc2217://{host}:{port}?ign_set_control&timeout={_CONNECT_SECONDS:g}"
    try:
        return rfc2217.Serial(url, baud, timeout=_TURN_SECONDS)  # its writes end after 5 s
    except (OSError, ValueError) as error:  # SerialException is an OSError
        why = [str(error)]
        raise BenchError(f"{host}:{port} does not serve a port by RFC 2217", why=why) from None


class _Rfc2217:
    """A ByteStream over pyserial's port, whose own thread reads the connection."""

    def __init__(self, line: Any, address: str):
        self.transcript = Transcript()
        self._line, self._address = line, address
        self._ended = False

    @property
    def alive(self) -> bool:
        return not self._ended

    def read(self, n: int, timeout: float) -> bytes:
        deadline = time.monotonic() + timeout
        while not self._ended:
            data = self._some(n)
            if data or time.monotonic() >= deadline:
                self.transcript.received(data)
                return data
        return b""

    def write(self, data: bytes) -> None:
        try:
            self._line.write(data)
        except (OSError, ValueError):
            self._ended = True
        if self._ended:
            raise ended(self)
        self.transcript.sent(data)

    def epitaph(self) -> tuple[str, ...]:
        return (f"{self._address} closed the connection",)

    def close(self) -> None:
        self._ended = True
        self._line.close()

    def _some(self, n: int) -> bytes:
        """What is there, or comes within a turn."""
        try:
            first: bytes = self._line.read(1)
            rest: bytes = self._line.read(min(n - 1, self._line.in_waiting)) if first else b""
        except (OSError, ValueError):
            self._ended = True
            return b""
        return first + rest
