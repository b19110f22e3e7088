"""``deployer gate``: fail when results are worse than a baseline."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("gate")
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    required=True,
    help="JSON file that the results are held against.",
)
@click.option(
    "--update-baseline",
    "reason",
    metavar="REASON",
    help="Write the results to --baseline; the reason is kept there.",
)
@click.option(
    "--junit", type=click.Path(path_type=Path), help="Write every comparison as JUnit XML."
)
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path, baseline: Path, reason: str | None, junit: Path | None) -> None:
    """Hold the newest results in FILE against a baseline.

    Exactness is absolute, counted instructions may not grow, simulated and estimated cycles by 1 %,
    the median of five measured runs by 2 %; RAM and flash not at all, accuracy may lose 0.2 points.
    A layer that takes a few counts more is none that got slower. Exit status 7 when something is
    worse; 2 for a baseline of another board, runner, compiler or clock.
    """
    from deployer.cli.jobs.gate import carry_out

    carry_out(file, baseline, reason=reason, junit=junit)
