"""``deployer bench memory``: allocators on the same instances, beside the published figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from deployer.cli.options import json_option


@click.command("memory")
@click.option(
    "--instances",
    type=click.Path(path_type=Path),
    help="Folder of instances (CSV tables, or zip archives of them); without it, zoo networks.",
)
@click.option(
    "--against",
    metavar="minimalloc=PROGRAM",
    help="Your build of minimalloc: --instances by both, side by side, and no other table.",
)
@click.option(
    "--capacity",
    type=click.IntRange(1),
    help="Bytes there are, with --against; without it names end in them, as A.1048576.csv does.",
)
@click.option(
    "--restructuring/--no-restructuring",
    default=True,
    show_default=True,
    help="Tables 2.8 and 2.9 too: a minute more and 2 GB.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the tables here too.")
@json_option()
def command(
    instances: Path | None,
    against: str | None,
    capacity: int | None,
    restructuring: bool,
    output: Path | None,
    as_json: bool,
) -> None:
    """Reprint paper 001's tables 2.5, 2.6, 2.8 and 2.9 with what is measured here beside them.

    Every placement is checked by the validator; memory and MACs saved by restructuring (deployer
    bench restructuring) are counted from shapes. Times are of this machine's CPU. --json has the
    allocators' tables.

    With --against, one table instead: bytes placed within the capacity, and the CPU of both.
    """
    if against is not None or capacity is not None:
        _beside(against, instances, capacity, output, as_json=as_json)
        return
    from deployer.files import write_file
    from deployer.tools.bench import (
        allocation_markdown,
        entries_of,
        measure_solvers,
        restructuring_markdown,
        zoo_entries,
        zoo_graphs,
    )

    entries = tuple(zoo_entries()) if instances is None else entries_of(instances)
    results = measure_solvers(entries)
    text = allocation_markdown(results)
    if restructuring and not as_json:
        text = f"{text}\n{restructuring_markdown(zoo_graphs())}"
    if output is not None:
        write_file(output, text)
    if as_json:
        click.echo(json.dumps(_facts(results), indent=1))
    else:
        click.echo(text, nl=False)


def _beside(
    against: str | None,
    instances: Path | None,
    capacity: int | None,
    output: Path | None,
    *,
    as_json: bool,
) -> None:
    from dataclasses import asdict

    from deployer.errors import UsageError
    from deployer.files import write_file
    from deployer.tools.bench import beside_markdown, entries_of, measure_beside, peer_of

    if against is None or instances is None:
        missing = "--against" if against is None else "--instances"
        raise UsageError(
            f"{missing} is missing", hints=["--against minimalloc=PROGRAM --instances FOLDER"]
        )
    rows = measure_beside(entries_of(instances), peer_of(against), capacity=capacity)
    text = beside_markdown(rows)
    if output is not None:
        write_file(output, text)
    facts = {"schema": 1, "instances": [{**asdict(row), "ratio": row.ratio} for row in rows]}
    click.echo(json.dumps(facts, indent=1) if as_json else text, nl=as_json)


def _facts(results: Sequence[Any]) -> dict[str, object]:
    from dataclasses import asdict

    from deployer.tools.bench import summaries

    sets = {
        group: {solver: asdict(one) for solver, one in found.items()}
        for group, found in summaries(results).items()
    }
    return {"schema": 1, "sets": sets, "results": [asdict(row) for row in results]}
