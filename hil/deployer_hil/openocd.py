"""GAP8 through GreenWaves' OpenOCD: its debug unit loads L2 over JTAG and starts the image there.

The steps are those of gap_sdk's jtag_boot.tcl. The image lives in RAM, so a start is a load: each
is one run of OpenOCD, which ends before anybody talks to the image. E-fuses and flash are never
written: no script that can is loaded.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path

from deployer.errors import BenchError
from deployer_hil import serial_ports
from deployer_hil.image import Image, read_image
from deployer_hil.openocd_files import Openocd
from deployer_hil.openocd_trouble import hung, trouble
from deployer_hil.probe import Probe, Progress, choose
from deployer_hil.process import output_of

L2 = range(0x1C000000, 0x1C080000)
PROGRAM_COUNTER = 0x1B302000  # of the fabric controller, in its debug unit
CABLE = "0403:6010"  # the FTDI chip of a GAPuino: JTAG on its first channel
CONSOLE = 1  # USB interface of its second channel, the UART
STARTED = "deployer: image started"
QUIET = "gdb_port disabled; telnet_port disabled; tcl_port disabled"
STARTING_SECONDS, BYTES_PER_SECOND = 20.0, 10_000  # patience: a tenth of what the cable moves


class OpenocdLoader:
    """A ``Loader``. ``uid``: USB serial number of the cable; ``port``: a console given by name;
    ``emulate``: the command that does the same without a board; ``patience``: seconds beside the
    transfer."""

    def __init__(
        self,
        locate: Callable[[], Openocd],
        *,
        uid: str | None = None,
        port: str | None = None,
        emulate: str = "deployer run",
        patience: float = STARTING_SECONDS,
    ):
        self._locate = locate
        self._uid = uid
        self._port = port
        self._emulate = emulate
        self._patience = patience
        self._cable: str | None = None
        self._elf: Path | None = None

    def find(self) -> Probe:
        self._locate()  # a missing program is named before a missing cable
        found = self._console()
        self._cable = found.uid
        return found

    def program(self, elf: Path, progress: Progress | None = None) -> None:
        """Only checks: RAM is filled by ``reset``, behind which nothing of it is left."""
        read_image(elf, memory=L2)
        self._elf = elf.absolute()
        if progress:
            progress(1.0)

    def reset(self) -> None:
        """Load and start."""
        if self._elf is None:
            raise BenchError("no image to start", hints=["program one first"])
        image, openocd = read_image(self._elf, memory=L2), self._locate()
        seconds = self._patience + image.bytes / BYTES_PER_SECOND
        command = load_command(openocd, self._elf.name, image, cable=self._cable or "")
        status, said = output_of(command, folder=self._elf.parent, seconds=seconds)
        if status is None:
            raise hung(seconds, said)
        if STARTED not in (line.strip() for line in said.splitlines()):
            raise trouble(status, said, cable=CABLE)

    def close(self) -> None:
        """Nothing is held between calls."""

    def _console(self) -> Probe:
        seen = serial_ports.ports()
        if self._port:
            named = next((port.serial for port in seen if port.device == self._port), "")
            return Probe(self._uid or named, port=self._port)
        consoles = [port for port in seen if (port.usb, port.interface) == (CABLE, CONSOLE)]
        if not consoles:
            raise _no_cable(seen, self._emulate)
        probes = [Probe(port.serial, port.description, port.device) for port in consoles]
        return choose(probes, self._uid, emulate=self._emulate)


def load_command(openocd: Openocd, elf: str, image: Image, *, cable: str) -> list[str]:
    """The command line that loads and starts ``elf``, a file of the folder it is run in."""
    if cable and not re.fullmatch(r"[\w.:-]+", cable):
        raise BenchError(f"OpenOCD cannot be given the USB serial number {cable!r}")
    adapter, *others = (("-f", str(script)) for script in openocd.scripts)
    chosen = ["-c", f"ftdi_serial {cable}"] if cable else []
    steps = [
        "halt",
        f"load_image {{{elf}}} 0x0 elf",
        f"mww {PROGRAM_COUNTER:#x} {image.entry:#x}",  # after the load: the core fetches at once
        "resume",
        f"echo {{{STARTED}}}",
        "shutdown",
    ]
    return [
        *(openocd.program, "-s", str(openocd.folder), "-c", QUIET),
        *(*adapter, *chosen, *itertools.chain(*others)),
        *("-c", "; ".join(steps)),
    ]


def _no_cable(seen: tuple[serial_ports.Port, ...], emulate: str) -> BenchError:
    return BenchError(
        "no GAPuino found",
        why=[
            f"looked for: the second channel of an FTDI chip ({CABLE})",
            *serial_ports.describe(seen),
        ],
        hints=[
            "connect the GAPuino's USB port",
            "give the console by name: --port /dev/ttyUSB1",
            f"without a board: {emulate}",
        ],
    )
