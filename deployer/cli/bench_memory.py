"""``deployer bench memory``: allocators on the same instances, beside the published figures."""

from __future__ import annotations

import json
from pathlib import Path

import click

from deployer.cli.options import json_option


@click.command("memory")
@click.option(
    "--instances",
    type=click.Path(path_type=Path),
    help="Folder of instances (CSV tables, or zip archives of them); without it, zoo networks.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the tables here too.")
@json_option()
def command(instances: Path | None, output: Path | None, as_json: bool) -> None:
    """Reprint paper 001's tables 2.5 and 2.6 with the allocators measured here beside them.

    Every answer is checked by the validator. Times are of this machine's CPU.
    """
    from dataclasses import asdict

    from deployer.bench.allocation import measure, summaries
    from deployer.bench.allocation_sets import entries_of, zoo_entries
    from deployer.bench.allocation_table import markdown
    from deployer.cli.files import write_file

    entries = tuple(zoo_entries()) if instances is None else entries_of(instances)
    results = measure(entries)
    text = markdown(results)
    if output is not None:
        write_file(output, text)
    if as_json:
        sets = {
            group: {solver: asdict(one) for solver, one in found.items()}
            for group, found in summaries(results).items()
        }
        rows = [asdict(row) for row in results]
        click.echo(json.dumps({"schema": 1, "sets": sets, "results": rows}, indent=1))
    else:
        click.echo(text, nl=False)
