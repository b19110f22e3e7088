"""Serial ports of other machines, served by pyserial's own server of RFC 2217."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest
import serial
from serial.rfc2217 import PortManager

from deployer.errors import BenchError
from deployer_hil import serial_ports
from deployer_hil.stream import ByteStream


class Server:
    """One connection to a port whose output is its input. ``line``: that port."""

    def __init__(self) -> None:
        self.line = serial.serial_for_url("loop://", timeout=0.05)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.hang_up = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        self.listener.accept()[0].close()  # of the client that looks whether anybody is there
        connection, _ = self.listener.accept()
        connection.settimeout(0.02)
        manager = PortManager(self.line, connection.makefile("wb", buffering=0))
        while not self.hang_up.is_set():
            try:
                data = connection.recv(1024)
            except TimeoutError:
                data = None
            if data == b"":
                break
            self.line.write(b"".join(manager.filter(data or b"")))
            connection.sendall(b"".join(manager.escape(self.line.read(self.line.in_waiting))))
        connection.shutdown(socket.SHUT_RDWR)
        connection.close()


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.hang_up.set()
    found.listener.close()


def read_all(stream: ByteStream, count: int) -> bytes:
    found = b""
    while len(found) < count and (data := stream.read(count, 5)):
        found += data
    return found


def test_every_byte_comes_and_goes_and_the_baud_rate_arrives(server: Server) -> None:
    sent = bytes(range(256)) * 3
    with closing(serial_ports.open_port(f"rfc2217://127.0.0.1:{server.port}", 57_600)) as stream:
        stream.write(sent)
        assert read_all(stream, len(sent)) == sent
        assert stream.read(1, 0.0) == b""
        assert stream.alive
        assert server.line.baudrate == 57_600
        assert stream.transcript.heard == sent


def test_a_connection_that_ends_is_the_end_of_the_stream(server: Server) -> None:
    address = f"127.0.0.1:{server.port}"
    with closing(serial_ports.open_port(f"rfc2217://{address}", 9_600)) as stream:
        server.hang_up.set()
        assert stream.read(1, 5) == b""
        assert not stream.alive
        assert stream.epitaph() == (f"{address} closed the connection",)
        with pytest.raises(BenchError, match="the device ended"):
            stream.write(b"x")


def test_a_port_without_rfc2217_is_a_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with closing(serial_ports.open_port(f"tcp://127.0.0.1:{port}", 9_600)) as stream:
            with listener.accept()[0] as other:
                other.sendall(b"ab")
                assert read_all(stream, 2) == b"ab"
            assert stream.read(1, 5) == b""


@pytest.mark.parametrize("url", ["ftp://h:1", "rfc2217://h", "tcp://:1", "rfc2217://h:x"])
def test_what_is_no_such_port_is_refused(url: str) -> None:
    with pytest.raises(BenchError, match="no serial port of another machine"):
        serial_ports.open_port(url, 9_600)


def test_nobody_there_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    for scheme in ("rfc2217", "tcp"):
        with pytest.raises(BenchError, match=f"nobody answers at 127.0.0.1:{port}"):
            serial_ports.open_port(f"{scheme}://127.0.0.1:{port}", 9_600)
