"""A meter of energy for labgrid: deployer's own meters, run on the machine that has one. It has met
no meter.

    imports: [deployer_labgrid.meter_driver]      # of a labgrid environment file
"""

from __future__ import annotations

import base64
import json
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import attr
from labgrid import step, target_factory
from labgrid.driver import Driver
from labgrid.driver.exception import ExecutionError
from labgrid.resource.common import NetworkResource

_GRACE_SECONDS = 5.0


@target_factory.reg_resource
@attr.s(eq=False)
class DeployerMeterPort(NetworkResource):
    """A meter of ``host``: ``meter`` as deployer takes it (docs/energy.md), ``python`` the
    interpreter there that has deployer and the meter's package."""

    meter = attr.ib(validator=attr.validators.instance_of(str))
    python = attr.ib(default="python3", validator=attr.validators.instance_of(str))


@target_factory.reg_driver
@attr.s(eq=False)
class DeployerMeter(Driver):
    """Records volts, amps and the trigger on the meter's machine, by deployer's own meters there.

    ``name``, ``sees_trigger``, ``start``, ``stop`` and ``mark`` are those of deployer's meters.
    """

    bindings: Mapping[str, str] = {"port": "DeployerMeterPort"}

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self._child: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self.described: dict[str, Any] = {}

    def on_activate(self) -> None:
        module = ["-m", "deployer_hil.energy.served", self.port.meter]
        command = self.port.wrap_command([self.port.python, *module])
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the connection)
        pipe = subprocess.PIPE
        self._child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self._errors)
        try:
            self.described = self._answer()
        except ExecutionError:
            self.on_deactivate()
            raise

    def on_deactivate(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        with suppress(OSError):
            child.stdin.close()  # type: ignore[union-attr]
        try:
            child.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        if self._errors is not None:
            self._errors.close()

    @Driver.check_active
    @step()
    def start(self) -> None:
        self._ask("start")

    @Driver.check_active
    @step(args=["file"])
    def stop(self, file: str) -> None:
        """Puts what was recorded into ``file``, a trace as npz."""
        Path(file).write_bytes(base64.b64decode(self._ask("stop")["trace"]))

    @Driver.check_active
    def mark(self) -> None:
        self._ask("mark")

    def _ask(self, word: str) -> dict[str, Any]:
        assert self._child is not None
        assert self._child.stdin is not None
        with suppress(OSError):  # why it ended is told below
            self._child.stdin.write(f"{word}\n".encode())
            self._child.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        """Raises ExecutionError with what the other side says."""
        assert self._child is not None
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        try:
            said = json.loads(line)
        except ValueError:
            words = self._last_words()
            raise ExecutionError("the meter's machine does not answer", stderr=words) from None
        if "error" in said:
            raise ExecutionError(said["error"], stderr=said.get("why", []))
        return dict(said)

    def _last_words(self) -> list[str]:
        assert self._child is not None
        assert self._errors is not None
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(_GRACE_SECONDS)
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace").splitlines()[-3:]
