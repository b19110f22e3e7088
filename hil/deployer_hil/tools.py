"""What this machine has to run bundles with, for ``deployer doctor``."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from deployer.errors import BenchError
from deployer_hil import openocd_files, probe, serial_ports
from deployer_hil.gvsoc import MODELS, Model
from deployer_hil.process import version_line

PYTHON_TOOLS = {
    "pyocd": "program and reset boards (deployer flash)",
    "pyserial": "talk to boards (deployer flash)",
    "unicorn": "the nucleo's own image without a board (--runner register_model)",
}


@dataclass(frozen=True)
class Tool:
    """``version`` is None when the tool is missing; ``install`` is then the command to type."""

    name: str
    version: str | None
    enables: str
    install: str


def emulators(programs: Mapping[str, tuple[str, str]]) -> tuple[Tool, ...]:
    """``programs``: name to (Debian package, what it enables), from the board files."""
    return tuple(
        Tool(name, _program_version(name), enables, f"apt-get install {package}")
        for name, (package, enables) in sorted(programs.items())
    )


def python_tools() -> tuple[Tool, ...]:
    return tuple(
        Tool(name, _distribution_version(name), enables, f"pip install {name}")
        for name, enables in PYTHON_TOOLS.items()
    )


def openocd(boards: Sequence[str]) -> Tool:
    """The loader of the ``boards`` it is for."""
    found = openocd_files.installed()
    version = (version_line(found) or "unknown version") if found else None
    enables = f"deployer flash --board {', '.join(boards)}"
    return Tool(openocd_files.NAME, version, enables, openocd_files.INSTALL)


def gvsoc(boards: Mapping[str, Sequence[str]]) -> tuple[Tool, ...]:
    """The models that users build themselves; ``boards`` of each of their runners."""
    return tuple(
        Tool(model.program, _located(model), f"deployer run --board {', '.join(names)}", model.hint)
        for name, model in MODELS.items()
        if (names := [f"{board} --runner {name}" for board in boards.get(name, ())])
    )


def _located(model: Model) -> str | None:
    """Where it is; it tells no version."""
    try:
        return model.find()
    except BenchError:
        return None


def bench() -> tuple[str, ...]:
    """Probes and serial ports that can be seen, one line each; what cannot be asked says why."""
    return (*_probe_lines(), *_port_lines())


def _probe_lines() -> tuple[str, ...]:
    try:
        probes = probe.connected()
    except BenchError as error:
        return (f"probes: {error.what}",)
    return tuple(f"probe: {p.uid}  {p.description}" for p in probes) or ("probes: none",)


def _port_lines() -> tuple[str, ...]:
    try:
        return serial_ports.describe(serial_ports.ports())
    except ImportError:
        return ("serial ports: pyserial is not installed",)


def _program_version(name: str) -> str | None:
    if shutil.which(name) is None:
        return None
    return version_line(name) or "unknown version"


def _distribution_version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
