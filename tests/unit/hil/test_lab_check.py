"""Tests of a bench: power switch, probe, console, host, emulator; each way to fail is named."""

from __future__ import annotations

import os
import tty
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deployer.bundle import Bundle
from deployer.errors import BenchError, UsageError
from deployer_hil import locks, serial_ports
from deployer_hil.energy.recording import Recording
from deployer_hil.exchange import Timeouts
from deployer_hil.lab import Bench, Finding, Power, check, hold, on_board
from deployer_hil.lab import meter as lab_meter
from deployer_hil.probe import Probe
from deployer_hil.process import end, spawn
from deployer_hil.runners import tcp
from fakes import terminals
from fakes.bundles import make_bundle
from fakes.fake_openocd import SCRIPTS, FakeOpenocd
from fakes.traces import Scene, recorded, waiting

UID = "066BFF51"
TABLE = {
    "target": "stm32f767zi",
    "program": "qemu-toy",
    "package": "qemu-system-toy",
    "machines": ["aarch64"],
    **dict(zip(("cable", "target", "boot"), SCRIPTS, strict=True)),
}
NUCLEO = Bench("nucleo-1", "toy", "pyocd", probe=UID)
OPENOCD = "openocd"


def table_of(bench: Bench) -> Mapping[str, Any]:
    return TABLE


class BoardProbe:
    """A probe with a board whose image is the fake device, its console on a PTY."""

    def __init__(self, image: Path):
        self._image = image
        self._master, self.slave = terminals.pair()
        tty.setraw(self.slave)
        self._child: Any = None
        self.port = os.ttyname(self.slave)
        self.trouble: list[BenchError] = []
        self.resets = 0

    def find(self) -> Probe:
        if self.trouble:
            raise self.trouble.pop()
        return Probe(UID, "fake probe", self.port)

    def reset(self) -> None:
        self._stop()
        self.resets += 1
        with open(os.devnull, "wb") as nowhere:
            self._child = spawn(
                [str(self._image)], stdin=self._master, stdout=self._master, stderr=nowhere
            )

    def close(self) -> None:
        self._stop()
        os.close(self._master)
        os.close(self.slave)

    def _stop(self) -> None:
        if self._child is not None:
            end(self._child)


class MeterThatSees:
    """Records ``seen``, whatever there is to record."""

    name = "fake meter 7"

    def __init__(self, seen: Recording, *, sees_trigger: bool = True):
        self._seen, self.sees_trigger = seen, sees_trigger
        self.calls: list[str] = []

    def start(self) -> None:
        self.calls.append("start")

    def stop(self) -> Recording:
        self.calls.append("stop")
        return self._seen

    def close(self) -> None:
        self.calls.append("close")


def two_pulses() -> Recording:
    return recorded(Scene(window=0.2))


def nothing_seen() -> Recording:
    return waiting(Scene(), seconds=0.4)


@pytest.fixture(autouse=True)
def _quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(locks.FOLDER, str(tmp_path / "locks"))
    monkeypatch.setattr(on_board, "OFF_SECONDS", 0.0)
    monkeypatch.setattr(on_board, "BACK_SECONDS", 2.0)
    monkeypatch.setattr(on_board, "_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(lab_meter, "_SETTLE_SECONDS", 0.0)
    monkeypatch.setattr(on_board, "TIMEOUTS", Timeouts(0.05, 0.3, hello=0.3, reply=1))


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., BoardProbe]]:
    """board(**config): the only probe, whose board runs a fake device of that configuration."""
    made: list[BoardProbe] = []

    def start(**config: Any) -> BoardProbe:
        found = BoardProbe(make_bundle(tmp_path / "bundle", **config).firmware)
        monkeypatch.setattr(on_board, "PyocdLoader", lambda **options: found)
        made.append(found)
        return found

    yield start
    for each in made:
        each.close()


def program(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


def switch(folder: Path, on: str = "echo on", off: str = "echo off") -> Power:
    """One that writes what it did into ``folder``."""
    log = folder / "power"
    return Power(("sh", "-c", f"{on} >> {log}"), ("sh", "-c", f"{off} >> {log}"))


def test_a_board_answers_by_probe_and_console(board: Callable[..., BoardProbe]) -> None:
    found = board()
    probe, console = check(NUCLEO, table_of)
    assert probe == Finding("probe", True, f"{UID}: the board was reset")
    assert console.passed
    assert console.told == f"{found.port}: toy, runs toy_net, id 0123456789abcdef"
    assert found.resets == 1


@pytest.mark.parametrize(
    ("seen", "passed", "told"),
    [
        (two_pulses(), True, "fake meter 7: 2 pulses in "),
        (nothing_seen(), False, "fake meter 7 saw 0 pulses of the trigger, 2 were made"),
        (replace(two_pulses(), dropped=1), False, "the meter dropped 1 of"),
    ],
)
def test_a_meter_sees_the_pulses_of_the_image_that_is_there(
    board: Callable[..., BoardProbe],
    monkeypatch: pytest.MonkeyPatch,
    seen: Recording,
    passed: bool,
    told: str,
) -> None:
    board()
    found = MeterThatSees(seen)
    monkeypatch.setattr(lab_meter, "live_meter", lambda spec: found)
    *_, last = check(replace(NUCLEO, meter="joulescope", trigger="PF13"), table_of)
    assert (last.test, last.passed) == ("meter", passed)
    assert last.told.startswith(told)
    assert found.calls == ["start", "stop", "close"]


def test_the_pin_is_named_on_which_no_pulse_comes(
    board: Callable[..., BoardProbe], monkeypatch: pytest.MonkeyPatch
) -> None:
    board()
    monkeypatch.setattr(lab_meter, "live_meter", lambda spec: MeterThatSees(nothing_seen()))
    for bench, pin in ((NUCLEO, "the trigger pin"), (replace(NUCLEO, trigger="PF13"), "PF13")):
        *_, last = check(replace(bench, meter="joulescope"), table_of)
        assert last.hints == (f"is {pin} wired to the meter's input, with a common ground?",)


def test_a_meter_without_a_trigger_is_asked_for_samples(
    board: Callable[..., BoardProbe], monkeypatch: pytest.MonkeyPatch
) -> None:
    board()
    found = MeterThatSees(nothing_seen(), sees_trigger=False)
    monkeypatch.setattr(lab_meter, "live_meter", lambda spec: found)
    *_, last = check(replace(NUCLEO, meter="visa:X"), table_of)
    assert last.passed
    assert last.told.endswith("samples; it sees no trigger")


def test_assumed_power_and_a_machine_without_an_image_are_skipped(
    board: Callable[..., BoardProbe],
) -> None:
    board()
    *_, last = check(replace(NUCLEO, meter="assumed:3.5W"), table_of)
    assert (last.test, last.passed) == ("meter", None)


def test_nothing_is_held_afterwards(board: Callable[..., BoardProbe]) -> None:
    found = board()
    check(NUCLEO, table_of)
    with locks.Locks() as taken:
        taken.take("bench nucleo-1", locks.probe(UID), locks.port(found.port))


def test_a_probe_that_does_not_answer_ends_the_tests(board: Callable[..., BoardProbe]) -> None:
    board().trouble = [BenchError("no debug probe found", why=["seen: none"], hints=["plug in"])]
    assert check(NUCLEO, table_of) == (
        Finding("probe", False, "no debug probe found", ("seen: none",), ("plug in",)),
    )


@pytest.mark.parametrize(
    ("config", "cause"),
    [
        ({"silent_at": "name"}, "the device is silent"),
        ({"die_at": "start"}, "the device is silent"),
        ({"board": "another"}, "it is a another, the lab file says toy"),
    ],
)
def test_a_console_that_does_not_answer_as_it_should_is_told(
    config: dict[str, Any], cause: str, board: Callable[..., BoardProbe]
) -> None:
    board(**config)
    probe, console = check(NUCLEO, table_of)
    assert (probe.passed, console.passed) == (True, False)
    assert cause in console.told
    assert "nucleo-1" in console.hints[-1]


def test_an_image_of_somebody_else_needs_no_id(board: Callable[..., BoardProbe]) -> None:
    board(refuse={"x-id": "unknown command"})
    assert check(NUCLEO, table_of)[-1].told.endswith("toy, runs toy_net")


def test_power_goes_off_and_on_and_the_board_is_waited_for(
    board: Callable[..., BoardProbe], tmp_path: Path
) -> None:
    board().trouble = [BenchError("no debug probe found")] * 3
    bench = Bench("n", "toy", "pyocd", power=switch(tmp_path))
    found = check(bench, table_of)
    assert [each.passed for each in found] == [True, True, True]
    assert (tmp_path / "power").read_text() == "off\non\n"


@pytest.mark.parametrize(
    ("on", "off", "told"),
    [
        ("false", "echo off", "the command for power on ended with status 1"),
        ("echo on", "exit 3;", "the command for power off ended with status 3"),
    ],
)
def test_a_power_switch_that_fails_is_named(on: str, off: str, told: str, tmp_path: Path) -> None:
    bench = Bench("n", "toy", "qemu_system", power=switch(tmp_path, on, off))
    (found,) = check(bench, table_of)
    assert (found.test, found.passed, found.told) == ("power", False, told)


def test_a_power_switch_that_hangs_or_is_not_there_is_named() -> None:
    with pytest.raises(BenchError, match=r"power off took more than 0\.1 s"):
        on_board.switch_power("off", ("sleep", "60"), seconds=0.1)
    with pytest.raises(BenchError, match="cannot start no-such-program"):
        on_board.switch_power("off", ("no-such-program",))


def test_power_comes_back_when_the_pause_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(on_board, "time", SimpleNamespace(sleep=interrupt))
    with pytest.raises(KeyboardInterrupt):
        on_board.cycle_power(switch(tmp_path))
    assert (tmp_path / "power").read_text() == "off\non\n"


def test_a_bench_that_another_holds_is_not_tested_and_does_not_pass() -> None:
    with hold(NUCLEO):
        (found,) = check(NUCLEO, table_of)
    assert (found.test, found.passed) == ("bench", False)
    assert "bench nucleo-1 is held by process" in found.told


def test_a_port_that_another_holds_is_not_opened(board: Callable[..., BoardProbe]) -> None:
    with locks.Locks() as taken:
        taken.take(locks.port(board().port))
        found = check(NUCLEO, table_of)
    assert [each.passed for each in found] == [True, False]
    assert "is held by process" in found[1].told


def test_a_board_that_is_not_there_is_told() -> None:
    def unknown(bench: Bench) -> Mapping[str, Any]:
        raise UsageError("unknown board 'toy'")

    assert check(NUCLEO, unknown) == (Finding("bench", False, "unknown board 'toy'"),)


@pytest.mark.parametrize(
    ("does", "passed", "told"),
    [
        ("echo QEMU 7.2", True, "QEMU 7.2"),
        ("exit 1", True, "qemu-toy"),
        ("exit 127", False, "does not start"),
        ("kill -SEGV $$", False, "does not start"),
    ],
)
def test_an_emulator_is_started(
    does: str, passed: bool, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin", "qemu-toy", does)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    (found,) = check(Bench("q", "toy", "qemu_system"), table_of)
    assert (found.test, found.passed) == ("program", passed)
    assert told in found.told


def test_a_missing_emulator_and_a_missing_key_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = check(Bench("q", "toy", "qemu_system"), table_of)
    assert found.told == "qemu-toy is not installed"
    (found,) = check(Bench("q", "toy", "qemu_system"), lambda bench: {})
    assert found.told == "[runners.qemu_system] of board toy lacks the key 'program'"


def test_what_cannot_be_tested_is_skipped_and_does_not_pass() -> None:
    (found,) = check(Bench("h", "host", "host"), lambda bench: {})
    assert found.passed is None
    made = Bench("n", "toy", "pyocd", options={"loader": "mine:loader"})
    assert [each.passed for each in check(made, table_of)] == [None]


@pytest.mark.parametrize(
    ("does", "passed", "told"),
    [
        ("echo aarch64", True, "pi@toy: aarch64"),
        ("echo armv7l", False, "pi@toy is a armv7l, toy runs on aarch64"),
        ("echo 'Connection refused' >&2; exit 255", False, "no ssh server answers there"),
    ],
)
def test_a_machine_is_asked_what_it_is(
    does: str, passed: bool, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin", "ssh", does)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    (found,) = check(Bench("p", "toy", "ssh", host="pi@toy"), table_of)
    assert (found.test, found.passed) == ("host", passed)
    assert told in found.told


def test_an_image_that_listens_is_asked_for_its_name(
    device_stream: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tcp, "connect", lambda host, port: device_stream())
    (found,) = check(Bench("p", "toy", "tcp", tcp="pi:7700"), table_of)
    assert (found.test, found.told) == (
        "console",
        "pi:7700: toy, runs toy_net, id 0123456789abcdef",
    )


def test_a_gapuino_is_seen_by_its_cable_and_asked_by_its_console(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, board: Callable[..., BoardProbe]
) -> None:
    fake = FakeOpenocd(tmp_path / "installed")
    monkeypatch.setenv("PATH", f"{fake.program.parent}:/usr/bin:/bin")
    running = board()
    running.reset()
    port = serial_ports.Port(running.port, "0403:6010", "FT1", "Dual", 1)
    monkeypatch.setattr(serial_ports, "ports", lambda: (port,))
    probe, console = check(Bench("g", "toy", OPENOCD, probe="FT1"), table_of)
    assert probe.told == "FT1: JTAG is not asked before an image is sent"
    assert console.told == f"{running.port}: toy, runs toy_net, id 0123456789abcdef"


def test_a_runner_holds_probe_and_port_from_load_to_close(
    toy: Callable[..., Bundle],
) -> None:
    """Without a lab file too."""
    from deployer_hil.runner import create
    from fakes import fake_loader

    bundle = toy(runners={"pyocd": {"twin": "toy-twin"}})
    loader = fake_loader.device(bundle)
    port = loader.find().port
    assert port is not None
    with create("pyocd", bundle, loader=loader) as runner:
        runner.load(bundle)
        for claim in (locks.probe(fake_loader.UID), locks.port(port)):
            with pytest.raises(locks.BenchHeld), locks.Locks() as other:
                other.take(claim)
    with locks.Locks() as taken:
        taken.take(locks.probe(fake_loader.UID), locks.port(port))


def test_a_board_in_use_is_not_programmed(toy: Callable[..., Bundle]) -> None:
    from deployer_hil.runner import create
    from fakes import fake_loader

    bundle = toy(runners={"pyocd": {"twin": "toy-twin"}})
    loader = fake_loader.device(bundle)
    with locks.Locks() as other, create("pyocd", bundle, loader=loader) as runner:
        other.take(locks.probe(fake_loader.UID))
        with pytest.raises(locks.BenchHeld, match="probe fake0001 is held by process"):
            runner.load(bundle)
    assert "program" not in loader.calls
