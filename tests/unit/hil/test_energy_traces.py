"""Recordings in files: what is written is read, what is none is refused by name."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deployer.errors import BenchError, UsageError
from deployer_hil.energy.meter import AssumedPower, create_meter
from deployer_hil.energy.meters.replay import Replay, keep_recordings
from deployer_hil.energy.per_inference import energy_of
from deployer_hil.energy.recording import Recording
from deployer_hil.energy.trace import read_trace, write_trace
from fakes.traces import Scene, five, joined, recorded, waiting

SMALL = Recording(10.0, np.array([3.0, 3.1]), np.array([0.1, 0.2]), np.array([True, False]), 1, 0.5)


def same(a: Recording, b: Recording) -> bool:
    columns = all(
        np.array_equal(getattr(a, x), getattr(b, x)) for x in ("volts", "amps", "trigger")
    )
    told = ("rate_hz", "dropped", "edge_seconds")
    return columns and all(getattr(a, name) == getattr(b, name) for name in told)


def test_npz_comes_back_whole(tmp_path: Path) -> None:
    write_trace(tmp_path / "a.npz", SMALL)
    assert same(read_trace(tmp_path / "a.npz"), SMALL)
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"amps": None}, "no array 'amps'"),
        ({"rate_hz": None}, "no array 'rate_hz'"),
        ({"rate_hz": -1.0}, "'rate_hz' is no positive number"),
        ({"rate_hz": np.ones(3)}, "'rate_hz' is no positive number"),
        ({"volts": np.ones((2, 2))}, "'volts' has the shape"),
    ],
)
def test_npz_without_the_arrays_is_refused(
    tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    arrays = {"rate_hz": 1.0, **dict.fromkeys(("volts", "amps", "trigger"), np.ones(2)), **changed}
    np.savez(
        tmp_path / "a.npz", **{key: value for key, value in arrays.items() if value is not None}
    )
    with pytest.raises(UsageError, match=r"a\.npz") as caught:
        read_trace(tmp_path / "a.npz")
    assert said in caught.value.what


def csv(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(["seconds,volts,amps,trigger", *lines]) + "\n")
    return path


def test_csv_has_the_rate_in_its_times(tmp_path: Path) -> None:
    rows = [f"{at / 8},3.3,{at},{at != 4:d}" for at in range(9)]
    found = read_trace(csv(tmp_path / "a.csv", rows))
    assert (found.rate_hz, found.dropped) == (8.0, 0)
    assert list(np.flatnonzero(~found.trigger)) == [4]
    assert list(found.amps) == list(range(9))


def test_rows_missing_in_csv_are_dropped_samples(tmp_path: Path) -> None:
    rows = [f"{at / 8},3.3,{at},1" for at in range(20) if at not in (5, 6, 11)]
    found = read_trace(csv(tmp_path / "a.csv", rows))
    assert (found.rate_hz, found.dropped) == (8.0, 3)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["0,1,2,1", "1,1,2,1", "1.5,1,2,1", "3,1,2,1"], "not evenly spaced"),
        (["0,1,2,1", "0,1,2,1", "0,1,2,1"], "times do not grow"),
        (["0,1,2", "1,1,2"], "columns"),
        (["0,1,two,1", "1,1,2,1"], "two"),
        ([], "rows of"),
    ],
)
def test_csv_that_is_none_is_refused(tmp_path: Path, lines: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=r"a\.csv") as caught:
        read_trace(csv(tmp_path / "a.csv", lines))
    assert said in caught.value.what


def test_csv_of_other_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("time,voltage\n0,1\n")
    with pytest.raises(UsageError, match="first line is not seconds,volts,amps,trigger"):
        read_trace(tmp_path / "a.csv")


@pytest.mark.parametrize("name", ["a.txt", "b.npz"])
def test_files_that_are_no_traces_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(UsageError, match=name):
        read_trace(tmp_path / name)


@pytest.fixture
def pyjls(need: Callable[[str, bool], None]) -> Any:
    need("pyjls", importlib.util.find_spec("pyjls") is not None)
    return importlib.import_module("pyjls")


def jls(
    pyjls: Any, path: Path, recording: Recording, *, begins: int = 0, leave_out: str = ""
) -> Path:
    """As the Joulescope UI writes it: floats, and a bit a sample of the input."""
    bits = np.packbits(recording.trigger, bitorder="little")
    signals = {"current": recording.amps, "voltage": recording.volts, "gpi[0]": bits}
    with pyjls.Writer(str(path)) as file:
        file.source_def(source_id=1, name="JS220-000001", vendor="Jetperch", model="JS220")
        for number, (name, data) in enumerate(signals.items(), 1):
            if name == leave_out:
                continue
            kind = pyjls.DataType.U1 if name == "gpi[0]" else pyjls.DataType.F32
            file.signal_def(
                signal_id=number,
                source_id=1,
                signal_type=pyjls.SignalType.FSR,
                data_type=kind,
                sample_rate=int(recording.rate_hz),
                name=name,
            )
            write = file.fsr if kind == pyjls.DataType.U1 else file.fsr_f32
            write(number, begins, data if kind == pyjls.DataType.U1 else data.astype(np.float32))
    return path


@pytest.mark.parametrize("begins", [0, 1000])
def test_a_file_of_joulescope_gives_the_energy_it_was_made_with(
    pyjls: Any, tmp_path: Path, begins: int
) -> None:
    scene = Scene(rate_hz=4_000)
    whole = joined(five(scene))
    path = jls(pyjls, tmp_path / "a.jls", whole, begins=begins)
    assert np.array_equal(read_trace(path).trigger, whole.trigger)
    meter = create_meter(f"replay:{path}")
    assert isinstance(meter, Replay)
    found = energy_of(meter.windows, 100)
    assert found.joules == pytest.approx(scene.joules / 100, rel=1e-3)


def test_a_file_of_joulescope_without_the_trigger_is_refused(pyjls: Any, tmp_path: Path) -> None:
    path = jls(pyjls, tmp_path / "a.jls", recorded(Scene()), leave_out="gpi[0]")
    with pytest.raises(UsageError, match=r"no signal gpi\[0\]"):
        read_trace(path)


def test_a_file_that_is_no_jls_is_refused(pyjls: Any, tmp_path: Path) -> None:
    (tmp_path / "a.jls").write_bytes(b"nothing of the kind")
    with pytest.raises(UsageError, match="no JLS file"):
        read_trace(tmp_path / "a.jls")


def test_without_pyjls_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyjls", None)
    (tmp_path / "a.jls").write_bytes(b"")
    with pytest.raises(BenchError, match="pyjls") as caught:
        read_trace(tmp_path / "a.jls")
    assert "joulescope" in caught.value.hints[0]


def test_what_was_kept_is_replayed(tmp_path: Path) -> None:
    windows, idle = five(Scene()), [waiting(Scene()), waiting(Scene(seed=5))]
    keep_recordings(tmp_path, windows, idle)
    meter = create_meter(f"replay:{tmp_path}")
    assert isinstance(meter, Replay)
    assert energy_of(meter.windows, 10, idle=meter.idle) == energy_of(windows, 10, idle=idle)


def test_a_folder_without_windows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no window-1\.npz"):
        create_meter(f"replay:{tmp_path}")


def test_assumed_power_is_a_number_of_watts() -> None:
    assert create_meter("assumed:3.5W") == create_meter("assumed:3.5") == AssumedPower(3.5)
    assert AssumedPower(3.5).name == "assumed power of 3.5 W"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("joule", "unknown meter 'joule'"),
        ("assumed", "meter assumed needs target"),
        ("assumed:", "meter assumed needs target"),
        ("assumed:much", "'much' is no positive number of W"),
        ("assumed:-3W", "'-3W' is no positive number of W"),
        ("assumed:nan", "'nan' is no positive number of W"),
        ("assumed:3W,what=1", "no 'what'"),
        ("replay:a.npz,idle", "'idle' is no KEY=VALUE"),
        ("replay:a.npz,target=b", "'target=b' is no KEY=VALUE"),
        ("replay:absent.npz", "no such trace: absent.npz"),
    ],
)
def test_a_meter_that_is_none_is_refused(spec: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        create_meter(spec)
    assert said in caught.value.what
