"""What ``deployer results`` and ``deployer report`` do with a file of results: print, or show."""

from __future__ import annotations

from pathlib import Path

import click

from deployer.cli.terminal import named_columns, terminal
from deployer.files import existing
from deployer.printed import printed
from deployer_hil import Result, Results, json_line

_COLUMNS = (
    "number",
    "time",
    "board",
    "runner",
    "model",
    "exact",
    "count",
    "RAM",
    "flash",
    "commit",
)
_COMMIT_CHARACTERS = 9


def carry_out(path: Path, *, as_json: bool, log: int | None) -> None:
    with Results(existing(path, "file of results")) as results:
        if log is not None:
            click.echo(results.log(log), nl=False)
            return
        rows = list(results.all())
    if as_json:
        for row in rows:
            click.echo(json_line(row))
        return
    table = named_columns(*_COLUMNS)
    for row in rows:
        table.add_row(*_cells(row))
    terminal().print(table)


def _cells(result: Result) -> tuple[str, ...]:
    record = result.record
    memory, made, total = record.memory, record.made, record.total
    return (
        str(result.number),
        made.get("time", ""),
        record.board,
        record.runner,
        record.model,
        "yes" if record.golden.match else "NO",
        "" if total is None else f"{total:,} {record.counter} ({record.kind})",
        *(f"{memory[name]:,}" if name in memory else "" for name in ("ram", "flash")),
        made.get("commit", "")[:_COMMIT_CHARACTERS],
    )


def write_report(path: Path, output: Path) -> None:
    """Build the site, and say where it is."""
    from deployer.report import build_site

    count = build_site(path, output)
    click.echo(printed(str(output / "index.html")))
    click.echo(f"{count:,} runs; open the page in any browser", err=True)
