"""An OpenOCD that is not there, and a GAPuino behind it: gap8_sim on a PTY.

``install`` writes a program that understands the few commands of jtag_boot.tcl. What it is told to
start it asks of ``Gapuino``, which lives in the test's process and holds the console.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import tty
from pathlib import Path
from typing import Any, Self

from deployer.simulator.gap8 import simulator
from deployer_hil.process import end, spawn
from fakes import terminals

SCRIPTS = ("interface/ftdi/gapuino_ftdi.cfg", "target/gap8revb.tcl", "tcl/jtag_boot.tcl")

_PROGRAM = """#!{python} -SE
import json, re, shutil, socket, subprocess, sys, time

BOARD, LOG, TROUBLE, L2 = {board!r}, {log!r}, {trouble!r}, {l2!r}

def fail(text):
    sys.exit("Error: " + text)

def start(entry):
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(BOARD)
        line.sendall(json.dumps([L2, entry]).encode() + b"\\n")
        line.recv(1)

def carry_out(steps):
    halted = loaded = entry = None
    for step in (step.strip() for step in steps.split(";")):
        verb, *words = step.split(maxsplit=1)
        text = words[0] if words else ""
        if verb == "halt":
            halted = True
        elif verb == "load_image" and halted:
            name, base, kind = re.fullmatch(r"\\{{(.*)\\}} (\\S+) (\\S+)", text).groups()
            loaded = (base, kind) == ("0x0", "elf") or fail("what image?")
            shutil.copyfile(name, L2)
        elif verb == "mww" and loaded:
            address, value = (int(word, 0) for word in text.split())
            entry = value if address == 0x1B302000 else fail("write to " + hex(address))
        elif verb == "resume" and entry:
            start(entry)
        elif verb == "echo":
            print(text.strip("{{}}"), file=sys.stderr)
        elif verb == "shutdown":
            sys.exit(0)
        else:
            fail("in this state: " + step)

if sys.argv[1:] == ["--version"]:
    sys.exit(print("Open On-Chip Debugger 0.0 (fake)", file=sys.stderr))
with open(LOG, "a") as log:
    log.write(json.dumps(sys.argv[1:]) + "\\n")
options = list(zip(sys.argv[1::2], sys.argv[2::2]))
for option, script in options:
    if option == "-f":
        open(script).close()
with open(TROUBLE) as file:
    trouble = json.load(file)
if "hang" in trouble:
    subprocess.Popen(["sleep", trouble["hang"]])
    time.sleep(600)
print("Info : clock speed 1500 kHz", *trouble.get("says", []), sep="\\n", file=sys.stderr)
if "status" in trouble:
    sys.exit(trouble["status"])
carry_out(options[-1][1])
"""


class FakeOpenocd:
    """The program in ``root``/bin, its scripts where gap_sdk installs them."""

    def __init__(self, root: Path, *, name: str = "gap8-openocd", board: str = ""):
        self.program = root / "bin" / name
        self.scripts = root / "share/openocd/scripts"
        self._log, self._trouble = root / "log", root / "trouble"
        for path in (self.program, *(self.scripts / script for script in SCRIPTS)):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")
        files = {"log": self._log, "trouble": self._trouble, "l2": root / "l2.elf"}
        texts = {key: str(path) for key, path in files.items()}
        self.program.write_text(_PROGRAM.format(python=sys.executable, board=board, **texts))
        self.program.chmod(0o755)
        self.has()

    def has(self, **trouble: Any) -> None:
        """``says`` (lines), ``status`` (ends without loading), ``hang`` (never ends; what its
        child is given to ``sleep``)."""
        self._trouble.write_text(json.dumps(trouble))

    @property
    def calls(self) -> list[list[str]]:
        """The arguments of every run."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        return [json.loads(line) for line in lines]


class Gapuino:
    """A context manager. ``port`` is its console, ``address`` where OpenOCD reaches it; ``deaf``:
    what is started next does not start, the earlier image runs on."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.address = str(Path(self._folder.name) / "jtag")
        self.entries: list[int] = []
        self.deaf = False
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._master, self._slave = terminals.pair()
        tty.setraw(self._slave)
        self.port = os.ttyname(self._slave)
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(self.address)
        self._server.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *trouble: object) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._thread.join(10)
        self._server.close()
        self._stop()
        os.close(self._master)
        os.close(self._slave)
        self._folder.cleanup()

    def _serve(self) -> None:
        while True:
            try:
                line, _ = self._server.accept()
            except OSError:  # closed: the board is put away
                return
            with line:
                elf, entry = json.loads(line.makefile().readline())
                self.entries.append(entry)
                if not self.deaf:
                    self._run(elf)
                line.sendall(b"!")

    def _run(self, elf: str) -> None:
        self._stop()
        console = self._master
        command = [str(simulator()), elf]
        self._child = spawn(command, stdin=console, stdout=console, stderr=subprocess.DEVNULL)

    def _stop(self) -> None:
        if self._child is not None:
            end(self._child)
        self._child = None
