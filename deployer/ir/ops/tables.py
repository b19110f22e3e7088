"""Tables of the stages: one entry for each operator, or a reason to have none.

A stage states its behaviour in a table of its own. Each is checked against the registry when its
module is imported, so that an operator that a stage forgot is an error before anything runs.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from deployer.ir.ops.registry import OPS

Entry = TypeVar("Entry")
_collected: ContextVar[list[str] | None] = ContextVar("collected", default=None)


class IncompleteTable(Exception):
    """Tables of stages say nothing of an operator of the registry: a bug, all named at once."""


def operator_table(
    stage: str, entries: Mapping[str, Entry], *, without: Collection[str] = ()
) -> Mapping[str, Entry]:
    """``entries`` of ``stage`` by operator, checked to be complete.

    ``without``: operators that the stage never meets. Raises IncompleteTable when an operator of
    the registry is in neither or in both, or a name is no operator; the error names what the tables
    of all other stages lack, too.
    """
    faults = list(_faults(stage, entries, without))
    collected = _collected.get()
    if collected is not None:
        collected += faults
    elif faults:
        raise IncompleteTable("\n".join(dict.fromkeys([*faults, *_missing_everywhere()])))
    return MappingProxyType(dict(entries))


def _faults(stage: str, entries: Collection[str], without: Collection[str]) -> Iterator[str]:
    for op in OPS:
        if op not in entries and op not in without:
            yield f"{op}: no entry in the table of the {stage}"
        elif op in entries and op in without:
            yield f"{op}: an entry in the table of the {stage}, which is said to need none"
    for name in {*entries, *without} - set(OPS):
        yield f"{name}: no operator, but in the table of the {stage}"


def missing() -> tuple[str, ...]:
    """What the tables of all stages lack, a line each; none when every operator is complete.

    Imports the modules of the package that state a table, but those that need an extra that is not
    installed. Where something is missing those modules are of no further use: a process of its own
    is the place to ask.
    """
    found: list[str] = []
    token = _collected.set(found)
    try:
        for name in _modules():
            with suppress(ImportError):
                import_module(name)
    finally:
        _collected.reset(token)
    return tuple(dict.fromkeys(found))


def _missing_everywhere() -> list[str]:
    """``missing`` of a process that has imported no stage yet."""
    code = f"import sys; sys.path[:] = {sys.path!r}\nfrom {__package__} import missing\n"
    code += "print('\\n'.join(missing()))"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    return found.stdout.splitlines()


def _modules() -> Iterator[str]:
    """Modules that call ``operator_table``."""
    root = Path(__file__).parents[2]
    for path in sorted(root.rglob("*.py")):
        if path != Path(__file__) and "operator_table(" in path.read_text(encoding="utf-8"):
            yield ".".join((root.name, *path.relative_to(root).with_suffix("").parts))
