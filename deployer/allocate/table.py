"""Allocation tables: CSV with the columns ``id,lower,upper,size,offset`` and maybe ``memory``."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import StringIO

from deployer.errors import UsageError
from deployer.ir.plan import Buffer

_REQUIRED = ("id", "lower", "upper", "size")
_OPTIONAL = ("offset", "memory")


@dataclass(frozen=True)
class Row:
    """A buffer with its place, as far as that is known."""

    buffer: Buffer
    offset: int | None = None
    memory: str = ""


def write_rows(rows: Iterable[Row], *, memory: bool) -> str:
    """The table; with ``memory`` as the last column if asked for."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_REQUIRED, "offset", *(["memory"] if memory else [])])
    for row in rows:
        b, offset = row.buffer, "" if row.offset is None else row.offset
        writer.writerow([b.id, b.lower, b.upper, b.size, offset, *([row.memory] if memory else [])])
    return out.getvalue()


def read_rows(text: str) -> tuple[Row, ...]:
    """The rows of a table. Raises UsageError naming the line."""
    reader = csv.DictReader(StringIO(text))
    _check_header(tuple(reader.fieldnames or ()))
    rows = tuple(_row(entry, reader.line_num) for entry in reader)
    ids = [row.buffer.id for row in rows]
    if twice := sorted({name for name in ids if ids.count(name) > 1}):
        raise UsageError(f"allocation table: id twice: {', '.join(twice)}")
    return rows


def _check_header(found: tuple[str, ...]) -> None:
    missing = [name for name in _REQUIRED if name not in found]
    unknown = [name for name in found if name not in _REQUIRED + _OPTIONAL]
    if missing or unknown:
        raise UsageError(
            f"allocation table: columns {','.join(found) or '(none)'}",
            hints=["the columns are id,lower,upper,size,offset and, with several memories, memory"],
        )


def _row(entry: Mapping[str | None, str | None], line: int) -> Row:
    if None in entry or None in entry.values():
        raise UsageError(f"allocation table, line {line}: not as many fields as columns")
    fields = {str(key): str(text).strip() for key, text in entry.items()}
    lower, upper, size = (_number(fields, key, line) for key in ("lower", "upper", "size"))
    if lower >= upper:
        raise UsageError(f"allocation table, line {line}: lower {lower} is not below upper {upper}")
    offset = _number(fields, "offset", line) if fields.get("offset") else None
    return Row(Buffer(fields["id"], lower, upper, size), offset, fields.get("memory", ""))


def _number(fields: Mapping[str, str], key: str, line: int) -> int:
    text = fields[key]
    if not (text.isascii() and text.isdigit()):
        raise UsageError(
            f"allocation table, line {line}: {key} is {text!r}", hints=["a whole number from 0 up"]
        )
    return int(text)
