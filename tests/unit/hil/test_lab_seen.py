"""What is connected, and what is told of what is not."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from deployer.errors import BenchError, UsageError
from deployer_hil import locks, probe, serial_ports
from deployer_hil.lab import Bench, Lab, State, hold, look, states
from deployer_hil.lab.seen import Seen
from deployer_hil.probe import Probe
from deployer_hil.serial_ports import Port

UID = "066BFF51"
NUCLEO = Bench("nucleo-1", "nucleo-f767zi", "pyocd", probe=UID)
GAPUINO = Bench("gap8-1", "gap8", "openocd", probe="FT1")
EMULATED = Bench("q-1", "nucleo-f767zi", "qemu_system")
PI = Bench("pi", "rpi3", "ssh", host="pi@raspberrypi")
QEMU = {"program": "qemu-toy", "package": "qemu-system-toy"}


@pytest.fixture(autouse=True)
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(locks.FOLDER, str(tmp_path / "locks"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    for name in ("ssh", "qemu-toy"):
        (tmp_path / "bin" / name).write_text("#!/bin/sh\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path / "bin"


@pytest.fixture
def console(tmp_path: Path) -> str:
    path = tmp_path / "ttyACM0"
    path.touch()
    return str(path)


def table_of(bench: Bench) -> Mapping[str, Any]:
    if bench.board == "nucleo-f767z":
        raise UsageError("unknown board 'nucleo-f767z'", hints=["did you mean nucleo-f767zi?"])
    return QEMU


def seen_at(device: str, uid: str = UID, **more: Any) -> Seen:
    return Seen((Probe(uid, "STLink"),), (Port(device, "0483:374b", uid, "STLink"),), **more)


def one(bench: Bench, seen: Seen = Seen()) -> State:  # noqa: B008  (frozen)
    return states(Lab(Path("lab.toml"), (bench,)), seen, table_of)[0]


def test_a_board_that_is_there_is_connected_and_free(console: str) -> None:
    assert one(NUCLEO, seen_at(console)) == State(NUCLEO, True, console, None, ())


def test_the_only_probe_needs_no_name(console: str) -> None:
    bench = Bench("n", "nucleo-f767zi", "pyocd")
    assert one(bench, seen_at(console)).device == console
    many = Seen((Probe("1"), Probe("2")), ())
    assert "probe is not stated, and 2 are connected" in one(bench, many).troubles
    assert "probe is not stated, and none are connected" in one(bench).troubles


def test_a_probe_and_a_port_that_are_not_there_are_named(console: str) -> None:
    found = one(NUCLEO, seen_at(console, "OTHER"))
    assert found.connected is False
    assert found.troubles == (
        f"probe {UID} is not connected",
        "serial port of the probe is not there",
    )
    assert one(Bench("n", "b", "pyocd", serial="AB")).troubles[-1] == (
        "serial port AB is not there"
    )


def test_a_probe_that_may_not_be_opened_shows_by_its_port(console: str) -> None:
    seen = Seen((), (Port(console, "0483:374b", UID, "STLink"),))
    (trouble,) = one(NUCLEO, seen).troubles
    assert f"probe {UID} may not be opened" in trouble
    assert "udev rules" in trouble


def test_a_port_without_permission_is_named(console: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    (trouble,) = one(NUCLEO, seen_at(console)).troubles
    assert f"no permission to open {console}" in trouble
    assert "dialout" in trouble


def test_two_benches_that_claim_one_probe_are_both_named(console: str) -> None:
    other = Bench("nucleo-2", "nucleo-f767zi", "pyocd", probe=UID.lower(), serial=console)
    lab = Lab(Path("lab.toml"), (NUCLEO, other, EMULATED))
    first, second, third = states(lab, seen_at(console), table_of)
    assert f"probe {UID.lower()} is also of bench nucleo-2" in first.troubles
    assert f"port {console} is also of bench nucleo-2" in first.troubles
    assert f"probe {UID.lower()} is also of bench nucleo-1" in second.troubles
    assert first.connected
    assert third.troubles == ()


def test_an_unknown_board_is_told_with_the_nearest(console: str) -> None:
    bench = Bench("n", "nucleo-f767z", "pyocd", probe=UID)
    (trouble,) = one(bench, seen_at(console)).troubles
    assert trouble == "unknown board 'nucleo-f767z': did you mean nucleo-f767zi?"


def test_a_missing_emulator_is_told_with_its_package(bin_folder: Path) -> None:
    assert one(EMULATED) == State(EMULATED, True, "", None, ())
    (bin_folder / "qemu-toy").unlink()
    found = one(EMULATED)
    assert found.connected is False
    assert found.troubles == ("qemu-toy is not installed: apt-get install qemu-system-toy",)


def test_a_machine_of_the_network_is_not_asked() -> None:
    assert one(PI) == State(PI, None, "", None, ())


def test_the_console_of_a_gapuino_is_its_second_channel(tmp_path: Path) -> None:
    jtag, uart = (
        Port(str(tmp_path / f"ttyUSB{i}"), "0403:6010", "FT1", "Dual", i) for i in range(2)
    )
    (tmp_path / "ttyUSB1").touch()
    found = one(GAPUINO, Seen(ports=(jtag, uart)))
    assert found.device == uart.device
    assert "not connected" not in " ".join(found.troubles)


def test_who_holds_it_is_told(console: str) -> None:
    with hold(EMULATED):
        found = one(EMULATED).holder
    assert found is not None
    assert found.process == os.getpid()


def test_the_same_probe_held_without_a_lab_file_is_told(console: str) -> None:
    with locks.Locks() as other:
        other.take(locks.port(console))
        assert one(NUCLEO, seen_at(console)).holder is not None


@pytest.mark.parametrize(
    ("benches", "asked"),
    [((EMULATED, PI), []), ((GAPUINO,), ["ports"]), ((NUCLEO, PI), ["ports", "probes"])],
)
def test_only_what_the_lab_needs_is_looked_for(
    benches: tuple[Bench, ...], asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[str] = []

    def answer(name: str) -> Callable[[], tuple[()]]:
        def tell() -> tuple[()]:
            found.append(name)
            return ()

        return tell

    monkeypatch.setattr(serial_ports, "ports", answer("ports"))
    monkeypatch.setattr(probe, "connected", answer("probes"))
    assert look(benches) == Seen()
    assert found == asked


def test_without_pyocd_the_reason_is_told(monkeypatch: pytest.MonkeyPatch, console: str) -> None:
    def refuse() -> None:
        raise BenchError("pyOCD is not installed")

    monkeypatch.setattr(serial_ports, "ports", lambda: ())
    monkeypatch.setattr(probe, "connected", refuse)
    seen = look([NUCLEO])
    assert "probes are not seen: pyOCD is not installed" in one(NUCLEO, seen).troubles
