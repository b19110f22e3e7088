"""Where a table goes: a Markdown or JSON file, or standard output."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from deployer.errors import UsageError
from deployer.files import check_folder, write_file

SUFFIXES = (".md", ".json")
Facts = TypeVar("Facts")  # JSON types


def output_option() -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        help="Write the table to FILE.md or FILE.json instead of standard output.",
    )


def check_output(output: Path | None) -> None:
    """Raise UsageError for a file that could not be written, before hours of work."""
    if output is None:
        return
    if output.suffix not in SUFFIXES:
        raise UsageError(f"-o {output} is no table", hints=["give FILE.md or FILE.json"])
    check_folder(output)


def put_table(
    facts: Facts,
    markdown: Callable[[Facts], str],
    *,
    output: Path | None,
    as_json: bool,
) -> None:
    """The table to standard output, or to ``output`` in the format of its suffix."""
    if output is None:
        click.echo(json.dumps(facts, indent=1) if as_json else markdown(facts).rstrip("\n"))
        return
    text = json.dumps(facts, indent=1) + "\n" if output.suffix == ".json" else markdown(facts)
    write_file(output, text)
    if as_json:
        click.echo(json.dumps(facts, indent=1))
