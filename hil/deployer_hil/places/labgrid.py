"""labgrid's environment, and the plug-in that runs in it: starting it, asking it.

labgrid replaces pyserial, so that it has an environment of its own and is never imported here.
"""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deployer.errors import BenchError, UsageError
from deployer_hil.locks import BenchHeld, Elsewhere
from deployer_hil.process import output_of

PYTHON, COORDINATOR = "DEPLOYER_LABGRID", "LG_COORDINATOR"
_USUAL = "127.0.0.1:20408"
_PLUGIN = "deployer_labgrid"
_LIST_SECONDS = 30.0
_ASK_SECONDS = 180.0  # to program a large flash on a machine elsewhere
_MOST_BYTES = 1 << 20  # of an answer
_LINES = 4  # of what a process said last
_NAMED = (f"name its bin/python: ${PYTHON}, or python under [labgrid] of the lab file",)


@dataclass(frozen=True)
class Labgrid:
    """What a lab file says of its labgrid; "" is left to the surroundings: ``python``, the
    interpreter of its environment, to $DEPLOYER_LABGRID, ``coordinator``, HOST:PORT, to
    $LG_COORDINATOR. ``wait``: seconds that a place is waited for."""

    python: str = ""
    coordinator: str = ""
    wait: float = 0.0

    @property
    def address(self) -> str:
        return self.coordinator or os.environ.get(COORDINATOR) or _USUAL

    def command(self, *words: str) -> list[str]:
        """Of the plug-in. Raises UsageError where no environment is named, or there is none."""
        python = self.python or os.environ.get(PYTHON, "")
        if not python:
            raise UsageError(
                "labgrid's environment is not named",
                why=[f"looked for: python under [labgrid] of the lab file, ${PYTHON}"],
                hints=["python3 -m venv labgrid && labgrid/bin/pip install 'labgrid>=26'"],
            )
        if not os.access(python, os.X_OK):
            raise UsageError(f"there is no Python of labgrid at {python}", hints=_NAMED)
        return [python, plugin_folder(), words[0], self.address, *words[1:]]


@dataclass(frozen=True)
class Place:
    """One of labgrid: by ``name``, or whichever has all ``tags``."""

    name: str = ""
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)
    labgrid: Labgrid = Labgrid()

    def __str__(self) -> str:
        told = ", ".join(f"{key}={value}" for key, value in self.tags.items())
        return f"place {self.name}" if self.name else f"a place with {told}"


@dataclass(frozen=True)
class PlaceSeen:
    """``exporters``: machines that have its ``resources``, classes of labgrid. ``missing``: a
    resource that no exporter has. ``acquired``, ``reserved``: by and for whom, HOST/USER, or ""."""

    name: str
    tags: Mapping[str, str]
    exporters: tuple[str, ...]
    resources: tuple[str, ...]
    missing: str
    acquired: str
    reserved: str

    def is_for(self, place: Place) -> bool:
        if place.name:
            return place.name == self.name
        return place.tags.items() <= {**self.tags, "name": self.name}.items()


def seen(labgrid: Labgrid) -> tuple[PlaceSeen, ...]:
    """Every place. Raises BenchError when the coordinator does not answer, UsageError where no
    environment of labgrid is named."""
    status, said = output_of(labgrid.command("places"), folder=Path.cwd(), seconds=_LIST_SECONDS)
    if status is None:
        raise BenchError(f"labgrid takes more than {_LIST_SECONDS:g} s at {labgrid.address}")
    answers = [line for line in said.splitlines() if line.startswith("{")]
    found = _parsed(answers[-1] if answers else "", said, Place())
    return tuple(_place_seen(**each) for each in found["places"])


def _place_seen(exporters: list[str], resources: list[str], **given: Any) -> PlaceSeen:
    return PlaceSeen(exporters=tuple(exporters), resources=tuple(resources), **given)


class Keeper:
    """The process that has ``place`` for us. When this process ends, however it does, that one
    hears it and gives the place back; so it must outlive this one."""

    def __init__(self, place: Place):
        self._place = place
        body = {"place": place.name, "tags": dict(place.tags), "wait": place.labgrid.wait}
        command = place.labgrid.command("hold", json.dumps(body))
        pipe, self._errors = subprocess.PIPE, tempfile.TemporaryFile()  # noqa: SIM115
        self._child = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=self._errors, start_new_session=True
        )
        try:
            self.described = self._told()
        except BaseException:
            self._ended()
            raise

    def close(self) -> None:
        """Give the place back. Raises BenchError where labgrid does not take it."""
        said = self._ended()
        if self._child.returncode:
            raise BenchError(f"{self.described['place']} was not given back to labgrid", why=said)

    def _told(self) -> dict[str, Any]:
        assert self._child.stdout is not None
        line = self._child.stdout.readline().decode(errors="replace")
        said = "" if line.startswith("{") else "\n".join([line, *self._ended()])
        return _parsed(line, said, self._place)

    def _ended(self) -> list[str]:
        """Its last words, once it has ended."""
        if self._errors.closed:
            return []
        try:
            said, _ = self._child.communicate(timeout=_LIST_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            said, _ = self._child.communicate()
        self._errors.seek(0)
        words = said + self._errors.read()
        self._errors.close()
        return words.decode(errors="replace").splitlines()[-_LINES:]


def ask(path: str, **request: Any) -> dict[str, Any]:
    """The answer of the keeper that listens at ``path``. Raises BenchError with what failed."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(_ASK_SECONDS)
            line.connect(path)
            line.sendall(json.dumps(request).encode() + b"\n")
            with line.makefile("rb") as answers:
                said = answers.readline(_MOST_BYTES)
    except OSError as error:
        raise BenchError(
            "the process that holds the place does not answer", why=[str(error)]
        ) from None
    return _parsed(said.decode(), "", Place())


def plugin_folder() -> str:
    """The package for labgrid's environment: a folder, which is not imported here."""
    spec = importlib.util.find_spec(_PLUGIN)
    if spec is None or not spec.submodule_search_locations:
        raise BenchError(
            f"{_PLUGIN} is not beside {sys.executable}", hints=["install deployer anew"]
        )
    return str(next(iter(spec.submodule_search_locations)))


def _parsed(line: str, said: str, place: Place) -> dict[str, Any]:
    """Raises BenchError for an answer that tells one, BenchHeld where another has ``place``."""
    try:
        answer: dict[str, Any] = json.loads(line)
    except ValueError:
        why = said.splitlines()[-_LINES:]
        hints = ["is labgrid 26 or later installed there?", *_NAMED]
        raise BenchError("labgrid's environment does not work", why=why, hints=hints) from None
    if "error" not in answer:
        return answer
    if answer["held"]:
        raise BenchHeld(str(place), Elsewhere(answer["held"]), why=answer["why"])
    raise BenchError(answer["error"], why=answer["why"])
