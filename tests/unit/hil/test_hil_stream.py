"""Streams over pipes, sockets and a PTY: bytes, ends, and what is known of them."""

from __future__ import annotations

import os
import socket
import sys
import time
import tty

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.errors import BenchError
from deployer_hil import process, stream
from deployer_hil.serial_ports import open_port
from deployer_hil.stream import ByteStream, Transcript, connect, printable, socket_stream
from fakes import terminals

ECHO = "import os\nwhile (data := os.read(0, 4096)): os.write(1, data)"
EVERY_BYTE = bytes(range(256))


def python(code: str) -> ByteStream:
    return process.start([sys.executable, "-SE", "-c", code])


def read_all(source: ByteStream, count: int) -> bytes:
    data = b""
    while len(data) < count and (more := source.read(count - len(data), 5)):
        data += more
    return data


def test_every_byte_crosses_a_pipe() -> None:
    line = python(ECHO)
    line.write(EVERY_BYTE)
    assert read_all(line, 256) == EVERY_BYTE
    line.close()


def test_every_byte_crosses_a_serial_port() -> None:
    master, slave = terminals.pair()
    tty.setraw(slave)
    line = open_port(os.ttyname(slave), 115_200)
    os.write(master, EVERY_BYTE)
    assert read_all(line, 256) == EVERY_BYTE
    line.write(EVERY_BYTE)
    assert os.read(master, 256) == EVERY_BYTE
    line.close()
    os.close(slave)
    os.close(master)


def test_every_byte_crosses_tcp() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        line = connect("127.0.0.1", server.getsockname()[1])
        other, _ = server.accept()
        with other:
            line.write(EVERY_BYTE)
            assert other.recv(512) == EVERY_BYTE
            other.sendall(EVERY_BYTE)
            assert read_all(line, 256) == EVERY_BYTE
        assert line.read(1, 5) == b""
        assert not line.alive
        assert "closed the connection" in line.epitaph()[0]
        line.close()


def test_small_frames_are_sent_at_once() -> None:
    """Held back until the frame before is acknowledged, each would take 40 ms."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        plain = socket.create_connection(server.getsockname())
        line = socket_stream(plain)
        assert plain.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        line.close()


def test_nobody_listening_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(BenchError, match=f"nobody answers at 127.0.0.1:{port}"):
        connect("127.0.0.1", port)


def test_a_read_ends_after_its_time() -> None:
    line = python("import time; time.sleep(60)")
    assert line.read(1, 0.1) == b""
    assert line.alive  # it would have ended had the read waited for it
    line.close()


def test_a_program_that_ends_is_noticed_with_its_last_words() -> None:
    line = python(
        "import sys; print('half'); print('no such machine', file=sys.stderr); sys.exit(9)"
    )
    assert read_all(line, 5) == b"half\n"
    assert line.read(1, 5) == b""
    assert not line.alive
    assert line.epitaph() == (
        f"{os.path.basename(sys.executable)} ended with status 9",
        "stderr: no such machine",
    )
    line.close()


def test_much_on_stderr_blocks_nothing() -> None:
    line = python("import sys; sys.stderr.write('x' * 300_000); print('done')")
    assert read_all(line, 5) == b"done\n"
    line.close()


def test_writing_to_an_ended_program_is_an_error_with_its_last_words() -> None:
    line = python("import sys; sys.exit('out of memory')")
    line.read(1, 5)
    with pytest.raises(BenchError, match="the device ended") as caught:
        line.write(b"name%")
    assert "stderr: out of memory" in caught.value.why
    line.close()


def test_a_pipe_that_breaks_under_a_write_keeps_the_last_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "_GRACE_SECONDS", 0.1)
    line = python("import os; os.write(1, b'e-[fault]'); os.close(0); import time; time.sleep(60)")
    while b"e-[fault]" not in line.transcript.heard:
        line.read(9, 5)
    time.sleep(0.05)  # the other end of the pipe closes
    with pytest.raises(BenchError, match="the device ended") as caught:
        line.write(b"name%")
    assert "< e-[fault]" in caught.value.why
    line.close()


def test_a_program_that_takes_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "WRITE_TIMEOUT_SECONDS", 0.2)
    line = python("import time; time.sleep(60)")
    with pytest.raises(BenchError, match="takes no data"):
        line.write(bytes(1 << 20))
    line.close()


def test_an_unplugged_port_is_noticed() -> None:
    master, slave = terminals.pair()
    tty.setraw(slave)
    name = os.ttyname(slave)
    line = open_port(name, 115_200)
    os.close(slave)
    os.close(master)
    assert line.read(1, 5) == b""
    assert not line.alive
    assert line.epitaph() == (f"{name} is gone: unplugged, or its power failed",)
    line.close()


def test_a_stubborn_program_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_GRACE_SECONDS", 0.2)
    line = python(
        "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True)\n"
        "time.sleep(60)"
    )
    assert read_all(line, 3) == b"up\n"
    line.close()
    assert "signal 9" in line.epitaph()[0]


@given(st.lists(st.tuples(st.booleans(), st.binary(max_size=40)), max_size=30))
def test_a_transcript_keeps_the_newest_bytes(talk: list[tuple[bool, bytes]]) -> None:
    script = Transcript(limit=50)
    for ours, data in talk:
        (script.sent if ours else script.received)(data)
    total = b"".join(data for _, data in talk)
    kept = b"".join(bytes(data) for _, data in script._chunks)
    assert kept == total[-50:]
    assert len(script.tail(4)) <= 4


def test_a_transcript_shows_who_said_what() -> None:
    script = Transcript()
    script.sent(b"name%")
    script.received(b"m-name-dut-[toy]\r\nm-re")
    script.received(b"ady\r\n")
    assert script.tail() == ("> name%", "< m-name-dut-[toy]", "< m-ready")


def test_long_and_unprintable_lines_are_made_readable() -> None:
    assert printable(b"a\x00\xff\r\n") == r"a\x00\xff"
    assert len(printable(b"x" * 500)) == 101


def test_a_closed_stream_stays_closed() -> None:
    ours, theirs = socket.socketpair()
    line = socket_stream(ours)
    line.close()
    line.close()
    assert line.read(1, 1) == b""
    with pytest.raises(BenchError, match="the device ended"):
        line.write(b"name%")
    theirs.close()


def test_the_last_eight_lines_of_64_kib_are_remembered() -> None:
    script = Transcript()
    for index in range(12):
        script.received(b"line %d\n" % index)
    assert script.tail() == tuple(f"< line {index}" for index in range(4, 12))
    assert script.tail(1) == ("< line 11",)
    script.sent(b"x" * 65_536)
    assert script.heard == b""
    script = Transcript()
    script.received(b"a" + b"b" * 65_536)
    assert script.heard == b"b" * 65_536


def test_lines_of_a_hundred_characters_are_whole() -> None:
    assert printable(b"x" * 100) == "x" * 100
    assert printable(b"x" * 101) == "x" * 100 + "…"
    assert printable(bytes(range(30, 34)) + b"~\x7f") == r"\x1e\x1f !~\x7f"


def test_how_long_is_waited_for_a_connection_and_for_a_device_that_takes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []

    def refuse(address: object, timeout: float) -> None:
        asked.append(timeout)
        raise OSError(111, "refused")

    monkeypatch.setattr(socket, "create_connection", refuse)
    with pytest.raises(BenchError, match="nobody answers at there:1"):
        connect("there", 1)
    assert asked == [5.0]
    monkeypatch.setattr(stream, "_ready", lambda *given: False)
    ours, theirs = socket.socketpair()
    line = socket_stream(ours)
    with pytest.raises(BenchError, match="takes no data: 5 bytes wait since 9 s") as caught:
        line.write(b"name%")
    assert caught.value.hints == ("reset the device",)
    line.close()
    theirs.close()
