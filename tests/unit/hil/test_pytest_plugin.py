"""Tests of a user's own on a device: the two lines of docs/lab.md, where they run and when not."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer_hil import locks, probe
from fakes.bundles import make_bundle
from fakes.fake_loader import FakeLoader

pytest_plugins = ["pytester"]

DOC = Path(__file__).parents[3] / "docs" / "lab.md"
LAB = '[bench.{name}]\nboard = "toy"\nrunner = "{runner}"\n'
LIGHT = """
import sys

HEAVY = {"numpy", "serial", "pyocd", "deployer.bundle", "deployer_hil.under_test"}

def test_light(pytestconfig):
    assert pytestconfig.pluginmanager.has_plugin("deployer")
    assert not HEAVY & sys.modules.keys()
"""


def two_lines() -> str:
    """The test that docs/lab.md shows."""
    found = re.search(r"## Tests of your own\n.*?```python\n(.*?)```", DOC.read_text(), re.DOTALL)
    assert found
    assert len(found[1].splitlines()) == 2
    return found[1]


@pytest.fixture(autouse=True)
def _no_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEPLOYER_LAB", raising=False)
    monkeypatch.setattr(probe, "connected", tuple)


@pytest.fixture
def device(tmp_path: Path) -> Bundle:
    return make_bundle(
        tmp_path / "bundle", runners={"host": {}, "pyocd": {"target": "toy"}}, target="toy"
    )


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., pytest.RunResult]:
    """run(*options, source="", lab=""): pytest in a folder with that test and lab file."""

    def start(*options: object, source: str = "", lab: str = "") -> pytest.RunResult:
        pytester.makepyfile(test_users_board=source or two_lines())
        if lab:
            pytester.path.joinpath("lab.toml").write_text(lab)
        return pytester.runpytest_inprocess("-rsx", "-p", "no:cacheprovider", *map(str, options))

    return start


Run = Callable[..., pytest.RunResult]


def bench(name: str, runner: str = "host") -> str:
    return LAB.format(name=name, runner=runner)


def test_two_lines_test_a_bench_of_the_lab_file(run: Run, device: Bundle) -> None:
    lab = bench("toy-1")
    run("--bundle", device.path, "--bench", "toy-1", lab=lab).assert_outcomes(passed=1)
    run("--bundle", device.path, lab=lab).assert_outcomes(passed=1)
    run("--bundle", device.path, "--runner", "host").assert_outcomes(passed=1)


def test_they_fail_by_the_name_of_the_layer_that_differs(run: Run, tmp_path: Path) -> None:
    wrong = make_bundle(tmp_path / "wrong", runners={"host": {}}, target="toy", wrong_step=1)
    done = run("--bundle", wrong.path, "--runner", "host")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        ["*toy does not compute golden sample 0", "*first difference: mirror"]
    )


def test_a_board_is_programmed_once_held_for_all_tests_and_given_back(
    run: Run, device: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    programmed = []
    program = FakeLoader.program

    def counted(loader: FakeLoader, *given: Any) -> None:
        programmed.append(loader)
        program(loader, *given)

    monkeypatch.setattr(FakeLoader, "program", counted)
    source = """
import pytest
from deployer_hil import locks

@pytest.mark.parametrize("again", range(3))
def test_held(dut, again):
    dut.require_exact(1)
    assert locks.holder_of("bench toy-1").alive
    assert locks.holder_of(locks.probe("FAKE0001")).alive

def test_still_held():
    assert locks.holder_of("bench toy-1").alive
"""
    lab = bench("toy-1", "pyocd") + 'options = { loader = "fakes.fake_loader:device" }'
    run("--bundle", device.path, source=source, lab=lab).assert_outcomes(passed=4)
    assert len(programmed) == 1
    assert locks.holder_of("bench toy-1") is None
    assert locks.holder_of(locks.probe("FAKE0001")) is None


def test_a_free_twin_is_taken_for_a_bench_that_is_held(run: Run, device: Bundle) -> None:
    source = """
from deployer_hil import locks

def test_other(dut):
    assert locks.holder_of("bench toy-2").alive
"""
    with locks.Locks() as other:
        other.take("bench toy-1")
        lab = bench("toy-1") + bench("toy-2")
        run("--bundle", device.path, source=source, lab=lab).assert_outcomes(passed=1)


def test_a_bench_that_was_asked_for_and_is_held_fails_and_says_by_whom(
    run: Run, device: Bundle
) -> None:
    with locks.Locks() as other:
        other.take("bench toy-1")
        done = run("--bundle", device.path, "--bench", "toy-1", lab=bench("toy-1"))
        done.assert_outcomes(errors=1)
        done.stdout.fnmatch_lines(["*bench toy-1 is held by process *"])
        done.stdout.no_fnmatch_line("*Traceback*")
        skipped = run("--bundle", device.path, lab=bench("toy-1"))
        skipped.assert_outcomes(skipped=1)
        skipped.stdout.fnmatch_lines(["*skipped: no board (bench toy-1: bench toy-1 is held by*"])


@pytest.mark.parametrize(
    ("options", "lab", "why"),
    [
        ((), "", "no debug probe is connected"),
        (("--runner", "pyocd"), bench("toy-1"), "no debug probe is connected"),
        (("--board", "rpi3"), bench("toy-1"), "the bundle is for toy, not rpi3"),
        ((), bench("toy-1", "pyocd"), "bench toy-1: probe is not stated, and none are connected"),
        ((), bench("toy-1", "qemu_user"), "lab.toml has no bench that runs this bundle of toy"),
        (
            ("--lab", "lab.toml", "--runner", "pyocd"),
            bench("toy-1"),
            "lab.toml has no bench that runs this bundle of toy by pyocd",
        ),
    ],
)
def test_without_a_board_tests_skip_and_say_why(
    run: Run, device: Bundle, options: tuple[str, ...], lab: str, why: str
) -> None:
    done = run("--bundle", device.path, *options, lab=lab)
    done.assert_outcomes(skipped=1)
    assert f"skipped: no board ({why})" in done.stdout.str()


def test_probes_that_cannot_be_listed_are_no_board(
    run: Run, device: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise BenchError("no access")

    monkeypatch.setattr(probe, "connected", broken)
    run("--bundle", device.path).assert_outcomes(skipped=1)


def test_a_board_that_no_probe_reaches_needs_a_bench(run: Run, tmp_path: Path) -> None:
    pi = make_bundle(tmp_path / "pi", runners={"ssh": {}}, target="toy")
    done = run("--bundle", pi.path)
    done.assert_outcomes(skipped=1)
    done.stdout.fnmatch_lines(["*no board (toy is reached by a --bench of a lab file, or by*"])


def test_tests_without_a_bundle_skip_unless_a_bench_is_named(run: Run) -> None:
    run().stdout.fnmatch_lines(["*skipped: no board (no --bundle DIR)"])
    done = run("--bench", "toy-1", lab=bench("toy-1"))
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["*--bench is for --bundle DIR*"])


@pytest.mark.parametrize(
    ("options", "lab", "told"),
    [
        (("--bench", "other"), bench("toy-1"), "no bench 'other' in lab.toml"),
        (("--bench", "toy-1"), "", "there is no lab file"),
        (("--bench", "toy-1"), bench("toy-1", "pyocd") + 'serial = "NOSUCH"', "on bench toy-1"),
        (
            ("--bench", "toy-1"),
            bench("toy-1").replace('"toy"', '"rpi3"'),
            "bench toy-1 is a rpi3, the bundle for toy",
        ),
        (
            ("--bench", "toy-1", "--runner", "pyocd"),
            bench("toy-1"),
            "bench toy-1 is reached by host, not pyocd",
        ),
        (("--runner", "hos"), "", "unknown runner 'hos'"),
    ],
)
def test_what_was_asked_for_and_is_not_there_fails_without_a_traceback(
    run: Run, device: Bundle, options: tuple[str, ...], lab: str, told: str
) -> None:
    done = run("--bundle", device.path, *options, lab=lab)
    done.assert_outcomes(errors=1)
    assert told in done.stdout.str()
    assert "under_test.py" not in done.stdout.str()


def test_a_folder_that_is_no_bundle_fails(run: Run, tmp_path: Path) -> None:
    run("--bundle", tmp_path, "--runner", "host").assert_outcomes(errors=1)


def test_more_samples_than_there_are_is_refused(run: Run, device: Bundle) -> None:
    source = """
import pytest
from deployer.errors import UsageError

@pytest.mark.parametrize("count", [0, 4])
def test_count(dut, count):
    with pytest.raises(UsageError, match=f"{count} samples of 3 in the bundle"):
        dut.require_exact(count)
    dut.require_exact(3)
"""
    run("--bundle", device.path, "--runner", "host", source=source).assert_outcomes(passed=2)


def test_any_pytest_has_the_plug_in_and_loads_little(tmp_path: Path) -> None:
    """By its entry point, and without the rig until a test asks for a device."""
    (tmp_path / "test_light.py").write_text(LIGHT)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 passed" in done.stdout, done.stdout
