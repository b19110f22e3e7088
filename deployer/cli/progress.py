"""Progress and notices on standard error, so that standard output holds results only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from deployer.printed import printed

_PLAN = "plan"


class ProgressView:
    """One bar a step. On a terminal it is drawn by rich; elsewhere each step is a line."""

    def __init__(self, bars: Any):
        self._bars = bars
        self._tasks: dict[str, Any] = {}

    def update(self, label: str, done: int, total: int) -> None:
        if self._bars is None:
            if done >= total and label not in self._tasks:
                self._tasks[label] = True
                click.echo(f"{label}: done", err=True)
            return
        if label not in self._tasks:
            self._tasks[label] = self._bars.add_task(label, total=total)
        self._bars.update(self._tasks[label], completed=done, total=total)

    def searching(self, what: str) -> None:
        """What the planner is at: on a terminal alone, a line that is written anew."""
        if self._bars is None:
            return
        if _PLAN not in self._tasks:
            self._tasks[_PLAN] = self._bars.add_task(_PLAN, total=None)
        self._bars.update(self._tasks[_PLAN], description=f"{_PLAN}: {printed(what)}", advance=1)

    def notice(self, text: str) -> None:
        """A line the user should read, above the bars."""
        text, loud = printed(text), text.startswith("WARNING")
        if self._bars is None:
            click.secho(text, err=True, fg="yellow" if loud else None, bold=loud)
            return
        self._bars.console.print(text, style="bold yellow" if loud else "dim", markup=False)


class Silent(ProgressView):
    """Of a process whose standard error nobody reads."""

    def __init__(self) -> None:
        super().__init__(None)

    def update(self, label: str, done: int, total: int) -> None: ...

    def searching(self, what: str) -> None: ...

    def notice(self, text: str) -> None: ...


@contextmanager
def progress_view() -> Iterator[ProgressView]:
    """Bars while the block runs, when standard error is a terminal."""
    if not sys.stderr.isatty():
        yield ProgressView(None)
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TimeElapsedColumn,
    )

    columns: tuple[str | ProgressColumn, ...] = (
        "{task.description:12}",
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bars:
        yield ProgressView(bars)
