"""The lab file: ``lab.toml``, a table ``[bench.NAME]`` for each bench."""

from __future__ import annotations

import inspect
import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deployer.errors import UsageError, near_hints
from deployer.schema import Each, Named, Rule, Table, integer, one_of, read_toml, text
from deployer_hil import runner
from deployer_hil.energy.meter import RECORDING, meter_names
from deployer_hil.lab.bench import Bench, Lab, Power
from deployer_hil.places.labgrid import Labgrid, Place

VARIABLE, USUAL = "DEPLOYER_LAB", "lab.toml"
SCHEMA = 1
_ANSWERED = {"serial": "port"}  # keys that the runner calls otherwise
_REACHED = ("probe", "serial", "baud", "host", "tcp")  # keys for the runner


def _is_place(value: Any) -> bool:
    if isinstance(value, str):
        return bool(re.fullmatch(r"[^\s/]{1,200}", value))
    return isinstance(value, dict) and bool(value) and all(map(_is_tag, value, value.values()))


def _is_tag(key: str, value: Any) -> bool:
    return isinstance(value, str) and bool(_TAG.fullmatch(key) and value)


_PLACE = Rule("the name of a place, or a table of tags, each a text", _is_place)
_SECONDS = Rule(
    "seconds, 0 or more",
    lambda v: isinstance(v, int | float) and not isinstance(v, bool) and 0 <= v < 1e6,
)
_LABGRID = Table(
    {},
    {
        "python": text(r".+", "a path", most=1000),
        "coordinator": text(r"[^\s/]+", "HOST:PORT", most=200),
        "wait": _SECONDS,
    },
)
_OPTION = Rule("a text, an integer, true or false", lambda v: isinstance(v, str | int | bool))
_METER = Rule(
    "a meter as deployer bench energy takes it, such as joulescope:SERIAL",
    lambda v: isinstance(v, str) and len(v) <= 200 and _is_live(v.partition(":")[0]),
)
_EMULATED = ("host", "qemu_user", "qemu_system", "gap8_sim", "gvsoc", "pulp_open", "register_model")
_SET = ("model", "progress", "held", "place")  # options of a runner that no file states
_PLACED = ("pyocd", "ssh")  # runners that find what they need at a place of labgrid
_AT_A_PLACE = ("probe", "serial", "host", "tcp", "power")  # keys that the place itself says
_TAG = re.compile(r"[a-z][a-z0-9_]+")


def find_lab(given: Path | None) -> Path:
    """``given``, else $DEPLOYER_LAB, else lab.toml of the working folder. Raises UsageError where
    none of them is named or there."""
    found = given or named()
    if found:
        return found
    raise UsageError(
        "there is no lab file",
        why=[f"looked for: --lab, ${VARIABLE}, {USUAL} in this folder"],
        hints=["write one: docs/lab.md"],
    )


def named() -> Path | None:
    """The lab file that the surroundings name, None where there is none."""
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE])
    return Path(USUAL) if Path(USUAL).is_file() else None


def read_lab(path: Path) -> Lab:
    """The lab that ``path`` states. Raises UsageError naming the file and the key."""
    table = read_toml(path)
    try:
        _rules().check(table, "")
        labgrid = _labgrid(table.get("labgrid", {}), path.parent)
        benches = (_bench(name, each, labgrid) for name, each in table["bench"].items())
        return Lab(path, tuple(benches))
    except UsageError as error:
        raise UsageError(f"{path}: {error.what}", why=error.why, hints=error.hints) from None


def _rules() -> Table:
    benches = Named(_bench_rules(), _name("a name: letters, digits and ._-, 64 at most"))
    return Table({"bench": benches}, {"schema": integer(SCHEMA, SCHEMA), "labgrid": _LABGRID})


def _bench_rules() -> Table:
    command = Rule("a command, quoted as for a shell", _is_command)
    word = text(r"\S+", "a text without blanks", most=200)
    return Table(
        {"board": _name("the name of a board"), "runner": one_of(runner.names())},
        {
            "probe": word,
            "serial": word,
            "baud": integer(300, 10_000_000, "bits a second"),
            "host": text(r"[^-\s]\S*", "a host as ssh takes it: pi@raspberrypi", most=200),
            "tcp": text(r"\S+:\d{1,5}", "HOST:PORT", most=200),
            "options": Named(_OPTION),
            "meter": _METER,
            "trigger": word,
            "power": Table({"on": command, "off": command}, {}),
            "labgrid": _PLACE,
            "tags": Each(_name("a word")),
        },
    )


def _name(permitted: str) -> Rule:
    return text(r"[A-Za-z0-9][A-Za-z0-9._-]*", permitted, most=64)


def _is_live(meter: str) -> bool:
    return meter in meter_names() and meter != RECORDING


def _is_command(value: Any) -> bool:
    return isinstance(value, str) and bool(_words(value))


def _words(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError:  # a quotation that does not end
        return ()


def _labgrid(table: Mapping[str, Any], folder: Path) -> Labgrid:
    python = table.get("python", "")
    return Labgrid(**{**table, "python": str(folder.absolute() / python) if python else ""})


def _bench(name: str, table: Mapping[str, Any], labgrid: Labgrid) -> Bench:
    _check_taken(name, table)
    switch = table.get("power")
    power = Power(_words(switch["on"]), _words(switch["off"])) if switch else None
    tags = tuple(table.get("tags", ()))
    place = _place(name, table, labgrid) if "labgrid" in table else None
    return Bench(**{**table, "name": name, "power": power, "tags": tags, "labgrid": place})


def _place(name: str, table: Mapping[str, Any], labgrid: Labgrid) -> Place:
    """Raises UsageError for a runner without a use for it, and for keys that it makes double."""
    if table["runner"] not in _PLACED:
        hints = [f"runners that do: {', '.join(_PLACED)}"]
        what = f"bench.{name}: runner {table['runner']} takes no board from labgrid"
        raise UsageError(what, hints=hints)
    double = [key for key in _AT_A_PLACE if key in table]
    if double:
        raise UsageError(f"bench.{name}.{double[0]}: the place of labgrid has its own")
    wanted = table["labgrid"]
    if isinstance(wanted, str):
        return Place(wanted, labgrid=labgrid)
    return Place(tags=dict(wanted), labgrid=labgrid)


def _check_taken(name: str, table: Mapping[str, Any]) -> None:
    """A key that the runner has no use for would mislead who reads the file."""
    where, chosen = f"bench.{name}", table["runner"]
    takes = [key for key in inspect.signature(runner.find(chosen)).parameters if key != "bundle"]
    for key in (key for key in _REACHED if key in table):
        if _ANSWERED.get(key, key) not in takes:
            raise UsageError(f"{where}.{key} is not for runner {chosen}")
    if "meter" in table and chosen in _EMULATED:
        raise UsageError(f"{where}.meter is not for runner {chosen}: an emulator has no energy")
    own = [key for key in takes if key not in {*_SET, *(_ANSWERED.get(k, k) for k in _REACHED)}]
    for key in table.get("options", {}):
        if key not in own:
            what = f"{where}.options: runner {chosen} has no option {key!r}"
            raise UsageError(what, hints=near_hints(key, own))
