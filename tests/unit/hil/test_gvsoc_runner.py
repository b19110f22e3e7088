"""The runner of GVSoC, with a stand-in for gapy."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from deployer.bundle import Bundle
from deployer.errors import BenchError, UsageError
from deployer_hil.exchange import Timeouts
from deployer_hil.runner import create
from deployer_hil.runners import gvsoc
from deployer_hil.session import timeouts_for
from fakes import fake_gapy
from fakes.bundles import make_bundle, resealed
from fakes.contract import hello_answers

BOARD = {"gvsoc": {"target": "gapuino_v3", "baud": 57_600}}
PATIENCE = 10.0


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    made = make_bundle(tmp_path_factory.mktemp("gvsoc") / "bundle", runners=BOARD, target="toy")
    with made.firmware.open("ab") as image:
        image.write(fake_gapy.RATE + (115_200).to_bytes(4, "little"))
    return resealed(made)


@pytest.fixture
def gapy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """gapy on the path; its log beside it."""
    program = tmp_path / "bin" / "gapy"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable} -SE\n{Path(fake_gapy.__file__).read_text()}")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_GAPY_LOG", str(tmp_path / "log"))
    monkeypatch.delenv("DEPLOYER_GAPY", raising=False)
    return program


def logged(gapy: Path) -> list[list[str]]:
    """Of each start: the process, and the arguments."""
    return [line.split() for line in (gapy.parent.parent / "log").read_text().splitlines()]


def gone(process: str) -> bool:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not Path("/proc", process).exists():
            return True
        time.sleep(0.01)
    return False


def test_cycles_are_simulated(bundle: Bundle) -> None:
    runner = create("gvsoc", bundle)
    assert (runner.caps.timing, runner.caps.kind) == ("cycles", "simulated")
    assert runner.tool == "GVSoC gapuino_v3"


def test_answers_have_more_time(bundle: Bundle) -> None:
    caps = create("gvsoc", bundle).caps
    longer, usual = timeouts_for(bundle, caps), timeouts_for(bundle, replace(caps, slow=1))
    assert longer.reply > usual.reply
    assert longer.run > usual.run
    assert longer.silence == usual.silence


def test_the_model_may_take_its_time_to_start(
    bundle: Bundle, gapy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is said to it before it speaks is lost."""
    monkeypatch.setenv("FAKE_GAPY_STARTS", "1")
    with create("gvsoc", bundle) as runner:
        hello_answers(bundle, runner, Timeouts(silence=0.05, hello=0.1))


def test_the_model_gets_the_image_and_its_uart(bundle: Bundle, gapy: Path) -> None:
    with create("gvsoc", bundle) as runner:
        runner.load(bundle)
        assert runner.open().read(1, PATIENCE)
    (_, *arguments) = logged(gapy)[0]
    assert "--target=gapuino_v3" in arguments
    assert "--config-opt=target/board/devices/uart/stdin=true" in arguments
    assert "--config-opt=target/board/devices/uart/baudrate=57600" in arguments
    assert (gapy.parent.parent / "log.baud").read_text() == "57600"
    assert arguments.index("run") > arguments.index("--platform=gvsoc")


def test_an_image_that_does_not_tell_its_rate_is_refused(
    bundle: Bundle, gapy: Path, tmp_path: Path
) -> None:
    silent = shutil.copytree(bundle.path, tmp_path / "silent")
    (silent / bundle.firmware.name).write_bytes(b"#!/bin/sh\n")
    changed = resealed(Bundle(silent, bundle.manifest))
    runner = create("gvsoc", changed)
    runner.load(changed)
    with pytest.raises(BenchError, match="does not say at what rate its UART runs"):
        runner.open()


def test_weights_that_are_fetched_are_in_the_flash(
    bundle: Bundle, gapy: Path, tmp_path: Path
) -> None:
    """Behind its first MB, which is what gapy makes of the image."""
    weights = bytes(range(256)) * 5
    (bundle.path / "l3.bin").write_bytes(weights)
    with create("gvsoc", resealed(bundle, "l3.bin")) as runner:
        runner.load(bundle)
        assert runner.open().read(1, PATIENCE)
    flash = (tmp_path / "log.flash").read_bytes()
    assert flash.startswith(fake_gapy.BOOT)
    assert flash[0x100000:] == weights
    assert [("--image" in line, "--exec" in line) for line in logged(gapy)] == [
        (True, False),
        (False, True),
    ]


def test_a_flash_image_that_cannot_be_made_is_told(
    bundle: Bundle, gapy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_GAPY_FAILS", "no such target")
    (bundle.path / "l3.bin").write_bytes(b"weights")
    runner = create("gvsoc", resealed(bundle, "l3.bin"))
    runner.load(bundle)
    with pytest.raises(BenchError, match="gapy made no flash image") as caught:
        runner.open()
    assert caught.value.why == ("status 1", "no such target")


def test_each_start_has_a_folder_which_goes_with_it(bundle: Bundle, gapy: Path) -> None:
    with create("gvsoc", bundle) as runner:
        runner.load(bundle)
        for _ in range(2):
            assert runner.open().read(1, PATIENCE)
        folders = [Path(part[11:]) for _, *line in logged(gapy) for part in line if "-dir" in part]
        assert [folder.exists() for folder in folders] == [False, True]
    assert not any(folder.exists() for folder in folders)


def test_without_gapy_it_says_how_to_name_one(
    bundle: Bundle, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("DEPLOYER_GAPY", raising=False)
    with pytest.raises(BenchError, match="gapy, which runs GVSoC, is not installed") as caught:
        create("gvsoc", bundle).load(bundle)
    assert "DEPLOYER_GAPY" in str(caught.value)


@pytest.mark.parametrize("by", ["environment", "option"])
def test_gapy_may_be_named(
    by: str, bundle: Bundle, gapy: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mine = tmp_path / "mine"
    shutil.move(gapy, mine)
    if by == "environment":
        monkeypatch.setenv("DEPLOYER_GAPY", str(mine))
    options = {"tool": str(mine)} if by == "option" else {}
    with create("gvsoc", bundle, **options) as runner:
        runner.load(bundle)
        assert runner.open().read(1, PATIENCE)


def test_a_name_that_is_no_program_is_refused(
    bundle: Bundle, gapy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOYER_GAPY", "/nowhere/gapy")
    with pytest.raises(BenchError, match="/nowhere/gapy is not a program"):
        create("gvsoc", bundle).load(bundle)


def test_what_gapy_says_when_it_fails_is_shown(
    bundle: Bundle, gapy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_GAPY_FAILS", "ModuleNotFoundError: No module named 'elftools'")
    with create("gvsoc", bundle) as runner:
        runner.load(bundle)
        stream = runner.open()
        assert stream.read(1, PATIENCE) == b""
        assert stream.epitaph() == (
            "gapy ended with status 1",
            "stderr: ModuleNotFoundError: No module named 'elftools'",
        )


def test_the_model_ends_with_the_stream_though_a_script_started_it(
    bundle: Bundle, gapy: Path, tmp_path: Path
) -> None:
    wrapper = tmp_path / "wrapper"
    wrapper.write_text(f'#!/bin/sh\n"{gapy}" "$@"\n:\n')
    wrapper.chmod(0o755)
    runner = create("gvsoc", bundle, tool=str(wrapper))
    runner.load(bundle)
    assert runner.open().read(1, PATIENCE)
    runner.close()
    assert gone(logged(gapy)[0][0])


def test_a_model_that_hangs_is_ended(
    bundle: Bundle, gapy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_GAPY_STARTS", "600")
    monkeypatch.setattr(gvsoc, "HUNG_SECONDS", 1.0)
    with create("gvsoc", bundle) as runner:
        runner.load(bundle)
        with pytest.raises(BenchError, match="the simulator hangs and was ended") as caught:
            runner.open()
    assert "for 1 s it said nothing and took no processor time" in caught.value.why
    assert gone(logged(gapy)[0][0])


def test_the_model_ends_by_itself_at_the_limit(bundle: Bundle, gapy: Path) -> None:
    with create("gvsoc", bundle, limit=1) as runner:
        runner.load(bundle)
        stream = runner.open()
        assert stream.read(1, PATIENCE)
        while stream.alive:
            stream.read(4096, PATIENCE)
        assert stream.epitaph()[0] == "gapy ended with status 124"


def test_an_image_for_another_board_or_a_twin_is_refused(toy: Callable[..., Bundle]) -> None:
    for bundle in (toy(), toy(runners=BOARD, target="toy-twin")):
        with pytest.raises(UsageError, match="built for toy-twin, which does not run in gvsoc"):
            create("gvsoc", bundle)
