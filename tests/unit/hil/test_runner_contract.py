"""Every runner against the fake device; and every tool that may be missing is named."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from deployer.bundle import Bundle
from deployer.errors import BenchError, UsageError
from deployer_hil.exchange import Timeouts
from deployer_hil.runner import BUILTIN, create, names
from fakes.bundles import fake_qemu, make_bundle, resealed
from fakes.contract import CONTRACT, Check, hello_answers
from fakes.stand_ins import stand_in_bundle, stand_in_runner

QEMU = {"program": "fake-qemu", "package": "qemu-fake", "args": ["-M", "toy"]}
BOARD = {
    "host": {},
    "qemu_user": QEMU,
    "qemu_system": {**QEMU, "icount": 0},
    "pyocd": {"twin": "toy-twin"},
    "gap8_sim": {},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("contract")


@pytest.fixture(scope="module")
def bundle(folder: Path) -> Bundle:
    return make_bundle(folder / "bundle", runners=BOARD)


@pytest.fixture
def emulators(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path with the fake QEMU in it."""
    fake_qemu(folder / "bin", QEMU["program"])
    monkeypatch.setenv("PATH", f"{folder / 'bin'}:/usr/bin:/bin")
    return folder / "bin"


@pytest.fixture
def gap8_sim(emulators: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fake emulator is the simulator."""
    monkeypatch.setattr(
        "deployer_hil.runners.gap8_sim.simulator", lambda: emulators / QEMU["program"]
    )


@pytest.fixture(scope="module", params=sorted(BUILTIN))
def taken(request: pytest.FixtureRequest, folder: Path) -> tuple[str, Bundle]:
    """Each runner, and a bundle that it takes."""
    return request.param, stand_in_bundle(request.param, folder)


@pytest.mark.parametrize("check", CONTRACT, ids=lambda check: check.__name__)
def test_contract(
    check: Check, taken: tuple[str, Bundle], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, bundle = taken
    with stand_in_runner(name, bundle, tmp_path, monkeypatch) as runner:
        check(bundle, runner, Timeouts(silence=0.05))


@pytest.mark.parametrize("name", ["qemu_user", "qemu_system"])
def test_a_missing_emulator_is_named_with_its_package(
    name: str, bundle: Bundle, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BenchError, match="fake-qemu is not installed") as caught:
        create(name, bundle).load(bundle)
    assert caught.value.hints == ("apt-get install qemu-fake",)


def test_a_runner_opens_nothing_before_load(bundle: Bundle) -> None:
    with pytest.raises(BenchError, match="holds no bundle"):
        create("host", bundle).open()


def test_an_unknown_runner_names_the_nearest(bundle: Bundle) -> None:
    with pytest.raises(UsageError, match="unknown runner 'qemu_sytem'") as caught:
        create("qemu_sytem", bundle)
    assert caught.value.hints[0] == "did you mean qemu_system?"


def test_an_unknown_option_is_refused(bundle: Bundle) -> None:
    with pytest.raises(UsageError, match="runner pyocd has no option 'prob'") as caught:
        create("pyocd", bundle, prob="066B")
    assert caught.value.hints[0] == "did you mean probe?"


def test_an_unknown_key_of_the_board_file_is_refused(toy: Callable[..., Bundle]) -> None:
    bundle = toy(runners={"qemu_user": {"program": "q", "package": "p", "arg": []}})
    with pytest.raises(UsageError, match=r"unknown key 'arg' in \[runners.qemu_user\]"):
        create("qemu_user", bundle)


def test_a_missing_key_of_the_board_file_is_named(toy: Callable[..., Bundle]) -> None:
    bundle = toy(runners={"qemu_system": {"program": "q"}})
    with pytest.raises(UsageError, match="lacks the key 'package'"):
        create("qemu_system", bundle)


@pytest.mark.parametrize("options", [{"twin": "other"}, {}])
def test_an_image_for_the_board_does_not_go_to_the_emulator(
    toy: Callable[..., Bundle], options: dict[str, str]
) -> None:
    with pytest.raises(UsageError, match="does not run in qemu_system"):
        create("qemu_system", toy(runners={"qemu_system": options}))


def test_an_image_for_the_twin_does_not_go_to_the_simulator_of_the_chip(bundle: Bundle) -> None:
    with pytest.raises(UsageError, match="built for toy-twin, which does not run in gap8_sim"):
        create("gap8_sim", bundle)


def test_the_simulator_gives_simulated_cycles_and_is_in_the_record(
    toy: Callable[..., Bundle], gap8_sim: None
) -> None:
    runner = create("gap8_sim", toy(runners={"gap8_sim": {}}, target="toy"))
    assert (runner.caps.timing, runner.caps.kind) == ("cycles", "simulated")
    assert runner.tool == "fake-qemu"


def test_an_image_for_the_emulator_does_not_go_to_the_board(toy: Callable[..., Bundle]) -> None:
    with pytest.raises(UsageError, match="no debug probe can program"):
        create("pyocd", toy(runners={"pyocd": {"target": "stm32f767zi"}}))


def test_icount_is_for_counting_and_can_be_left_out(bundle: Bundle, emulators: Path) -> None:
    (emulators / "log").write_text("")
    for icount, timing in ((True, "instructions"), (False, "none")):
        with create("qemu_system", bundle, icount=icount) as runner:
            assert runner.caps.timing == timing
            runner.load(bundle)
            runner.open().read(1, 5)
    with_icount, without = (emulators / "log").read_text().splitlines()
    assert "-icount shift=0" in with_icount
    assert "-icount" not in without
    assert "-M toy" in without
    assert "-serial stdio" in without


def test_the_emulator_is_in_the_record(bundle: Bundle, emulators: Path) -> None:
    assert create("qemu_system", bundle).tool == "QEMU emulator version 0.0 (fake)"


def test_an_image_that_is_no_program_is_an_error_with_the_cause(
    toy: Callable[..., Bundle],
) -> None:
    bundle = toy()
    bundle.firmware.write_bytes(b"\x7fELF of another machine")
    bundle = resealed(bundle)
    runner = create("host", bundle)
    runner.load(bundle)
    with pytest.raises(BenchError, match="cannot start") as caught:
        runner.open()
    assert "Exec format error" in str(caught.value)


def test_closing_ends_the_program(bundle: Bundle) -> None:
    runner = create("host", bundle)
    runner.load(bundle)
    stream = runner.open()
    assert stream.read(1, 5)
    runner.close()
    runner.close()
    assert not stream.alive
    assert "signal 15" in stream.epitaph()[0]


def test_opening_again_ends_the_earlier_stream(bundle: Bundle) -> None:
    with create("host", bundle) as runner:
        runner.load(bundle)
        first = runner.open()
        second = runner.open()
        assert not first.alive
        assert second.read(1, 5)


def test_a_runner_of_another_package_is_found(
    bundle: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = EntryPoint("mine", "deployer_hil.runners.host:create", "deployer.runners")
    found = EntryPoints([point])
    monkeypatch.setattr("deployer_hil.runner.entry_points", lambda **wanted: found.select(**wanted))
    assert "mine" in names()
    with create("mine", bundle) as runner:
        hello_answers(bundle, runner, Timeouts(silence=0.05))


def test_a_runner_that_cannot_be_imported_says_so(
    bundle: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = EntryPoints([EntryPoint("mine", "no_such_module:create", "deployer.runners")])
    monkeypatch.setattr("deployer_hil.runner.entry_points", lambda **wanted: found.select(**wanted))
    with pytest.raises(UsageError, match="cannot load 'no_such_module:create'"):
        create("mine", bundle)


def test_a_program_nobody_closed_ends_with_its_owner(bundle: Bundle) -> None:
    runner = create("host", bundle)
    runner.load(bundle)
    reader = runner.open()
    assert reader.read(1, 5)
    child = reader._peer._child
    del runner, reader
    gc.collect()
    assert child.poll() is not None


def test_the_contract_runs_by_the_pytest_plugin_on_a_device(bundle: Bundle) -> None:
    root = Path(__file__).parents[3]
    arguments = ["tests/hw", "-k", "hello_answers", "--runner", "host"]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    for more, outcome in (([], "1 passed"), (["--board", "rpi3"], "1 skipped")):
        asked = [*command, "--bundle", str(bundle.path), *more]
        done = subprocess.run(asked, cwd=root, capture_output=True, text=True, check=True)
        assert outcome in done.stdout
