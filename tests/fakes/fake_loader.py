"""Probes that are not there: program and reset end in an emulator, or the fake device, on a PTY.

``deployer flash --loader fakes.fake_loader:twin`` runs the whole flash flow without hardware. The
bundle must be for an emulated twin: a board file whose ``[runners.pyocd]`` has a ``twin`` key.
"""

from __future__ import annotations

import os
import subprocess
import tty
from collections.abc import Callable, Sequence
from pathlib import Path

from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer_hil.probe import Probe, Progress
from deployer_hil.process import end, find_program, spawn
from deployer_hil.runners.qemu_system import machine
from fakes import terminals

UID = "FAKE0001"


class FakeLoader:
    """``command(elf)`` is what runs the image with its console on stdin and stdout."""

    def __init__(self, command: Callable[[Path], Sequence[str]]):
        self._command = command
        self._master, self._slave = terminals.pair()  # held open: the port outlives a reset
        tty.setraw(self._slave)
        self._elf: Path | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self.calls: list[str] = []
        self.uid = UID

    def find(self) -> Probe:
        self.calls.append("find")
        return Probe(self.uid, "fake probe", os.ttyname(self._slave))

    def program(self, elf: Path, progress: Progress | None = None) -> None:
        """The old image stops, as it does under a real probe."""
        self.calls.append("program")
        if not elf.is_file():
            raise BenchError(f"no image at {elf}")
        self.stop()
        self._elf = elf
        for part in (0.0, 0.5, 1.0):
            if progress:
                progress(part)

    def reset(self) -> None:
        self.calls.append("reset")
        if self._elf is None:
            raise BenchError("the flash is empty")
        self.stop()
        self._child = spawn(
            self._command(self._elf),
            stdin=self._master,
            stdout=self._master,
            stderr=subprocess.DEVNULL,
        )

    def moved(self) -> None:
        """The board is pulled out and plugged in again: the port has another name."""
        self.stop()
        gone = (self._master, self._slave)
        self._master, self._slave = terminals.pair()  # while the old name is taken
        tty.setraw(self._slave)
        for descriptor in gone:
            os.close(descriptor)

    def close(self) -> None:
        self.stop()
        for descriptor in (self._master, self._slave):
            if descriptor >= 0:
                os.close(descriptor)
        self._master = self._slave = -1

    def stop(self) -> None:
        """The board is without power."""
        if self._child is not None:
            end(self._child)
        self._child = None


def device(bundle: Bundle) -> FakeLoader:
    """The image is a program of this machine."""
    return FakeLoader(lambda elf: [str(elf.absolute())])


def twin(bundle: Bundle) -> FakeLoader:
    """The image runs in QEMU, as the board options of ``qemu_system`` say."""
    options = bundle.runner_options("qemu_system")
    emulator = find_program(options["program"], options["package"])
    return FakeLoader(lambda elf: machine(emulator, options.get("args", ()), str(elf.absolute())))
