"""Where tables are printed."""

from __future__ import annotations

import sys

from rich.console import Console


class _Terminal(Console):
    """A console that leaves it to the caller what a closed pipe means."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def terminal() -> Console:
    """As wide as the terminal; 120 columns in a file or pipe. Raises BrokenPipeError when nobody
    reads it."""
    return _Terminal(width=None if sys.stdout.isatty() else 120, highlight=False)
