"""A lab of two machines on this one: labgrid's coordinator, two exporters, an emulated board each.

    PYTHONPATH=tests python -m fakes.emulated_lab FOLDER

starts it in FOLDER, says how to use it, and ends it on Ctrl-C. It needs ``$DEPLOYER_LABGRID``, ssh
and its server, ser2net and QEMU.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from deployer.children import ends_with_parent
from fakes.boards import write_flash_twin
from fakes.emulated_desk import Command, EmulatedDesk, twin_of
from fakes.ssh_server import SshServer

TESTS = Path(__file__).parent.parent
DESKS = ("desk-1", "desk-2")
UIDS = dict(zip(DESKS, ("FAKE0001", "FAKE0002"), strict=True))
_MACHINE = "pi"  # as the ssh server of the fakes is called
_SECONDS = 30.0
_PLACE = """
{desk}:
  aliases: []
  comment: ''
  created: 0.0
  changed: 0.0
  tags: {{board: nucleo, desk: {desk}}}
  matches:
  - {{exporter: machine-of-{desk}, group: {desk}, cls: '*', name: null, rename: null}}
"""
_RESOURCES = """
{desk}:
  RawSerialPort:
    port: {port}
    speed: 115200
  NetworkPowerPort:
    model: simplerest
    host: '{url}/power/{{value}}'
    index: 0
  PyOCDProbe:
    host: {machine}
    uid: {uid}
"""
_METER = """
  DeployerMeterPort:
    host: {machine}
    meter: {meter}
    python: meter-python
"""
LAB = """
[labgrid]
coordinator = "{coordinator}"

[bench.first]
board = "nucleo-fake"
runner = "pyocd"
labgrid = "desk-1"

[bench.any]
board = "nucleo-fake"
runner = "pyocd"
labgrid = {{ board = "nucleo" }}
"""


class EmulatedLab:
    """Started by entering it. ``python``: of labgrid's environment. ``command``: what runs an
    image. ``meter``: as deployer takes it, of the first desk, in an environment with ``path``."""

    def __init__(
        self,
        folder: Path,
        *,
        python: str,
        sshd: str,
        ssh: str,
        command: Command,
        meter: str = "",
    ):
        self.folder = folder
        self.coordinator = f"127.0.0.1:{_free_port()}"
        self.probes = folder / "probes"
        self.lab_file = folder / "lab.toml"
        self._bin = Path(python).parent
        self._server = SshServer(sshd, ssh, folder / "ssh")
        self.desks = {name: EmulatedDesk(command) for name in DESKS}
        self._meter = meter
        self._stack = contextlib.ExitStack()
        self._exporters: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def surroundings(self) -> Mapping[str, str]:
        """Variables of who uses it."""
        return {
            "PATH": f"{self._server.client}:{os.environ['PATH']}",
            "LG_COORDINATOR": self.coordinator,
            "DEPLOYER_LABGRID": str(self._bin / "python"),
            "DEPLOYER_LAB": str(self.lab_file),
        }

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._server)
            for desk in self.desks.values():
                stack.enter_context(desk)
            self._write()
            listening = ["--listen", self.coordinator]
            coordinator = self._run("coordinator", listening, "listening on", "coordinator")
            stack.callback(_end, coordinator)
            for name in DESKS:
                stack.callback(self.stop, name)
                self.start(name)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def start(self, desk: str) -> None:
        """The exporter of the machine that ``desk`` stands at."""
        names = ["--name", f"machine-of-{desk}", "--hostname", "127.0.0.1"]
        words = ["--coordinator", self.coordinator, *names, str(self.folder / f"{desk}.yaml")]
        self._exporters[desk] = self._run("exporter", words, "Exporter ready", desk)

    def stop(self, desk: str) -> None:
        """Twice is harmless."""
        if desk in self._exporters:
            _end(self._exporters.pop(desk))

    def client(self, *words: str, user: str = "") -> str:
        """What labgrid-client says. ``user``: another than this one."""
        known = {**os.environ, **self.surroundings, **({"LG_USERNAME": user} if user else {})}
        command = [str(self._bin / "labgrid-client"), *words]
        done = subprocess.run(command, env=known, capture_output=True, text=True, timeout=_SECONDS)
        return done.stdout + done.stderr

    def _write(self) -> None:
        self.lab_file.write_text(LAB.format(coordinator=self.coordinator))
        (self.folder / "coordinator").mkdir()
        places = "".join(_PLACE.format(desk=desk) for desk in DESKS)
        (self.folder / "coordinator" / "places.yaml").write_text(places)
        for name, desk in self.desks.items():
            probe = self.probes / UIDS[name]
            probe.mkdir(parents=True)
            (probe / "url").write_text(desk.url)
            text = _RESOURCES.format(
                desk=name, port=desk.port, url=desk.url, machine=_MACHINE, uid=UIDS[name]
            )
            metered = self._meter if name == DESKS[0] else ""
            text += _METER.format(machine=_MACHINE, meter=metered) if metered else ""
            (self.folder / f"{name}.yaml").write_text(text)
        python = f"PYTHONPATH={shlex.quote(str(TESTS))} exec {shlex.quote(sys.executable)}"
        self._server.program("meter-python", f'{python} "$@"')
        variable = f"FAKE_PROBES={shlex.quote(str(self.probes))}"
        self._server.program("pyocd", f'{variable} {python} -m fakes.fake_pyocd "$@"')

    def _run(
        self, program: str, words: Sequence[str], ready: str, name: str
    ) -> subprocess.Popen[bytes]:
        log = self.folder / f"{name}.log"
        with log.open("wb") as said:
            child = subprocess.Popen(
                [str(self._bin / f"labgrid-{program}"), *words],
                cwd=self.folder / "coordinator",
                env={**os.environ, **self.surroundings, "PYTHONUNBUFFERED": "1"},
                stdout=said,
                stderr=said,
                preexec_fn=ends_with_parent(),
            )
        _await_text(log, ready, child)
        return child


def _end(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    try:
        child.wait(5)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _await_text(log: Path, wanted: str, child: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _SECONDS
    while wanted not in log.read_text(errors="replace"):
        if child.poll() is not None or time.monotonic() > deadline:
            raise AssertionError(log.read_text(errors="replace"))
        time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main(folder: Path) -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder.mkdir(parents=True)
    write_flash_twin(folder)
    lab = EmulatedLab(
        folder,
        python=os.environ["DEPLOYER_LABGRID"],
        sshd=str(shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")),
        ssh=str(shutil.which("ssh")),
        command=twin_of("qemu-mps2-an500"),
    )
    with lab, contextlib.suppress(KeyboardInterrupt):
        print("in another shell:")
        for name, value in lab.surroundings.items():
            print(f"  export {name}={shlex.quote(value)}")
        print(f"  deployer lab list --board-dir {folder}", flush=True)
        while True:
            time.sleep(60)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
