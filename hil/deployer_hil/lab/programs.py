"""The programs that benches need on this machine: whether they are there, whether they start."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from deployer.errors import BenchError, UsageError
from deployer.simulator import simulator
from deployer_hil.gvsoc import find_gapy, find_gvsoc
from deployer_hil.lab.bench import Bench
from deployer_hil.openocd_files import Openocd, find_openocd
from deployer_hil.process import find_program, output_of, version_line
from deployer_hil.runners.register_model import PACKAGE, interpreter

Table = Mapping[str, Any]  # what the board file says to the runner
_START_SECONDS = 20.0
_NOT_STARTED = (126, 127)  # of a shell, env or the loader of shared libraries


def find(bench: Bench, table: Table) -> str:
    """Path of the program that ``bench`` runs images with, "" where there is none. Raises
    BenchError naming what is missing."""
    locate = _LOCATED.get(bench.runner)
    return locate(bench, table) if locate else ""


def start(bench: Bench, table: Table) -> str:
    """The same, started once: the line by which it tells its version, or its path. Raises
    BenchError when it cannot be started."""
    program = find(bench, table)
    if not program:
        return ""
    status, said = output_of([program, "--version"], folder=Path.cwd(), seconds=_START_SECONDS)
    if status is None or status < 0 or status in _NOT_STARTED:
        raise BenchError(f"{program} does not start", why=[f"status {status}", *said.splitlines()])
    return version_line(program) or program


def stated(bench: Bench, table: Table, key: str) -> str:
    """Raises UsageError where the board file leaves ``key`` out."""
    if key in table:
        return str(table[key])
    raise UsageError(f"[runners.{bench.runner}] of board {bench.board} lacks the key {key!r}")


def _qemu(bench: Bench, table: Table) -> str:
    return find_program(stated(bench, table, "program"), stated(bench, table, "package"))


def _register_model(bench: Bench, table: Table) -> str:
    if importlib.util.find_spec(PACKAGE) is None:
        what = f"the Python package {PACKAGE}, which emulates the core, is not installed"
        raise BenchError(what, hints=[f"pip install {PACKAGE}"])
    return str(interpreter())


def _openocd(bench: Bench, table: Table) -> str:
    return openocd_of(bench, table).program


def openocd_of(bench: Bench, table: Table) -> Openocd:
    """With the scripts of the board file. Raises BenchError naming what is missing."""
    cable = os.environ.get("GAPY_OPENOCD_CABLE") or stated(bench, table, "cable")
    scripts = (cable, stated(bench, table, "target"), stated(bench, table, "boot"))
    return find_openocd(scripts, program=str(bench.options.get("openocd", "")))


_LOCATED: Mapping[str, Callable[[Bench, Table], str]] = {
    "qemu_system": _qemu,
    "qemu_user": _qemu,
    "gap8_sim": lambda bench, table: str(simulator()),
    "gvsoc": lambda bench, table: find_gapy(str(bench.options.get("tool", ""))),
    "pulp_open": lambda bench, table: find_gvsoc(str(bench.options.get("tool", ""))),
    "register_model": _register_model,
    "openocd": _openocd,
    "ssh": lambda bench, table: find_program("ssh", "openssh-client"),
}
