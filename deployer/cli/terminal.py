"""Where tables are printed."""

from __future__ import annotations

import sys

from rich.console import Console


def terminal() -> Console:
    """As wide as the terminal; 120 columns in a file or pipe."""
    return Console(width=None if sys.stdout.isatty() else 120, highlight=False)
