"""The device that a user's tests are about: where it is, and what it must compute."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from deployer.bundle import Bundle
from deployer.errors import BenchError, MachineError, MismatchError, UsageError
from deployer_hil import lab, probe
from deployer_hil.measure import begin, connect
from deployer_hil.runner import Runner, create
from deployer_hil.samples import first_wrong, proven
from deployer_hil.session import Session, through_restarts

_USUAL = "pyocd"


class NoBoard(Exception):
    """Nothing here has the board, and no bench of its own was asked for. Its text is why."""


@dataclass(frozen=True)
class Asked:
    """What the user named, "" and None where nothing. ``bench``: of ``lab`` or the lab file of the
    surroundings; it must be there. ``runner``: of benches of ``lab``, or without a bench."""

    board: str = ""
    runner: str = ""
    bench: str = ""
    lab: Path | None = None


@dataclass(frozen=True)
class Dut:
    """A device that has just started, with the image of ``bundle``. ``session`` has a method for
    every verb of docs/protocol.md."""

    bundle: Bundle
    runner: Runner
    session: Session

    def require_exact(self, samples: int | None = None) -> None:
        """The golden samples (the first ``samples``), layer by layer. Raises MismatchError naming
        the first layer that differs."""
        known = len(self.bundle.golden["input"])
        count = known if samples is None else samples
        if not 0 < count <= known:
            raise UsageError(f"{count} samples of {known} in the bundle")
        for index in range(count):
            self._require(index)

    def _require(self, index: int) -> None:
        again = partial(begin, self.session, self.bundle, self.runner)
        run = partial(proven, self.session, self.bundle, index)
        verdict, _ = through_restarts(run, again)
        if verdict.match:
            return
        raise MismatchError(
            f"{self.bundle.board} does not compute golden sample {index}",
            why=[f"first difference: {first_wrong(self.bundle, verdict)}"],
        )


@contextmanager
def started(bundle: Bundle, runner: Runner) -> Iterator[Dut]:
    """Restarts the image. Raises BenchError when it does not answer, or is another."""
    with connect(bundle, runner) as session:
        yield Dut(bundle, runner, session)


@contextmanager
def reached(bundle: Bundle, asked: Asked) -> Iterator[Runner]:
    """A runner with the image loaded; inside it the bench is the caller's alone.

    Raises NoBoard, and for what was asked for and is not there, or fails, BenchError and
    UsageError.
    """
    if asked.board not in ("", bundle.board):
        raise NoBoard(f"the bundle is for {bundle.board}, not {asked.board}")
    with ExitStack() as stack:
        name, options, where = _place(bundle, asked, stack)
        with _naming(where):
            runner = stack.enter_context(create(name, bundle, **options))
            runner.load(bundle)
        yield runner


Spot = tuple[str, dict[str, Any], str]
"""Runner, its options, and the bench, "" for none."""


def _place(bundle: Bundle, asked: Asked, stack: ExitStack) -> Spot:
    if asked.bench:
        return _named_bench(bundle, asked, stack)
    path = asked.lab or (None if asked.runner else lab.named())
    if path:
        return _free_bench(bundle, asked, lab.read_lab(path), stack)
    return _without_a_bench(bundle, asked.runner)


def _named_bench(bundle: Bundle, asked: Asked, stack: ExitStack) -> Spot:
    bench = lab.read_lab(lab.find_lab(asked.lab)).bench(asked.bench)
    if bench.board != bundle.board:
        raise UsageError(f"bench {bench.name} is a {bench.board}, the bundle for {bundle.board}")
    if asked.runner not in ("", bench.runner):
        raise UsageError(f"bench {bench.name} is reached by {bench.runner}, not {asked.runner}")
    with _naming(bench.name):
        return bench.runner, stack.enter_context(lab.hold(bench)), bench.name


def _free_bench(bundle: Bundle, asked: Asked, found: lab.Lab, stack: ExitStack) -> Spot:
    """The first that is there and nobody's, or NoBoard telling what each of them lacks."""
    own = tuple(bench for bench in found.benches if _suits(bench, bundle, asked.runner))
    if not own:
        by = f" by {asked.runner}" if asked.runner else ""
        raise NoBoard(f"{found.path} has no bench that runs this bundle of {bundle.board}{by}")
    lacking = []
    for state in lab.states(lab.Lab(found.path, own), lab.look(own), partial(_table, bundle)):
        held = _held(state, stack)
        if not isinstance(held, str):
            return state.bench.runner, held, state.bench.name
        lacking.append(f"bench {state.bench.name}: {held}")
    raise NoBoard("; ".join(lacking))


def _suits(bench: lab.Bench, bundle: Bundle, runner: str) -> bool:
    """A bundle for an emulated twin is no image for the board, nor the other way round."""
    told = bundle.runner_options(bench.runner)
    if bench.runner not in bundle.manifest["runners"] or runner not in ("", bench.runner):
        return False
    built_for_it = "twin" not in told or "loader" in bench.options
    return bench.board == bundle.board and built_for_it


def _table(bundle: Bundle, bench: lab.Bench) -> dict[str, Any]:
    return bundle.runner_options(bench.runner)


def _held(state: lab.State, stack: ExitStack) -> dict[str, Any] | str:
    """What the runner of a bench is told, or why the bench cannot be had."""
    if state.connected is False:
        return state.troubles[0]
    try:
        return stack.enter_context(lab.hold(state.bench))
    except MachineError:
        raise
    except BenchError as error:
        return error.what


def _without_a_bench(bundle: Bundle, runner: str) -> Spot:
    """A runner that the user names, or a probe that is connected. No lab says more."""
    if not runner and _USUAL not in bundle.manifest["runners"]:
        raise NoBoard(f"{bundle.board} is reached by a --bench of a lab file, or by --runner NAME")
    if runner in ("", _USUAL) and not _probe_there():
        raise NoBoard("no debug probe is connected")
    return runner or _USUAL, {}, ""


def _probe_there() -> bool:
    try:
        return bool(probe.connected())
    except BenchError:
        return False


@contextmanager
def _naming(bench: str) -> Iterator[None]:
    """Trouble of a bench is told with its name."""
    try:
        yield
    except (BenchError, UsageError) as error:
        if bench and not isinstance(error, MachineError | lab.BenchHeld):
            error.why = (f"on bench {bench}", *error.why)
        raise
