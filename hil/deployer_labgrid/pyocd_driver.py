"""A loader by pyOCD for labgrid, run on the machine of the probe. It has met no probe.

imports: [deployer_labgrid.pyocd_driver]      # of a labgrid environment file
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

import attr
from labgrid import step, target_factory
from labgrid.driver import Driver
from labgrid.driver.exception import ExecutionError
from labgrid.protocol import BootstrapProtocol, ResetProtocol
from labgrid.resource.common import NetworkResource
from labgrid.util.helper import processwrapper
from labgrid.util.managedfile import ManagedFile

_SAME = re.compile(rb"All \d+ bytes match")
_NOT_SAME = re.compile(rb"Mismatched byte at [^\r\n]*")


@target_factory.reg_resource
@attr.s(eq=False)
class PyOCDProbe(NetworkResource):
    """A debug probe of ``host``, by its unique id: for exporters that do not match USB devices."""

    uid = attr.ib(validator=attr.validators.instance_of(str))


@target_factory.reg_driver
@attr.s(eq=False)
class PyOCDDriver(Driver, BootstrapProtocol, ResetProtocol):
    """Programs and resets a board by pyOCD on the machine of its probe.

    ``mcu``: pyOCD's name of the target. ``frequency``: of SWD, Hz. ``uid``: of the probe, else that
    of the resource, else the serial number of the USB device. ``tool``: pyOCD there.
    """

    bindings: Mapping[str, set[str]] = {
        "interface": {"PyOCDProbe", "NetworkUSBDebugger", "USBDebugger"}
    }
    mcu = attr.ib(validator=attr.validators.instance_of(str))
    frequency = attr.ib(default=4_000_000, validator=attr.validators.instance_of(int))
    uid = attr.ib(default="", validator=attr.validators.instance_of(str))
    tool = attr.ib(default="pyocd", validator=attr.validators.instance_of(str))

    @Driver.check_active
    @step(args=["filename"])
    def load(self, filename: str | None = None) -> None:
        """Writes an ELF, HEX or binary file."""
        if filename is None:
            raise ValueError("there is no file to load")
        self._commander([f"load {self._there(filename)}"])

    @Driver.check_active
    @step(args=["filename"])
    def program(self, filename: str, parts: Sequence[tuple[int, str]]) -> None:
        """``load``, and reads back ``parts``: addresses, and files of what must be there. Raises
        ExecutionError for one that is not."""
        compared = [f"compare {address:#x} {self._there(file)}" for address, file in parts]
        said = self._commander([f"load {self._there(filename)}", *compared])
        if len(_SAME.findall(said)) == len(parts):
            return
        found = _NOT_SAME.search(said)
        told = found[0].decode(errors="replace").strip() if found else "it was not read back"
        raise ExecutionError("the board does not have what was written to it", stderr=[told])

    @Driver.check_active
    @step(args=["mode"])
    def reset(self, mode: str | None = None) -> None:
        self._commander(["reset"])

    @Driver.check_active
    def found_uid(self) -> str:
        """The unique id of the probe, which pyOCD sees. Raises ExecutionError where it does not."""
        wanted = self._wanted()
        told = json.loads(self._run([self.tool, "json", "--probes", "--no-config"]))
        seen = [str(each["unique_id"]) for each in told.get("boards", [])]
        for uid in seen:
            if uid.lower() == wanted.lower():
                return uid
        others = f"probes seen: {', '.join(seen) or 'none'}"
        raise ExecutionError(f"probe {wanted} is not connected", stderr=[others])

    def _commander(self, commands: Sequence[str]) -> bytes:
        options = ["--no-config", "--no-wait", "--target", self.mcu, "--uid", self._wanted()]
        speed = ["--frequency", str(self.frequency), "--connect", "under-reset"]
        words = [word for command in commands for word in ("--command", command)]
        return self._run([self.tool, "commander", *options, *speed, *words])

    def _wanted(self) -> str:
        named = self.uid or getattr(self.interface, "uid", "")
        if not named:
            file = f"/sys/bus/usb/devices/{self.interface.path}/serial"
            named = self._run(["cat", file]).decode().strip()
        return str(named)

    def _there(self, file: str) -> str:
        """Its path on the probe's machine, where it is put first."""
        managed = ManagedFile(file, self.interface)
        managed.sync_to_resource()
        return str(managed.get_remote_path())

    def _run(self, command: Sequence[str]) -> bytes:
        output: bytes = processwrapper.check_output(self.interface.wrap_command(command))
        return output
