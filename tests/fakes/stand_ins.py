"""Puts what a runner's module states as STAND_IN in place of its tools and hardware."""

from __future__ import annotations

import importlib
import inspect
import socketserver
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from deployer.bundle import Bundle
from deployer_hil.runner import BUILTIN, Runner, create
from deployer_hil.stand_in import StandIn
from fakes import fake_gapy, fake_loader
from fakes.bundles import make_bundle, resealed

TOY = "toy"  # the board of fakes.bundles, whose twin is toy-twin
_PROGRAM = """#!/bin/sh
# Starts the image: the last argument that is a program, alone or behind an equals sign.
for part; do
    file="${part#*=}"
    if test -f "$file" && test -x "$file"; then image="$file"; fi
done
exec "$image"
"""
# an ssh whose other side is this machine: the command is its last argument
_SSH = """#!/bin/sh
for command; do :; done
exec /bin/sh -c "$command"
"""
_SPECIAL = {
    "gapy": f"#!{sys.executable} -SE\n{Path(fake_gapy.__file__).read_text()}",
    "ssh": _SSH,
}


def stand_in_of(name: str) -> StandIn:
    """What the module of runner ``name`` states; fails where it states nothing."""
    module = _module(name)
    found = getattr(module, "STAND_IN", None)
    if not isinstance(found, StandIn):
        pytest.fail(f"{module.__name__} states no STAND_IN for the runner contract: hil/README.md")
    return found


def stand_in_bundle(name: str, folder: Path) -> Bundle:
    """A bundle that runner ``name`` takes, its image the fake device."""
    given = stand_in_of(name)
    target = {"target": TOY} if given.own_image else {}
    made = make_bundle(folder / name, runners={name: dict(given.board)}, **target)
    with made.firmware.open("ab") as image:
        image.write(given.image)
    return resealed(made)


def stand_in_runner(
    name: str, bundle: Bundle, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Runner:
    """The runner ``name`` for ``bundle``, with stand-ins in ``folder`` for all that it needs."""
    given = stand_in_of(name)
    if given.package:
        pytest.importorskip(given.package)
    for program in given.programs:
        _write(folder / "bin" / program, _SPECIAL.get(program, _PROGRAM))
    monkeypatch.setenv("PATH", f"{folder / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("FAKE_GAPY_LOG", str(folder / "log"))
    for tool in ("DEPLOYER_GAPY", "DEPLOYER_GVSOC"):
        monkeypatch.delenv(tool, raising=False)
    if given.located_by:
        program = _write(folder / "program", _PROGRAM)
        monkeypatch.setattr(_module(name), given.located_by, lambda: program)
    return create(name, bundle, **_loader(name, bundle), **_listening(given, bundle))


def _module(name: str) -> ModuleType:
    return importlib.import_module(BUILTIN[name].partition(":")[0])


def _loader(name: str, bundle: Bundle) -> dict[str, Any]:
    takes = inspect.signature(_module(name).create).parameters
    return {"loader": fake_loader.device(bundle)} if "loader" in takes else {}


def _listening(given: StandIn, bundle: Bundle) -> dict[str, str]:
    return {"tcp": f"127.0.0.1:{_port_of(bundle.firmware)}"} if given.listens else {}


@cache
def _port_of(image: Path) -> int:
    """A port of the loopback where every client gets an ``image`` of its own, freshly started."""

    class Client(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with subprocess.Popen([image], stdin=self.request, stdout=self.request):
                pass

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Client)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return int(server.server_address[1])


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path
