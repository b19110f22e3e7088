"""A file of costs fitted to one board, in place of the guesses of its board file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from deployer.board.keys import check_keys
from deployer.board.model import Costs
from deployer.board.timing import COSTS, costs_of, fraction_of
from deployer.errors import UsageError
from deployer.timing.machine import Machine

SCHEMA = 1
_KEYS = ("schema", "board", *COSTS, "error")


@dataclass(frozen=True)
class Fitted:
    """``error``: of what they were fitted to, a share of 1."""

    board: str
    costs: Costs
    error: float


def costs_text(fitted: Fitted, note: str = "") -> str:
    """The file's text; ``note`` says what was fitted to."""
    lines = [f"# {line}" for line in note.splitlines()]
    lines += [f"schema = {SCHEMA}", f'board = "{fitted.board}"']
    lines += [f"{name} = {getattr(fitted.costs, name):.3f}" for name in COSTS]
    return "\n".join([*lines, f"error = {fitted.error:.4f}", ""])


def load_costs(path: Path) -> Fitted:
    """What ``costs_text`` wrote. Raises UsageError naming the file."""
    try:
        table = tomllib.loads(path.read_text())
        check_keys(table, _KEYS, "a file of costs")
        if table["schema"] != SCHEMA:
            raise UsageError(f"costs of schema {table['schema']}, this version reads {SCHEMA}")
        where = "a file of costs"
        return Fitted(table["board"], costs_of(table, where), fraction_of(table, "error", where))
    except OSError as error:
        raise UsageError(f"cannot read {path}", why=[error.strerror or str(error)]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"not TOML: {path}", why=[str(error)]) from None
    except KeyError as error:
        raise UsageError(f"{path} lacks the key {error}") from None
    except UsageError as error:
        raise UsageError(f"{path}: {error.what}", why=error.why, hints=error.hints) from None


def machine_with(machine: Machine, path: Path) -> Machine:
    """The machine with costs and error of the file. Raises UsageError for another board's."""
    fitted = load_costs(path)
    if fitted.board != machine.name:
        raise UsageError(f"{path} holds the costs of {fitted.board}, not of {machine.name}")
    return replace(machine, costs=fitted.costs, error=fitted.error, source=path.name)
