"""Allocation tables: CSV with the columns ``id,lower,upper,size,offset`` and maybe ``memory``."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from io import StringIO
from typing import NamedTuple

from deployer.errors import UsageError
from deployer.ir import Buffer

_REQUIRED = ("id", "lower", "upper", "size")
_OPTIONAL = ("offset", "memory")
_MAX_DIGITS = 18


@dataclass(frozen=True)
class Row:
    """A buffer with its place, as far as that is known."""

    buffer: Buffer
    offset: int | None = None
    memory: str = ""


def write_rows(rows: Iterable[Row], *, memory: bool) -> str:
    """The table; with ``memory`` as the last column if wanted."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_REQUIRED, "offset", *(["memory"] if memory else [])])
    for row in rows:
        b, offset = row.buffer, "" if row.offset is None else row.offset
        writer.writerow([b.id, b.lower, b.upper, b.size, offset, *([row.memory] if memory else [])])
    return out.getvalue()


def read_rows(text: str) -> tuple[Row, ...]:
    """The rows of a table. Raises UsageError naming the line."""
    reader = csv.reader(StringIO(text))
    try:
        header = [name.strip() for name in next(reader, [])]
        _check_header(tuple(header))
        columns = _Columns(len(header), *(_column(header, name) for name in _REQUIRED + _OPTIONAL))
        rows = tuple([_row(fields, columns, reader.line_num) for fields in reader if fields])
    except csv.Error as error:
        what = f"allocation table, line {reader.line_num}: {error}"
        raise UsageError(what, hints=["a table of text, as deployer writes it"]) from None
    names = Counter(row.buffer.id for row in rows)
    if twice := sorted(name for name, count in names.items() if count > 1):
        raise UsageError(f"allocation table: id twice: {', '.join(twice)}")
    return rows


def is_instance(text: str) -> bool:
    """Whether the first line names the columns of a table."""
    try:
        header = next(csv.reader(StringIO(text.partition("\n")[0])), [])
    except csv.Error:
        return False
    return set(_REQUIRED) <= {name.strip() for name in header}


class _Columns(NamedTuple):
    """Where each column is; -1 where an optional one is not."""

    width: int
    id: int
    lower: int
    upper: int
    size: int
    offset: int
    memory: int


def _column(header: list[str], name: str) -> int:
    return header.index(name) if name in header else -1


def _check_header(found: tuple[str, ...]) -> None:
    missing = [name for name in _REQUIRED if name not in found]
    unknown = [name for name in found if name not in _REQUIRED + _OPTIONAL]
    if missing or unknown or len(set(found)) < len(found):
        raise UsageError(
            f"allocation table: columns {','.join(found) or '(none)'}",
            hints=["the columns are id,lower,upper,size,offset and, with several memories, memory"],
        )


def _row(fields: list[str], columns: _Columns, line: int) -> Row:
    if len(fields) != columns.width:
        raise UsageError(f"allocation table, line {line}: not as many fields as columns")
    lower = _number(fields[columns.lower], "lower", line)
    upper = _number(fields[columns.upper], "upper", line)
    size = _number(fields[columns.size], "size", line)
    if lower >= upper:
        raise UsageError(f"allocation table, line {line}: lower {lower} is not below upper {upper}")
    buffer = Buffer(fields[columns.id].strip(), lower, upper, size)
    if columns.offset < 0 and columns.memory < 0:
        return Row(buffer)
    place = fields[columns.offset].strip() if columns.offset >= 0 else ""
    offset = _number(place, "offset", line) if place else None
    return Row(buffer, offset, fields[columns.memory].strip() if columns.memory >= 0 else "")


def _number(text: str, key: str, line: int) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        raise UsageError(
            f"allocation table, line {line}: {key} is {text[: 2 * _MAX_DIGITS]!r}",
            hints=[f"a whole number from 0 up, of at most {_MAX_DIGITS} digits"],
        )
    return int(text)
