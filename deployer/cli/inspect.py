"""``deployer inspect``: any artifact of a build folder as text."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("inspect")
@click.argument("path", type=click.Path(path_type=Path))
def command(path: Path) -> None:
    """Show the artifact at PATH: a stage folder, or a file in one."""
    from deployer.cli.artifact_view import artifact_text

    click.echo(artifact_text(path).rstrip("\n"))
