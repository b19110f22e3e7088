"""``deployer report``: a static site of results."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("report")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder of the site: new, empty, or that of an earlier report, which is replaced.",
)
@click.argument("results", type=click.Path(path_type=Path))
def command(results: Path, output: Path) -> None:
    """Write a site that shows RESULTS, a file of --results, and opens without a server.

    Runs with filters, trends over commits, layers, memory, Pareto plots and the difference of two
    runs. Needs the package vl-convert-python (extra "report"). Exit status 2 for a file that holds
    no results and for a folder with files of others.
    """
    from deployer.cli.jobs.results import write_report

    write_report(results, output)
