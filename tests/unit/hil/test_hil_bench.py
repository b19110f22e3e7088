"""Serial ports that cannot be opened, and what doctor is told."""

from __future__ import annotations

import errno
import os
import threading
import tty
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from deployer.errors import BenchError
from deployer_hil import probe, serial_ports, tools
from deployer_hil.serial_ports import open_port
from fakes import terminals
from fakes.bundles import fake_qemu


@pytest.fixture
def pty() -> Iterator[str]:
    master, slave = terminals.pair()
    tty.setraw(slave)
    yield os.ttyname(slave)
    os.close(master)
    os.close(slave)


def test_a_second_open_is_refused_until_the_first_closes(pty: str) -> None:
    first = open_port(pty, 115_200)
    with pytest.raises(BenchError, match=f"{pty} is busy") as caught:
        open_port(pty, 115_200)
    assert f"fuser -v {pty}" in caught.value.hints[0]
    first.close()
    open_port(pty, 115_200).close()


def test_a_port_that_is_let_go_in_a_moment_opens(pty: str) -> None:
    first = open_port(pty, 115_200)
    later = threading.Timer(0.1, first.close)
    later.start()
    open_port(pty, 115_200).close()
    later.join()


@pytest.mark.parametrize(
    ("code", "what", "hint"),
    [
        (errno.EBUSY, "is busy", "fuser"),
        (errno.EACCES, "no permission to open", "dialout"),
        (errno.EIO, "cannot open", ""),
    ],
)
def test_what_the_system_refuses_is_explained(
    pty: str, monkeypatch: pytest.MonkeyPatch, code: int, what: str, hint: str
) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("serial.Serial", refuse)
    with pytest.raises(BenchError, match=what) as caught:
        open_port(pty, 115_200)
    assert hint in str(caught.value.hints)


def test_a_port_that_is_not_there_lists_those_that_are(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = SimpleNamespace(
        device="/dev/ttyACM1",
        vid=0x0483,
        pid=0x374B,
        serial_number="066B",
        description="STLink",
        location="1-4.2:1.2",
    )
    plain = SimpleNamespace(
        device="/dev/ttyS0", vid=None, pid=None, serial_number=None, description=None, location=None
    )
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: [plain, seen])
    with pytest.raises(BenchError, match="there is no port /dev/ttyACM9") as caught:
        open_port("/dev/ttyACM9", 115_200)
    assert caught.value.why == ("serial port: /dev/ttyACM1 (0483:374b, 066B)",)


def test_a_file_is_no_port(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("")
    with pytest.raises(BenchError, match="cannot open"):
        open_port(str(path), 115_200)


def test_an_impossible_baud_rate_is_refused(pty: str) -> None:
    with pytest.raises(BenchError, match="cannot open"):
        open_port(pty, -5)


def test_emulators_are_reported_with_version_or_the_way_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_qemu(tmp_path / "bin", "qemu-here")
    (tmp_path / "bin" / "qemu-broken").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "bin" / "qemu-broken").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    programs = dict.fromkeys(("qemu-here", "qemu-broken", "qemu-gone"), ("pack", "rpi3"))
    broken, gone, here = tools.emulators(programs)
    assert here.version == "QEMU emulator version 0.0 (fake)"
    assert broken.version == "unknown version"
    assert (gone.version, gone.install, gone.enables) == (None, "apt-get install pack", "rpi3")


def test_python_tools_are_reported() -> None:
    found = {tool.name: tool.version for tool in tools.python_tools()}
    assert set(found) == {"pyocd", "pyserial", "unicorn"}
    assert found["pyocd"]
    assert found["pyserial"]


def test_an_empty_bench_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "connected", lambda: ())
    monkeypatch.setattr(serial_ports, "ports", lambda: ())
    assert tools.bench() == ("probes: none", "USB serial ports: none")


def test_probes_that_cannot_be_asked_for_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise BenchError("pyOCD is not installed")

    monkeypatch.setattr(probe, "connected", fail)
    assert tools.bench()[0] == "probes: pyOCD is not installed"
