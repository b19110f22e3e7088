"""Each meter on a fake at its own seam: what it is told, and the recording it gives. None of them
has met hardware."""

from __future__ import annotations

import importlib.util
import struct
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from deployer.errors import BenchError, UsageError
from deployer_hil.energy.meter import create_meter
from deployer_hil.energy.meters.drain import Drain
from deployer_hil.energy.meters.joulescope import Joulescope
from deployer_hil.energy.meters.lpm01a import parse_stream
from deployer_hil.energy.meters.ppk2 import Ppk2
from deployer_hil.energy.meters.visa import Visa
from deployer_hil.energy.per_inference import window_of
from deployer_hil.energy.recording import require_whole
from deployer_hil.energy.timed import TimedMeter
from fakes.fake_lpm01a import FakeLpm01a, coded, stream
from fakes.fake_meter import INSTRUMENT
from fakes.traces import Scene, recorded


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deployer_hil.energy.meters.drain.SETTLE_SECONDS", 0.05)
    monkeypatch.setattr("deployer_hil.energy.meters.joulescope._SETTLE_SECONDS", 0.0)


class JoulescopeDevice:
    """Of the package: a buffer whose samples begin with some that are missing."""

    def __init__(self, serial: str = "JS220-000123", *, room: int = 1 << 30, silent: bool = False):
        self.scene = Scene(rate_hz=10_000, around=0.05)
        self.calls: list[str] = []
        self.settings: dict[str, Any] = {}
        self._serial, self._room, self._silent = serial, room, silent
        self.stream_buffer = self

    def __str__(self) -> str:
        return self._serial

    def open(self) -> None:
        self.calls.append("open")

    def close(self) -> None:
        self.calls.append("close")

    def parameter_set(self, name: str, value: Any) -> None:
        self.settings[name] = value

    def start(self) -> None:
        self.calls.append("start")
        found = recorded(self.scene)
        missing = np.full(500, np.nan)
        self.columns = {
            "current": np.concatenate([missing, found.amps]),
            "voltage": np.concatenate([missing, found.volts]),
            "current_lsb": np.concatenate([missing * 0, found.trigger]),
        }

    def stop(self) -> None:
        self.calls.append("stop")

    @property
    def sample_id_range(self) -> tuple[int | None, int | None]:
        if self._silent:
            return None, None
        end = len(self.columns["current"]) if self.calls[-1] == "stop" else 500
        return max(0, end - self._room), end

    def samples_get(self, start: int, stop: int, fields: list[str]) -> dict[str, Any]:
        signals = {name: {"value": self.columns[name][start:stop]} for name in fields}
        return {"signals": signals}


def test_joulescope_gives_what_comes_after_it_has_begun() -> None:
    device = JoulescopeDevice()
    meter = Joulescope(device, rate_hz=10_000)
    meter.start()
    found = meter.stop()
    assert window_of(found).joules == pytest.approx(device.scene.joules, rel=1e-3)
    assert device.calls == ["start", "stop"]
    assert device.settings["sampling_frequency"] == 10_000
    assert (device.settings["current_lsb"], device.settings["source"]) == ("gpi0", "raw")
    assert (meter.name, meter.sees_trigger) == ("joulescope JS220-000123", True)


def test_joulescope_says_how_many_samples_found_no_room() -> None:
    meter = Joulescope(JoulescopeDevice(room=90_000), rate_hz=10_000)
    meter.start()
    found = meter.stop()
    assert (found.dropped, len(found.amps)) == (16_000, 90_000)


def test_joulescope_that_skips_samples_is_told_by_what_is_no_number() -> None:
    device = JoulescopeDevice()
    meter = Joulescope(device, rate_hz=10_000)
    meter.start()
    device.columns["current"][60_000:60_007] = np.nan
    with pytest.raises(BenchError, match="the meter dropped 7 of"):
        require_whole(meter.stop())


def test_joulescope_without_samples_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deployer_hil.energy.meters.joulescope._FIRST_SECONDS", 0.02)
    with pytest.raises(BenchError, match="joulescope JS220-000123 gives no samples"):
        Joulescope(JoulescopeDevice(silent=True)).start()


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[JoulescopeDevice]:
    """Devices that the package finds."""
    found = [JoulescopeDevice("JS220-000123"), JoulescopeDevice("JS110-004567")]
    package = SimpleNamespace(scan=lambda: found)
    monkeypatch.setitem(sys.modules, "joulescope", package)  # type: ignore[arg-type]
    return found


def test_joulescope_is_chosen_by_its_serial_number(scanned: list[JoulescopeDevice]) -> None:
    meter = create_meter("joulescope:004567,rate=1e6,input=1")
    assert isinstance(meter, TimedMeter)
    assert meter.name == "joulescope JS110-004567"
    assert scanned[1].calls == ["open"]
    assert scanned[1].settings["sampling_frequency"] == 1_000_000
    meter.close()
    assert scanned[1].calls == ["open", "close"]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("joulescope", "2 Joulescopes where one is wanted"),
        ("joulescope:99", "0 Joulescopes where one is wanted"),
        ("joulescope:000123,rate=12345", "no such rate"),
        ("joulescope:000123,input=2", "no such rate or input"),
    ],
)
def test_joulescope_that_cannot_be_is_refused(
    scanned: list[JoulescopeDevice], spec: str, said: str
) -> None:
    with pytest.raises((BenchError, UsageError), match=said):
        create_meter(spec)


@pytest.mark.parametrize(
    ("spec", "module", "hint"),
    [
        ("joulescope", "joulescope", "cnn-deployer[joulescope]"),
        ("ppk2:/dev/ttyACM9", "ppk2_api.ppk2_api", "no part of deployer"),
        ("visa:USB0::1::2::INSTR", "pyvisa", "cnn-deployer[visa]"),
    ],
)
def test_a_package_that_is_absent_is_named(
    spec: str, module: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module.partition(".")[0], None)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(BenchError, match="absent") as caught:
        create_meter(spec)
    assert hint in caught.value.hints[0]


class Ppk2Api:
    """Of the package: words of four bytes, a current in tens of µA, a count and eight inputs."""

    def __init__(self, port: str = ""):
        self.calls: list[Any] = [port]
        self.data = b""

    def __getattr__(self, name: str) -> Any:
        return lambda *values: self.calls.append((name, *values))

    def get_data(self) -> bytes:
        found, self.data = self.data[:4096], self.data[4096:]
        return found

    def get_samples(self, data: bytes) -> tuple[list[float], list[int]]:
        words = struct.unpack(f"<{len(data) // 4}I", data)
        return [10.0 * (word & 0x3FFF) for word in words], [word >> 24 for word in words]


def words(count: int, *, skip: range = range(0), low: range = range(0)) -> bytes:
    """Samples of 1 mA and a little; D3 is low in ``low``."""
    each = [
        (100 + at % 7) | at % 64 << 18 | (0x00 if at in low else 0x08) << 24
        for at in range(count)
        if at not in skip
    ]
    return struct.pack(f"<{len(each)}I", *each)


def ppk2(api: Ppk2Api, data: bytes) -> Any:
    meter = Ppk2(api, volts=3.3, supply=True, trigger=3)
    meter.start()
    api.data = data
    return meter


def test_ppk2_takes_every_sample_with_its_trigger() -> None:
    api = Ppk2Api()
    found = ppk2(api, words(10_000, low=range(50, 150)) + b"\x01\x02").stop()
    assert (found.rate_hz, len(found.amps), found.dropped) == (100_000, 10_000, 0)
    assert found.amps[:8] == pytest.approx(1e-6 * (1000 + 10 * (np.arange(8) % 7)))
    assert list(np.flatnonzero(~found.trigger)) == list(range(50, 150))
    assert set(found.volts) == {3.3}
    assert api.calls == [
        "",
        ("get_modifiers",),
        ("use_source_meter",),
        ("set_source_voltage", 3300),
        ("toggle_DUT_power", "ON"),
        ("start_measuring",),
        ("stop_measuring",),
    ]


@pytest.mark.parametrize("skip", [range(1000, 1001), range(70, 100), range(500, 563)])
def test_ppk2_counts_samples_that_are_missing(skip: range) -> None:
    found = ppk2(Ppk2Api(), words(5_000, skip=skip)).stop()
    assert found.dropped == len(skip)


def test_ppk2_without_samples_gives_none() -> None:
    assert len(ppk2(Ppk2Api(), b"").stop().amps) == 0


def test_ppk2_is_made_by_the_package_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    package, module = ModuleType("ppk2_api"), ModuleType("ppk2_api.ppk2_api")
    module.PPK2_API = Ppk2Api  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ppk2_api", package)
    monkeypatch.setitem(sys.modules, "ppk2_api.ppk2_api", module)
    meter = create_meter("ppk2:/dev/ttyACM7,volts=1.8V,supply=no,input=5")
    assert meter.name == "PPK2, in a supply of 1.8 V"
    for spec in ("ppk2:p,volts=9", "ppk2:p,supply=maybe", "ppk2:p,input=8"):
        with pytest.raises(UsageError, match="ppk2"):
            create_meter(spec)


def test_a_meter_that_goes_away_is_named() -> None:
    def read() -> bytes:
        raise OSError("device disconnected")

    with pytest.raises(BenchError, match="went away while it recorded: device disconnected"):
        Drain(read).finish()


JOULES = [3.3e-4 + 1e-7 * (at % 9) for at in range(3_300)]
EDGES = [200, 2_900]


@pytest.fixture
def lpm01a() -> Iterator[Any]:
    """lpm01a(joules, edges, …): a fake, closed in the end."""
    made: list[FakeLpm01a] = []

    def make(**more: Any) -> FakeLpm01a:
        made.append(FakeLpm01a(JOULES, EDGES, **more))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_lpm01a_is_set_up_as_the_runner_of_mlperf_does(lpm01a: Any) -> None:
    fake = lpm01a()
    meter = create_meter(f"lpm01a:{fake.port},volts=1.8V")
    assert isinstance(meter, TimedMeter)
    meter.start()
    time.sleep(0.3)
    found = meter.stop()
    meter.close()
    assert found.dropped == 0
    assert found.volts[0] * found.amps / 1000 == pytest.approx(np.array(JOULES), rel=1e-3)
    assert list(np.flatnonzero(~found.trigger)) == EDGES
    wanted = ["htc", "eventsrc d7 fal", "output energy", "freq 1k", "volt 1800m", "start"]
    assert [command for command in fake.commands if command in wanted] == wanted
    assert fake.commands[-2:] == ["stop", "hrc"]


def test_lpm01a_that_refuses_a_command_is_told(lpm01a: Any) -> None:
    with pytest.raises(BenchError, match="refuses 'volt 3300m'"):
        create_meter(f"lpm01a:{lpm01a(refuses='volt 3300m').port}")


def test_lpm01a_that_is_none_is_told(lpm01a: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deployer_hil.energy.meters.lpm01a._REPLY_SECONDS", 0.05)
    monkeypatch.setattr(FakeLpm01a, "_answer", lambda self, command: None)
    with pytest.raises(BenchError, match="no X-NUCLEO-LPM01A answers: 'ack htc'"):
        create_meter(f"lpm01a:{lpm01a().port}")
    with pytest.raises(BenchError, match="no X-NUCLEO-LPM01A on /dev/absent"):
        create_meter("lpm01a:/dev/absent")
    with pytest.raises(UsageError, match=r"1\.8 to 3\.3 V, not 5 V"):
        create_meter("lpm01a:/dev/absent,volts=5V")


@pytest.mark.parametrize(
    ("damage", "dropped"),
    [
        (lambda text: text.replace(coded(JOULES[50]) + "\r\n", "", 3), 3),
        (lambda text: text.replace(coded(JOULES[70]), "33#1-07", 1), 2),  # a line, and its sample
        (lambda text: text.replace("TimeStamp: 001s 000ms", "TimeStamp: 001s 004ms"), 4),
    ],
)
def test_lpm01a_that_loses_samples_is_noticed(damage: Any, dropped: int) -> None:
    """Their number is between the times that come each second."""
    assert parse_stream(damage(stream(JOULES, EDGES)), 3.3).dropped == dropped


def test_lpm01a_that_loses_an_edge_is_refused() -> None:
    text = stream(JOULES, [10, 200, 2_900]).replace("event 01 ris\r\n", "")
    with pytest.raises(BenchError, match="event 2 follows event 0"):
        parse_stream(text, 3.3)


@pytest.fixture
def library(need: Callable[[str, bool], None], tmp_path: Path) -> str:
    """Of PyVISA: one instrument, at ASRL1."""
    need("pyvisa_sim", importlib.util.find_spec("pyvisa_sim") is not None)
    (tmp_path / "lab.yaml").write_text(INSTRUMENT)
    return f"{tmp_path / 'lab.yaml'}@sim"


def test_an_instrument_of_pyvisa_is_polled_and_told_the_edges(library: str) -> None:
    meter = create_meter(f"visa:ASRL1::INSTR,rate=100,library={library}")
    assert isinstance(meter, TimedMeter)
    assert (meter.name, meter.sees_trigger) == ("MAKER,PSU-1,7,1.0 at ASRL1::INSTR", False)
    meter.start()
    time.sleep(0.1)
    for _ in range(2):
        meter.mark()
        time.sleep(0.2)
    found = meter.stop()
    meter.close()
    assert set(found.volts) == {3.3}
    assert set(found.amps) == {0.25}
    first, second = np.flatnonzero(~found.trigger)
    # a machine that is late drops readings between the edges
    assert (second - first + found.dropped) / found.rate_hz >= 0.15
    assert (second - first) / found.rate_hz <= 0.4 + found.dropped / found.rate_hz
    assert len(found.amps) + found.dropped >= 45


class SlowInstrument:
    """Answers late once, then not at all."""

    def __init__(self, late: int, *, ends: bool = False):
        self._left, self._ends = late, ends

    def query(self, text: str) -> str:
        self._left -= 1
        if self._left == 0:
            if self._ends:
                raise OSError("VI_ERROR_TMO")
            time.sleep(0.055)
        return "1.5"

    def close(self) -> None:
        return None


def test_readings_that_an_instrument_is_too_slow_for_are_dropped() -> None:
    meter = Visa(SlowInstrument(12), name="slow", rate_hz=100)
    meter.start()
    time.sleep(0.2)
    assert meter.stop().dropped >= 4


def test_an_instrument_that_ends_is_named() -> None:
    meter = Visa(SlowInstrument(12, ends=True), name="slow", rate_hz=100)
    meter.start()
    time.sleep(0.15)
    with pytest.raises(BenchError, match="slow does not answer: VI_ERROR_TMO"):
        meter.stop()


def test_an_instrument_that_is_not_there_is_named(library: str) -> None:
    with pytest.raises(BenchError, match="no instrument at ASRL9::INSTR"):
        create_meter(f"visa:ASRL9::INSTR,library={library}")
