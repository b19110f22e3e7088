"""Questions to a board of a bench: its power switch, probe, console, machine. Nothing is built or
programmed; whatever image is there is asked for its name. It has not met hardware.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from deployer.errors import BenchError
from deployer.units import command_line
from deployer_hil import locks, serial_ports
from deployer_hil.exchange import Timeouts
from deployer_hil.lab.bench import Bench, Power
from deployer_hil.lab.hold import device_of
from deployer_hil.lab.meter import metered
from deployer_hil.lab.programs import openocd_of, stated
from deployer_hil.openocd import OpenocdLoader
from deployer_hil.probe import Loader, Probe, PyocdLoader
from deployer_hil.process import find_program, output_of
from deployer_hil.remote_trouble import refused, silent
from deployer_hil.runners.probed import BAUD
from deployer_hil.runners.ssh import ssh_host
from deployer_hil.runners.tcp import reached, tcp_address
from deployer_hil.session import Session
from deployer_hil.stream import ByteStream

Table = Mapping[str, Any]  # what the board file says to the runner
COMMAND_SECONDS = 30.0  # that a command may take
OFF_SECONDS = 1.0  # for the capacitors of a board
BACK_SECONDS = 15.0  # for a board to be seen again after its power came back
TIMEOUTS = Timeouts()
_PAUSE_SECONDS = 0.2
_ANSWER_SECONDS = 20.0  # of a machine reached by ssh
_SSH = ("-T", "-x", "-a", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10")


class Desk:
    """A board behind a probe. ``own``: locks for what the lab file leaves open. ``resets``: whether
    a reset keeps the image; OpenOCD's is a load, for which there is none."""

    def __init__(self, bench: Bench, loader: Loader, own: locks.Locks, *, baud: int, resets: bool):
        self._bench = bench
        self._loader = loader
        self._own = own
        self._baud = baud
        self._resets = resets

    def probe(self) -> str:
        """Finds the probe and resets the board through it. Tells which one."""
        found = self._found()
        if found.uid:
            self._own.take(locks.probe(found.uid))
        if self._resets:
            self._loader.reset()
        did = "the board was reset" if self._resets else "JTAG is not asked before an image is sent"
        return f"{found.uid}: {did}"

    def console(self) -> str:
        """Asks the image there for its name; see ``answer``."""
        device = self._device()
        with closing(serial_ports.open_port(device, self._baud)) as stream:
            return f"{device}: {answer(self._bench, stream)}"

    def meter(self) -> str:
        """Whether the bench's meter sees pulses of the image there; see ``metered``."""
        with closing(serial_ports.open_port(self._device(), self._baud)) as stream:
            return metered(self._bench, Session(stream, timeouts=TIMEOUTS))

    def _device(self) -> str:
        found = self._loader.find()
        device = device_of(self._bench) or found.port or serial_ports.port_of(found.uid)
        self._own.take(locks.port(device))
        return device

    def _found(self) -> Probe:
        """A board whose power was just switched takes a while to be seen."""
        switched = self._bench.power or self._bench.labgrid
        end = time.monotonic() + (BACK_SECONDS if switched else 0.0)
        while True:
            try:
                return self._loader.find()
            except BenchError:
                if time.monotonic() >= end:
                    raise
            time.sleep(_PAUSE_SECONDS)


def pyocd_desk(bench: Bench, table: Table, own: locks.Locks) -> Desk:
    loader = PyocdLoader(
        target=stated(bench, table, "target"),
        frequency=int(table.get("frequency", 4_000_000)),
        uid=bench.probe or None,
        emulate=_emulated(bench),
    )
    return Desk(bench, loader, own, baud=_baud(bench, table), resets=True)


def openocd_desk(bench: Bench, table: Table, own: locks.Locks) -> Desk:
    loader = OpenocdLoader(
        lambda: openocd_of(bench, table),
        uid=bench.probe or None,
        port=device_of(bench) or None,
        emulate=_emulated(bench),
    )
    return Desk(bench, loader, own, baud=_baud(bench, table), resets=False)


def _emulated(bench: Bench) -> str:
    return command_line(["run", "--board", bench.board], "MODEL")


def _baud(bench: Bench, table: Table) -> int:
    return bench.baud or int(table.get("baud", BAUD))


def answer(bench: Bench, stream: ByteStream) -> str:
    """The image that talks on ``stream``, by board, model and id. Raises BenchError when none does,
    or it is one of another board."""
    session = Session(stream, timeouts=TIMEOUTS)
    try:
        name = session.hello()
    except BenchError as error:
        flash = f"put an image there first: deployer flash --bench {bench.name} MODEL"
        raise BenchError(error.what, why=error.why, hints=[*error.hints, flash]) from None
    if name != bench.board:
        what = f"it is a {name}, the lab file says {bench.board}"
        raise BenchError(what, hints=[f"correct board or serial of bench {bench.name}"])
    more: list[str] = []
    with suppress(BenchError):  # another program that speaks MLPerf's protocol has no id
        more.append(f"runs {session.profile()[1]}")
        more.append(f"id {session.bundle_id()}")
    return ", ".join([name, *more])


def listening(bench: Bench, table: Table) -> str:
    """Asks the image that listens at an address; see ``answer``."""
    host, port = tcp_address(bench.tcp, table, bench.board, "")
    with closing(reached(host, port, f"./firmware.elf --listen 0.0.0.0:{port}")) as stream:
        return f"{host}:{port}: {answer(bench, stream)}"


def listening_meter(bench: Bench, table: Table) -> str:
    """As ``Desk.meter``, of an image that listens."""
    host, port = tcp_address(bench.tcp, table, bench.board, "")
    with closing(reached(host, port, f"./firmware.elf --listen 0.0.0.0:{port}")) as stream:
        return metered(bench, Session(stream, timeouts=TIMEOUTS))


def machine(bench: Bench, table: Table) -> str:
    """Asks a machine by ssh what it is; nobody is there to type a password. Raises BenchError when
    it does not answer, or does not run the board's programs."""
    host, ssh = ssh_host(bench.host, table, bench.board, ""), find_program("ssh", "openssh-client")
    command = [ssh, *_SSH, "--", host, "uname -m"]
    status, said = output_of(command, folder=Path.cwd(), seconds=_ANSWER_SECONDS)
    lines = said.splitlines()
    if status is None:
        raise silent(host, _ANSWER_SECONDS)
    if status or not lines:
        raise refused(host, lines)
    machines = table.get("machines", ())
    if lines[-1] not in machines and "launcher" not in table:
        taken = ", ".join(machines)
        raise BenchError(f"{host} is a {lines[-1]}, {bench.board} runs on {taken}")
    return f"{host}: {lines[-1]}"


def cycle_power(power: Power) -> None:
    """Off, and on again, which is tried whatever ends the time between. Raises BenchError naming
    the command that failed."""
    switch_power("off", power.off)
    try:
        time.sleep(OFF_SECONDS)
    finally:
        switch_power("on", power.on)


def switch_power(which: str, command: Sequence[str], *, seconds: float = COMMAND_SECONDS) -> None:
    """Run the command for ``which``, "on" or "off". Raises BenchError when it fails."""
    status, said = output_of(command, folder=Path.cwd(), seconds=seconds)
    if status == 0:
        return
    how = f"ended with status {status}" if status is not None else f"took more than {seconds:g} s"
    raise BenchError(
        f"the command for power {which} {how}",
        why=[" ".join(command), *said.splitlines()[-3:]],
        hints=[f"correct power.{which} in the lab file"],
    )
