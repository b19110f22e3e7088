"""Bytes to and from a device, whatever carries them: pipes, a serial port, a socket."""

from __future__ import annotations

import errno
import os
import select
import socket
import time
from collections import deque
from typing import Protocol

from deployer.errors import BenchError
from deployer_hil.serial_log import Log

TRANSCRIPT_BYTES = 64 * 1024
WRITE_TIMEOUT_SECONDS = 9.0
_LINE_CHARACTERS = 100
_GONE = (errno.EPIPE, errno.ECONNRESET, errno.EIO, errno.ENXIO, errno.ENODEV, errno.EBADF)


class Transcript:
    """What was said last, both ways; older bytes are forgotten beyond ``limit``. ``log`` is told
    all of it."""

    def __init__(self, limit: int = TRANSCRIPT_BYTES):
        self.log: Log | None = None
        self._limit = limit
        self._size = 0
        self._chunks: deque[tuple[str, bytearray]] = deque()

    def sent(self, data: bytes) -> None:
        self._add(">", data)

    def received(self, data: bytes) -> None:
        self._add("<", data)

    @property
    def heard(self) -> bytes:
        """Everything received that is still remembered."""
        return b"".join(bytes(data) for mark, data in self._chunks if mark == "<")

    def tail(self, lines: int = 8) -> tuple[str, ...]:
        """The last lines, printable: ``> name%``, ``< m-ready``."""
        shown = [
            f"{mark} {printable(line)}"
            for mark, data in self._chunks
            for line in bytes(data).split(b"\n")
            if line.strip()
        ]
        return tuple(shown[-lines:])

    def _add(self, mark: str, data: bytes) -> None:
        if not data:
            return
        if self.log is not None:
            self.log(mark, data)
        if not self._chunks or self._chunks[-1][0] != mark:
            self._chunks.append((mark, bytearray()))
        self._chunks[-1][1].extend(data)
        self._size += len(data)
        self._forget()

    def _forget(self) -> None:
        while self._size > self._limit:
            oldest = self._chunks[0][1]
            drop = min(self._size - self._limit, len(oldest))
            del oldest[:drop]
            self._size -= drop
            if not oldest:
                self._chunks.popleft()


def printable(raw: bytes) -> str:
    """One line as text: what is not printable ASCII is escaped, long lines are cut."""
    text = "".join(chr(b) if 32 <= b < 127 else f"\\x{b:02x}" for b in raw.strip(b"\r\n"))
    return text if len(text) <= _LINE_CHARACTERS else text[:_LINE_CHARACTERS] + "…"


class ByteStream(Protocol):
    """A two-way line to a device."""

    transcript: Transcript

    @property
    def alive(self) -> bool:
        """False once the other side has ended; bytes it sent before can be read until then."""

    def read(self, n: int, timeout: float) -> bytes:
        """1 to ``n`` bytes as soon as there are any; b"" after ``timeout`` seconds or the end."""

    def write(self, data: bytes) -> None:
        """All of ``data``. Raises BenchError when the device is gone or takes nothing."""

    def epitaph(self) -> tuple[str, ...]:
        """What is known of why the stream ended, one line each."""

    def close(self) -> None:
        """Free the line; a process behind it is ended. Twice is harmless."""


class Peer(Protocol):
    """What owns the descriptors of a stream."""

    def epitaph(self) -> tuple[str, ...]: ...
    def close(self) -> None: ...


class FdStream:
    """A ByteStream over two descriptors, made non-blocking; ``peer`` owns and closes them."""

    def __init__(self, reader: int, writer: int, peer: Peer):
        self.transcript = Transcript()
        self._reader = reader
        self._writer = writer
        self._peer = peer
        self._ended = False
        self._closed = False
        os.set_blocking(reader, False)
        os.set_blocking(writer, False)

    @property
    def alive(self) -> bool:
        return not self._ended

    def read(self, n: int, timeout: float) -> bytes:
        if self._ended or not _ready(self._reader, select.POLLIN, timeout):
            return b""
        try:
            data = os.read(self._reader, n)
        except BlockingIOError:
            return b""
        except OSError as error:
            data = _nothing_if_gone(error)
        self._ended = not data
        self.transcript.received(data)
        return data

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        deadline = time.monotonic() + WRITE_TIMEOUT_SECONDS
        while rest:
            rest = rest[self._write_some(rest, deadline - time.monotonic()) :]
        self.transcript.sent(data)

    def epitaph(self) -> tuple[str, ...]:
        return self._peer.epitaph()

    def close(self) -> None:
        if self._closed:
            return
        self._closed = self._ended = True
        self._peer.close()

    def _write_some(self, data: memoryview, timeout: float) -> int:
        if self._ended:
            raise ended(self)
        if not _ready(self._writer, select.POLLOUT, max(timeout, 0.0)):
            waiting = f"{len(data)} bytes wait since {WRITE_TIMEOUT_SECONDS:g} s"
            raise BenchError(
                f"the device takes no data: {waiting}",
                why=self.transcript.tail(),
                hints=["reset the device"],
            )
        try:
            return os.write(self._writer, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            _nothing_if_gone(error)
        while self.read(4096, 0.1):  # its last words go into the transcript
            pass
        self._ended = True
        raise ended(self)


class SocketPeer:
    def __init__(self, connection: socket.socket, address: str):
        self._connection = connection
        self._address = address

    def epitaph(self) -> tuple[str, ...]:
        return (f"{self._address} closed the connection",)

    def close(self) -> None:
        self._connection.close()


def socket_stream(connection: socket.socket, address: str = "the other side") -> FdStream:
    """A stream over a connected socket, which it then owns."""
    if connection.family in (socket.AF_INET, socket.AF_INET6):
        connection.setsockopt(
            socket.IPPROTO_TCP, socket.TCP_NODELAY, True
        )  # small frames both ways
    return FdStream(connection.fileno(), connection.fileno(), SocketPeer(connection, address))


def connect(host: str, port: int, *, timeout: float = 5.0) -> FdStream:
    """A TCP connection, to an emulator or a serial server."""
    try:
        connection = socket.create_connection((host, port), timeout)
    except OSError as error:
        raise BenchError(f"nobody answers at {host}:{port}", why=[str(error)]) from None
    return socket_stream(connection, f"{host}:{port}")


def ended(stream: ByteStream) -> BenchError:
    """The error for a device that went away in the middle of a conversation."""
    return BenchError(
        "the device ended",
        why=[*stream.epitaph(), *stream.transcript.tail()],
        hints=["run it again; if it ends at the same place, the image faults there"],
    )


def _ready(descriptor: int, event: int, timeout: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, event)
    return bool(poll.poll(timeout * 1000))


def _nothing_if_gone(error: OSError) -> bytes:
    if error.errno in _GONE:
        return b""
    raise BenchError("the line to the device failed", why=[str(error)]) from None
