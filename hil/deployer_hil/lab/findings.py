"""Tests of a bench, each as short as it can be: what does not answer now would fail a night's
run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from deployer.errors import DeployerError
from deployer_hil.lab import at_place, on_board, programs
from deployer_hil.lab.bench import Bench, Power
from deployer_hil.lab.hold import hold
from deployer_hil.lab.seen import TableOf
from deployer_hil.locks import Locks

Step = Callable[[], str]  # tells what it found, "" where nothing can be tested
_DESKS = {"pyocd": on_board.pyocd_desk, "openocd": on_board.openocd_desk}
_NOTHING = "nothing can be tested"


@dataclass(frozen=True)
class Finding:
    """Of one test. ``passed`` is None where nothing could be tested. ``told`` is what was found, or
    the cause in one line; ``why`` and ``hints`` are the error's."""

    test: str
    passed: bool | None
    told: str
    why: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()


def check(bench: Bench, table_of: TableOf) -> tuple[Finding, ...]:
    """The tests of ``bench`` up to the first that fails, while nobody else has it. What stands in
    the way of testing counts as a failure."""
    try:
        table = table_of(bench)
        with hold(bench) as options, Locks(options.get("held", ())) as own:
            if "place" in options:
                return _until_failed(at_place.steps(bench, table, options, own))
            return _until_failed(_steps(bench, table, own))
    except DeployerError as error:
        return (_failed("bench", error),)


def _until_failed(steps: Mapping[str, Step]) -> tuple[Finding, ...]:
    found: list[Finding] = []
    for name, step in steps.items():
        try:
            told = step()
        except DeployerError as error:
            return (*found, _failed(name, error))
        found.append(Finding(name, True if told else None, told or _NOTHING))
    return tuple(found)


def _failed(test: str, error: DeployerError) -> Finding:
    return Finding(test, False, error.what, error.why, error.hints)


def _steps(bench: Bench, table: Mapping[str, Any], own: Locks) -> dict[str, Step]:
    """By name, in order."""
    switched: dict[str, Step] = {"power": partial(_cycled, bench.power)} if bench.power else {}
    return {**switched, **_own_steps(bench, table, own)}


def _own_steps(bench: Bench, table: Mapping[str, Any], own: Locks) -> dict[str, Step]:
    if "loader" in bench.options:  # it is made for a bundle, and there is none
        return {"probe": str}
    if bench.runner == "ssh":  # its image is there only while it runs: no pulse for a meter
        return {"host": partial(on_board.machine, bench, table), **_metered(bench, str)}
    if bench.runner == "tcp":
        meter = partial(on_board.listening_meter, bench, table)
        return {"console": partial(on_board.listening, bench, table), **_metered(bench, meter)}
    if bench.runner in _DESKS:
        desk = _DESKS[bench.runner](bench, table, own)
        return {"probe": desk.probe, "console": desk.console, **_metered(bench, desk.meter)}
    return {"program": partial(programs.start, bench, table)}


def _metered(bench: Bench, step: Step) -> dict[str, Step]:
    return {"meter": step} if bench.meter else {}


def _cycled(switch: Power) -> str:
    on_board.cycle_power(switch)
    return "off and on"
