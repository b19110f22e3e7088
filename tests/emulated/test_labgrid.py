"""A lab of two machines over the loopback: labgrid's coordinator, two exporters whose serial ports
ser2net serves, an emulated board each, reached by ssh as a lab's machines are."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import onnx
import pytest

from deployer.cli import main as cli_main
from deployer.errors import BenchError
from deployer_hil import lab, locks
from fakes.boards import write_flash_twin
from fakes.emulated_desk import twin_of
from fakes.emulated_lab import DESKS, UIDS, EmulatedLab
from fakes.fake_meter import INSTRUMENT
from models import residual_net

TWO_BY_TAG = """
[bench.one]
board = "nucleo-fake"
runner = "pyocd"
labgrid = { board = "nucleo" }

[bench.two]
board = "nucleo-fake"
runner = "pyocd"
labgrid = { board = "nucleo" }
"""
MATRIX = """
[[matrix]]
models = ["net.onnx"]
boards = ["nucleo-fake"]
[matrix.options]
board-dir = "."
golden = [1, 2]
"""
ENVIRONMENT = """
targets:
  main:
    resources:
      RemotePlace:
        name: desk-2
    drivers:
      PyOCDDriver:
        mcu: stm32f767zi
imports:
- {plugin}/pyocd_driver.py
"""
HOLDER = """
import sys, time
from pathlib import Path
from deployer_hil import lab
with lab.hold(lab.read_lab(lab.find_lab(None)).bench("first")):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture(scope="module")
def emulated(
    tool: Callable[[str], str],
    labgrid_python: str,
    need: Callable[[str, bool], None],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[EmulatedLab]:
    for program in ("qemu-system-arm", "arm-none-eabi-gcc"):
        tool(program)
    need("pyvisa_sim", importlib.util.find_spec("pyvisa_sim") is not None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{os.environ['PATH']}:/usr/sbin")  # of servers
        tool("ser2net")
        folder = tmp_path_factory.mktemp("lab")
        write_flash_twin(folder)
        (folder / "meter.yaml").write_text(INSTRUMENT)
        onnx.save(residual_net(), folder / "net.onnx")
        found = EmulatedLab(
            folder,
            python=labgrid_python,
            sshd=tool("sshd"),
            ssh=tool("ssh"),
            command=twin_of("qemu-mps2-an500"),
            meter=f"visa:ASRL1::INSTR,rate=100,library={folder}/meter.yaml@sim",
        )
        with found:
            yield found


@pytest.fixture
def benches(
    emulated: EmulatedLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[EmulatedLab]:
    """The lab, as somebody uses it; every place is free before and after."""
    for name, value in emulated.surroundings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv(locks.FOLDER, str(tmp_path / "locks"))
    yield emulated
    assert emulated.client("places", "--acquired") == ""


def run(*words: object) -> int:
    with pytest.raises(SystemExit) as stop:
        cli_main.main([str(word) for word in words])
    return int(stop.value.code or 0)


def bench(emulated: EmulatedLab, name: str) -> lab.Bench:
    return lab.read_lab(emulated.lab_file).bench(name)


def test_flash_by_place_then_each_part_is_checked(
    benches: EmulatedLab, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = benches.folder
    place = ("--bench", "first", "--board-dir", folder)
    assert run("flash", *place, "-o", folder / "flash", "--json", folder / "net.onnx") == 0
    report = json.loads(capfd.readouterr().out)
    assert report["runner"] == "pyocd"
    assert report["golden"]["match"]
    assert report["counter"]["kind"] == "none"  # the twin's image: nothing of it is a board's
    assert "/program" in benches.desks["desk-1"].calls
    assert benches.desks["desk-2"].calls == []

    assert run("lab", "check", "--board-dir", folder, "--json", "first") == 0
    found = json.loads(capfd.readouterr().out)["benches"]["first"]
    told = {each["test"]: each["told"] for each in found if each["passed"]}
    assert list(told) == ["power", "probe", "console", "meter"]
    assert told["probe"] == f"{UIDS['desk-1']}: the board was reset"
    assert "rfc2217://127.0.0.1:" in told["console"]
    assert "nucleo-fake, runs net" in told["console"]
    assert "MAKER,PSU-1,7,1.0 at ASRL1::INSTR" in told["meter"]
    assert "0.825 W" in told["meter"]
    assert {"/power/0", "/power/1"} <= set(benches.desks["desk-1"].calls)


def test_two_cells_at_once_on_places_reserved_by_tag(benches: EmulatedLab) -> None:
    folder = benches.folder
    (folder / "two.toml").write_text(TWO_BY_TAG)
    (folder / "night.toml").write_text(MATRIX)
    log = folder / "coordinator.log"
    before = len(log.read_text())
    assert run("lab", "run", "--lab", folder / "two.toml", folder / "night.toml") == 0
    events = [line for line in log.read_text()[before:].splitlines() if ": place " in line]
    first = [line.split(":")[0] for line in events[:2] if "acquired by" in line]
    assert sorted(first) == sorted(DESKS)  # both were in use before one was given back
    assert "Reservation" not in benches.client("reservations")


def test_the_second_client_is_told_who_has_the_place(
    benches: EmulatedLab, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    first = bench(benches, "first")
    monkeypatch.setenv("LG_USERNAME", "anna")
    with lab.hold(first), lab.hold(bench(benches, "any")) as other:
        monkeypatch.setenv("LG_USERNAME", "bob")
        monkeypatch.setenv(locks.FOLDER, str(benches.folder / "bobs"))
        assert run("lab", "list", "--board-dir", benches.folder, "--json") == 0
        rows = json.loads(capfd.readouterr().out)["benches"]
        assert [row["holder"]["user"].rpartition("/")[2] for row in rows] == ["anna", "anna"]
        assert rows[0]["device"] == "desk-1 (machine-of-desk-1)"
        with pytest.raises(lab.BenchHeld, match=r"desk-1 is held by .*/anna"), lab.hold(first):
            pytest.fail("it is hers")
        with pytest.raises(lab.BenchHeld) as caught, lab.hold(bench(benches, "any")):
            pytest.fail("both are hers")
        assert len(caught.value.why) == len(DESKS)
        assert other["port"].startswith("rfc2217://")


def test_a_holder_that_is_killed_leaves_the_place_free(benches: EmulatedLab) -> None:
    command = [sys.executable, "-c", HOLDER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        os.kill(holder.pid, signal.SIGKILL)
    with lab.hold(bench(benches, "first")) as options:  # at once, while the first is given back
        assert Path(options["place"]).exists()
    assert not Path(options["place"]).exists()


def test_an_image_that_the_flash_does_not_keep_is_told(
    benches: EmulatedLab, capfd: pytest.CaptureFixture[str]
) -> None:
    fault = benches.probes / UIDS["desk-1"] / "fault"
    fault.touch()
    place = ("--bench", "first", "--board-dir", benches.folder)
    try:
        build = benches.folder / "flash"
        assert run("flash", *place, "-o", build, benches.folder / "net.onnx") == 6
    finally:
        fault.unlink()
    said = capfd.readouterr().err
    assert "the board does not have what was written to it" in said
    assert "Mismatched byte at 0x" in said


def test_a_machine_that_is_gone_is_told_and_the_next_one_works(
    benches: EmulatedLab, capfd: pytest.CaptureFixture[str]
) -> None:
    first = bench(benches, "first")
    with contextlib.ExitStack() as stack:
        benches.stop("desk-1")
        await_trouble(benches, capfd, "desk-1 lacks machine-of-desk-1/desk-1/*")
        with pytest.raises(BenchError, match="place desk-1 lacks"), lab.hold(first):
            pytest.fail("there is no such machine")
        stack.callback(benches.start, "desk-1")
    with lab.hold(first) as options:
        assert options["port"].startswith("rfc2217://")


def await_trouble(benches: EmulatedLab, capfd: pytest.CaptureFixture[str], wanted: str) -> None:
    deadline = time.monotonic() + 20
    rows: list[dict[str, Any]] = []
    while not rows or wanted not in rows[0]["troubles"]:
        assert time.monotonic() < deadline, rows
        run("lab", "list", "--board-dir", benches.folder, "--json")
        rows = json.loads(capfd.readouterr().out)["benches"]
    assert not rows[0]["connected"]


def test_tags_that_no_place_has_are_refused(benches: EmulatedLab) -> None:
    place = lab.Place(tags={"board": "toaster"}, labgrid=bench(benches, "any").labgrid.labgrid)
    none = lab.Bench("none", "nucleo-fake", "pyocd", labgrid=place)
    wanted = "no place of labgrid has the tags board=toaster"
    with pytest.raises(BenchError, match=wanted), lab.hold(none):
        pytest.fail("there is none")


def test_the_loader_serves_labgrid_itself(benches: EmulatedLab) -> None:
    """Without deployer: labgrid's client programs a board through the plug-in."""
    from deployer_hil.places import labgrid

    folder = benches.folder
    file = folder / "environment.yaml"
    file.write_text(ENVIRONMENT.format(plugin=labgrid.plugin_folder()))
    image = next((folder / "flash").rglob("firmware.elf"))
    assert "acquired place desk-2" in benches.client("-p", "desk-2", "acquire")
    try:
        benches.client("-c", str(file), "-p", "desk-2", "bootstrap", str(image))
    finally:
        assert "released place desk-2" in benches.client("-p", "desk-2", "release")
    assert (benches.probes / UIDS["desk-2"] / "flash").read_bytes() == image.read_bytes()
