"""``deployer results``: what a file of results holds."""

from __future__ import annotations

from pathlib import Path

import click

from deployer.cli.options import json_option


@click.command("results")
@json_option()
@click.option("--log", type=int, metavar="NUMBER", help="The serial log of a result, nothing else.")
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path, as_json: bool, log: int | None) -> None:
    """List the results in FILE, one a line.

    --json prints every record whole, a line each. Exit status 2 for a file that holds no results.
    """
    from deployer.cli.jobs.results import carry_out

    carry_out(file, as_json=as_json, log=log)
