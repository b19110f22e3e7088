"""``deployer lab run``: models by boards by options, on all benches at once."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("run")
@click.option(
    "--lab",
    type=click.Path(path_type=Path),
    help="Lab file; default: $DEPLOYER_LAB, lab.toml of this folder, else emulators.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Emulators of each board at once, without a lab file.",
)
@click.option("--fresh", is_flag=True, help="Begin anew where a run of this matrix was cut off.")
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path, lab: Path | None, jobs: int, fresh: bool) -> None:
    """Run every combination of the matrix FILE, and keep each result.

    A run that was killed goes on where it was. Trouble of a bench is tried again, on a twin where
    there is one; a wrong result is not. Exit status 5 when one is wrong, else 6 for trouble of the
    rig, else that of what was refused.
    """
    from deployer.cli.jobs.lab_run import carry_out

    carry_out(file, lab, jobs=jobs, fresh=fresh)
