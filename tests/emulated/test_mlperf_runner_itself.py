"""MLPerf Tiny's public runner, unchanged, against emulated boards: skips without its sources.

$MLPERF_TINY_RUNNER is the folder benchmark/runner of mlcommons/tiny.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import select
import subprocess
import sys
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from deployer.bundle import Bundle, read
from deployer.cli import main as cli_main
from deployer_hil.runner import create
from fakes import mlperf_main, terminals
from fakes.mlperf_runner import ChipWire, InterfaceBoard, Wire, reconstructed
from models import dense_net, residual_net

VARIABLE = "MLPERF_TINY_RUNNER"
ST, DUT, INTERFACE, LPM01A = 0x0483, 0x374B, 0x374E, 0x5740
DEVICES = """
- {name: stm32h573i-dk, type: interface, preference: 2, baud: 115200, usb: {0x0483: 0x374E}}
- {name: lpm01a, type: power, baud: 115200, preference: 2, voltage: 3.3, usb: {0x0483: 0x5740}}
- name: nucleo-f767zi
  type: dut
  baud: {energy: 9600, performance: 115200, accuracy: 115200}
  usb: {0x0483: 0x374B}
"""
TESTS = """
MODEL:
  name: of_mlperf_tiny
  model: MODEL
  truth_file: y_labels.csv
  script:
    - LOOP:
      - download
      - infer RUNS
"""
WATCHED = "      - reset 60\n"  # ad01's script ends a loop by it
OWN = {  # what the files of each test hold, and what the runner takes for its result
    "ic01": (
        *("--softmax", "device", "--db-input", "uint8"),
        *("--input-scale", "1/128", "--input-offset", "-1"),
    ),
    "ad01": ("--db-input", "float32", "--anomaly-score", "--golden", "10"),
}
JOULES = 2e-6  # of a sample, a millisecond each
SAMPLES = 10_500  # in a window
Build = Callable[..., Bundle]


@pytest.fixture
def sources(need: Callable[[str, bool], None]) -> Path:
    folder = Path(os.environ.get(VARIABLE, "nowhere"))
    need("runner of mlcommons/tiny", (folder / "main.py").is_file())
    return folder.resolve()


@pytest.fixture
def build(tmp_path: Path, tool: Callable[[str], str]) -> Build:
    tool("arm-none-eabi-gcc")

    def call(runner: str, *words: str, model: str = "ic01") -> Bundle:
        path = tmp_path / f"{model}.onnx"
        onnx.save(residual_net() if model == "ic01" else dense_net(), path)
        folder = ["-o", str(tmp_path / "build")]
        board = ["-b", "nucleo-f767zi", "--runner", runner]
        with pytest.raises(SystemExit) as stop:
            cli_main.main(["build", *board, *folder, *OWN[model], *words, str(path)])
        assert not stop.value.code
        return read(next((tmp_path / "build").glob("*/7-build")))

    return call


class Port:
    """A serial port that the runner opens; ``wire`` is behind it. ``before``: is given each piece
    of what the wire says, before the runner is."""

    def __init__(self, wire: Wire, before: Callable[[bytes], None] = lambda said: None):
        self._master, self.slave = terminals.pair()
        tty.setraw(self.slave)
        self.name = os.ttyname(self.slave)
        self._wire, self._before = wire, before
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._stop = threading.Event()
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(10)
        for descriptor in (self._master, self.slave):
            os.close(descriptor)

    def _serve(self) -> None:
        while not self._stop.is_set():
            if select.select([self._master], [], [], 0.005)[0]:
                self._wire.write(os.read(self._master, 4096))
            said = self._wire.read(4096, 0.005)
            if said:
                self._before(said)
                os.write(self._master, said)


class PowerShield:
    """An LPM01A whose D7 hears of edges: it acknowledges, and streams what it is told to."""

    def __init__(self) -> None:
        self._taken, self._says = b"", b""
        self._events = 0

    def write(self, data: bytes) -> None:
        *commands, self._taken = (self._taken + data).split(b"\r\n")
        for command in commands:
            done = b"\r\nend\r\nAcquisition completed\r\n"
            self._says += done if command == b"stop" else b"PowerShield > ack " + command + b"\r\n"

    def read(self, size: int, timeout: float) -> bytes:
        time.sleep(0 if self._says else timeout)
        found, self._says = self._says[:size], self._says[size:]
        return found

    def record(self, edges: int) -> None:
        """Idle, then a window's samples behind each edge but the last, then idle."""
        for edge in range(edges):
            self._events += 1
            count = SAMPLES if edge < edges - 1 else 50
            sample = f"{round(JOULES * 1e9):04d}-09\r\n"
            self._says += f"event {self._events:02d} ris\r\n{sample * count}".encode()

    @property
    def told(self) -> bool:
        return not self._says


@contextmanager
def twin(bundle: Bundle) -> Iterator[Port]:
    """QEMU's, powered before the runner looks."""
    with create("qemu_system", bundle) as device:
        device.load(bundle)
        stream = device.open()
        heard = b""
        while b"m-ready\r\n" not in heard:
            heard += stream.read(4096, 1.0)
        port = Port(stream)
        try:
            yield port
        finally:
            port.close()


def run(
    sources: Path,
    folder: Path,
    mode: str,
    ports: list[tuple[str, int, int]],
    loop: str,
    runs: str,
    model: str = "ic01",
) -> tuple[str, list[dict[str, Any]]]:
    """What the runner logs, and the results it keeps."""
    (folder / "devices.yaml").write_text(DEVICES)
    script = TESTS + (WATCHED if model == "ad01" else "")
    for word, meant in (("MODEL", model), ("LOOP", loop), ("RUNS", runs)):
        script = script.replace(word, meant)
    (folder / "tests.yaml").write_text(script)
    words = ["-d", "devices.yaml", "-t", "tests.yaml", "-s", "datasets", "-m", mode]
    command = [sys.executable, mlperf_main.__file__, str(sources), json.dumps(ports), *words]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    log = "\n".join(path.read_text() for path in sorted(folder.glob("sessions/*/*.txt")))
    assert done.returncode == 0, f"{log}\n{done.stderr[-3000:]}"
    (kept,) = folder.glob("sessions/*/results.json")
    return log, json.loads(kept.read_text())


def write_dataset(folder: Path, files: np.ndarray, classes: list[int]) -> None:
    place = folder / "datasets" / "ic01"
    place.mkdir(parents=True)
    for index, row in enumerate(files):
        (place / f"{index}.bin").write_bytes(row.tobytes())
    rows = [f"{index}.bin,10,{each}" for index, each in enumerate(classes)]
    (place / "y_labels.csv").write_text("\n".join(rows) + "\n")


def pixels_of(bundle: Bundle) -> np.ndarray:
    """Files whose integers are the golden ones, nearly: what matters is that all see the same."""
    (tensor,) = bundle.manifest["inputs"]
    steps = bundle.golden["input"].astype(float) - tensor["zero_point"]
    return np.clip(np.rint((steps * tensor["scale"] + 1) * 128), 0, 255).astype(np.uint8)


def test_performance_mode(sources: Path, build: Build, tmp_path: Path) -> None:
    bundle = build("qemu_system")
    write_dataset(tmp_path, np.repeat(pixels_of(bundle)[:1], 5, axis=0), [0] * 5)
    with twin(bundle) as port:
        log, kept = run(sources, tmp_path, "p", [(port.name, ST, DUT)], "loop 5", "2000 5")
    assert "Device name retrieved: nucleo-f767zi" in log
    assert re.search(r"Median throughput is +[0-9.]+ inf./sec.", log), log
    assert [row["infer"]["iterations"] for row in kept] == [2000] * 5


def test_accuracy_mode(sources: Path, build: Build, tmp_path: Path) -> None:
    """Labels are what the golden outputs say, so that all are right."""
    bundle = build("qemu_system")
    classes = [int(np.argmax(row.view(np.int8))) for row in bundle.golden["output"]]
    write_dataset(tmp_path, pixels_of(bundle), classes)
    with twin(bundle) as port:
        log, kept = run(sources, tmp_path, "a", [(port.name, ST, DUT)], "loop", "1 0")
    assert len(kept) == len(classes)
    found = [int(np.argmax(row["infer"]["results"])) for row in kept]
    assert found == classes
    assert "Top 1% = 100.0" in log


def test_energy_mode(
    sources: Path, build: Build, tmp_path: Path, need: Callable[[str, bool], None]
) -> None:
    """Edges of the chip's pin, so many events of the power shield: the runner finds what a window
    takes between the last two."""
    need("unicorn", importlib.util.find_spec("unicorn") is not None)
    bundle = build("pyocd", "--energy-mode", "--baud", "9600")
    write_dataset(tmp_path, np.repeat(pixels_of(bundle)[:1], 5, axis=0), [0] * 5)
    wire, shield = ChipWire(bundle.firmware), PowerShield()
    wire.read(0, 0.0)
    seen = [wire.falls]

    def recorded(said: bytes) -> None:
        if b"m-results-" in said:
            shield.record(wire.falls - seen[-1])
            seen.append(wire.falls)
            while not shield.told:
                time.sleep(0.05)
            time.sleep(3.0)  # for the runner to have read them

    board, power = Port(InterfaceBoard(wire), recorded), Port(shield)
    ports = [(board.name, ST, INTERFACE), (power.name, ST, LPM01A)]
    try:
        log, kept = run(sources, tmp_path, "e", ports, "loop 5", "4 1")
    finally:
        board.close()
        power.close()
    assert np.diff(seen).tolist() == [2] * 5
    assert [len(row["power"]["timestamps"]) for row in kept] == [2] * 5
    (median,) = set(re.findall(r"Median energy cost is ([0-9.]+) uJ/inf", log))
    assert float(median) == pytest.approx(1e6 * JOULES * SAMPLES / 4)
    assert "ERROR" not in log


def write_segments(folder: Path, bundle: Bundle, classes: list[int]) -> list[float]:
    """A file of two segments, golden inputs as floats, for each of ``classes``; the score of each
    file as the host has it."""
    place = folder / "datasets" / "ad01"
    place.mkdir(parents=True)
    values, scores = reconstructed(bundle)
    rows = []
    for index, each in enumerate(classes):
        (place / f"{index}.bin").write_bytes(values[2 * index : 2 * index + 2].tobytes())
        rows.append(f"{index}.bin,2,{each},{values[0].nbytes},{values[0].nbytes}")
    (place / "y_labels.csv").write_text("\n".join(rows) + "\n")
    return [float(scores[2 * index : 2 * index + 2].mean()) for index in range(len(classes))]


def test_accuracy_mode_of_ad01_has_one_score_a_segment(
    sources: Path, build: Build, tmp_path: Path
) -> None:
    """The file that is reconstructed worst is the anomaly; the runner's area under the curve says
    so."""
    bundle = build("qemu_system", model="ad01")
    _, scores = reconstructed(bundle)
    files = scores[:6].reshape(3, 2).mean(axis=1)
    classes = [int(each == files.max()) for each in files]
    wanted = write_segments(tmp_path, bundle, classes)
    with twin(bundle) as port:
        ports = [(port.name, ST, DUT)]
        log, kept = run(sources, tmp_path, "a", ports, "loop", "1 0", model="ad01")
    assert [len(row["infer"]["results"]) for row in kept] == [1] * 6
    found = np.array([row["infer"]["results"][0] for row in kept]).reshape(3, 2).mean(axis=1)
    assert found == pytest.approx(wanted, abs=6e-4)
    assert "AUC = 1.000" in log


def test_performance_mode_of_ad01(sources: Path, build: Build, tmp_path: Path) -> None:
    """Which takes another file in each window."""
    bundle = build("qemu_system", model="ad01")
    write_segments(tmp_path, bundle, [0] * 5)
    with twin(bundle) as port:
        ports = [(port.name, ST, DUT)]
        log, kept = run(sources, tmp_path, "p", ports, "loop 5", "250000 5", model="ad01")
    assert re.search(r"Median throughput is +[0-9.]+ inf./sec.", log), log
    assert [row["infer"]["iterations"] for row in kept] == [250_000] * 5
