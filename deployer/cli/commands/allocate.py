"""``deployer allocate``: instances of memory allocation in, offsets out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.choices import EffortName
from deployer.cli.options import json_option


@click.command("allocate")
@click.argument("instance", type=click.Path(path_type=Path), metavar="INSTANCE.csv|FOLDER")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    help="File or folder to write.",
)
@click.option(
    "--solver",
    default="auto",
    show_default=True,
    help="auto, bag, repair, search, cp-sat, or a heuristic.",
)
@click.option(
    "--capacity",
    type=click.IntRange(0),
    help="Bytes there are: the first placement within them will do, needing more is an error.",
)
@click.option(
    "--effort",
    type=click.Choice([each.value for each in EffortName]),
    default=EffortName.NORMAL.value,
    show_default=True,
    help="How long to go on where neither a placement nor its proof is found; counted in work.",
)
@click.option(
    "--alignment",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Of offsets, in bytes.",
)
@json_option()
def command(instance: Path, output: Path, solver: str, as_json: bool, **given: Any) -> None:
    """Place buffers that are alive from `lower` up to, not including, `upper`.

    INSTANCE.csv has the columns id,lower,upper,size; the answer has id,offset. Of a FOLDER every
    table in it is solved, and the answers go to the same paths in the output folder, with
    _times.csv (name,seconds of CPU). Every answer is checked before anything is written.

    Exit status 0 when all are placed, optimal or not; 2 for a broken table; 4 when an instance
    needs more than --capacity, or no placement within it is found.
    """
    from deployer.cli.jobs.allocate import carry_out

    carry_out(instance, output, solver, given, as_json=as_json)
