"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable


def markdown_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """The lines of a table: column names, rule, rows of cells."""
    names = list(head)
    return [_line(names), _line("---" for _ in names), *map(_line, rows)]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
