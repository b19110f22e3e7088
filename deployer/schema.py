"""A table that somebody wrote by hand: reading it, rules for what it may hold, and errors that name
the key."""

from __future__ import annotations

import difflib
import json
import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from deployer.errors import UsageError
from deployer.units import parse_size

_MAX_FILE_BYTES = 1 << 20
_MAX_CHARACTERS = 60  # characters of a value


@dataclass(frozen=True)
class Rule:
    """One value: ``holds`` decides, ``permitted`` tells what it takes."""

    permitted: str
    holds: Callable[[Any], bool]

    def check(self, value: Any, where: str) -> None:
        if not self.holds(value):
            raise refusal(where, value, self.permitted)


@dataclass(frozen=True)
class Each:
    """A list of at least ``least`` values of one rule."""

    rule: Check
    least: int = 0

    def check(self, value: Any, where: str) -> None:
        if not isinstance(value, list | tuple) or len(value) < self.least:
            raise refusal(where, value, f"a list of {self.least} or more")
        for index, item in enumerate(value):
            self.rule.check(item, f"{where}[{index}]")


@dataclass(frozen=True)
class Either:
    """A list, or a text alone."""

    alone: Rule
    listed: Each

    def check(self, value: Any, where: str) -> None:
        (self.listed if isinstance(value, list) else self.alone).check(value, where)


@dataclass(frozen=True)
class OrNull:
    """A value that may be absent: JSON's null."""

    rule: Check

    def check(self, value: Any, where: str) -> None:
        if value is not None:
            self.rule.check(value, where)


@dataclass(frozen=True)
class Named:
    """A table whose keys are the user's own."""

    rule: Check
    key: Rule | None = None

    def check(self, value: Any, where: str) -> None:
        if not isinstance(value, Mapping):
            raise refusal(where, value, "a table")
        for name, item in value.items():
            if self.key is not None and not self.key.holds(name):
                raise refusal(f"{where}: the name", name, self.key.permitted)
            self.rule.check(item, f"{where}.{name}")


@dataclass(frozen=True)
class Table:
    """A table with ``needed`` keys and ``optional`` ones. ``open``: others are nobody's concern."""

    needed: Mapping[str, Check]
    optional: Mapping[str, Check]
    open: bool = False

    def check(self, value: Any, where: str) -> None:
        if not isinstance(value, Mapping):
            raise refusal(where, value, "a table")
        if not self.open:
            check_keys(value, [*self.needed, *self.optional], where)
        for name in self.needed:
            if name not in value:
                raise UsageError(f"it lacks the key {_joined(where, name)!r}")
        for name, rule in {**self.needed, **self.optional}.items():
            if name in value:
                rule.check(value[name], _joined(where, name))


Check = Rule | Each | Either | OrNull | Named | Table


def check_keys(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Raise UsageError naming the nearest known key for one that is not."""
    known = list(known)
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hints = [f"did you mean {near[0]!r}?"] if near else [f"known: {', '.join(known)}"]
            raise UsageError(
                f"unknown key {key!r}" + (f" in {where}" if where else ""), hints=hints
            )


def refusal(where: str, value: Any, permitted: str) -> UsageError:
    """The error for a value that a key does not take."""
    return UsageError(f"{where} is {shown(value)}", hints=[f"permitted: {permitted}"])


def either(numbers: Iterable[int]) -> str:
    """Numbers that are taken, as people list them."""
    return " or ".join(f"{number:,}" for number in numbers)


def shown(value: Any) -> str:
    """A value as people write it, in few characters."""
    try:
        text = json.dumps(value, ensure_ascii=True)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}…"


def text(pattern: str = r".*", permitted: str = "a text", *, most: int = 10_000) -> Rule:
    whole = re.compile(pattern, re.DOTALL)
    return Rule(
        permitted,
        lambda v: isinstance(v, str) and len(v) <= most and whole.fullmatch(v) is not None,
    )


def one_of(names: Sequence[str]) -> Rule:
    return Rule(
        f"one of {', '.join(name or '(nothing)' for name in names)}",
        lambda v: isinstance(v, str) and v in names,
    )


def integer(low: int, high: int, unit: str = "") -> Rule:
    behind = f" ({unit})" if unit else ""
    return Rule(
        f"an integer from {low:,} to {high:,}{behind}",
        lambda v: isinstance(v, int) and not isinstance(v, bool) and low <= v <= high,
    )


def number(low: float, high: float, *, above: bool = False) -> Rule:
    """``above``: more than ``low``, which itself is not permitted."""
    return Rule(
        f"a number {'above' if above else 'from'} {low:g} to {high:g}",
        lambda v: (
            isinstance(v, int | float)
            and not isinstance(v, bool)
            and math.isfinite(v)
            and low <= v <= high
            and not (above and v == low)
        ),
    )


def size(low: int, high: int) -> Rule:
    """Bytes with a unit."""
    return Rule(
        f"bytes with a unit, {low:,} B to {high:,} B: 512B, 64KiB, 2MiB",
        lambda v: _size_in(v, low, high),
    )


def _size_in(value: Any, low: int, high: int) -> bool:
    if not isinstance(value, str) or len(value) > 20:
        return False
    try:
        return low <= parse_size(value) <= high
    except UsageError:
        return False


ANY = Rule("anything", lambda v: True)
BOOL = Rule("true or false", lambda v: isinstance(v, bool))


def _joined(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


@lru_cache
def _parsed(text: str) -> dict[str, Any]:
    """A process that runs many jobs reads the same files for each."""
    return tomllib.loads(text)


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of ``path``. Raises UsageError naming the file and what is wrong with it."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}", why=[error.strerror or str(error)]) from None
    if len(data) > _MAX_FILE_BYTES:
        raise UsageError(f"{path} has {len(data):,} bytes", why=[f"{_MAX_FILE_BYTES:,} are read"])
    try:
        return deepcopy(_parsed(data.decode()))
    except UnicodeDecodeError as error:
        why = f"byte {error.start} is not UTF-8"
        raise UsageError(f"not TOML: {path}", why=[why], hints=["save it as UTF-8"]) from None
    except RecursionError:
        raise UsageError(f"not TOML: {path}", why=["it is nested too deeply"]) from None
    except ValueError as error:
        raise UsageError(f"not TOML: {path}", why=[str(error)]) from None
