"""Where tables are printed, and how their columns are set."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from deployer.printed import printed_lines


class Terminal(Console):
    """A console on which names act neither as markup nor on the terminal itself; what a closed
    pipe means it leaves to the caller."""

    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            shown = segment.text if segment.control else printed_lines(segment.text)
            yield segment if shown == segment.text else Segment(shown, segment.style)

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def terminal() -> Console:
    """As wide as the terminal; 120 columns in a file or pipe. Texts are no markup: ``styled``.
    Raises BrokenPipeError when nobody reads it."""
    width = None if sys.stdout.isatty() else 120
    return Terminal(width=width, highlight=False, markup=False, emoji=False)


def styled(text: str, style: str) -> Text:
    return Text(text, style)


def named_columns(*names: str, title: str | None = None) -> Table:
    """Columns of numbers are set flush right; the rest folds rather than being cut."""
    numeric = {"#", "bits", "MACs", "SQNR", "used", "of", "free", "weights", "share", "alive"}
    numeric |= {"arena", "flash", "cycles, estimated", "ms, estimated", "regions"}
    table = Table(title=title, title_justify="left")
    for name in names:
        table.add_column(name, justify="right" if name in numeric else "left", overflow="fold")
    return table
