"""``deployer inspect``: any artifact of a build folder, as text or as a picture."""

from __future__ import annotations

from pathlib import Path

import click

from deployer.cli.options import board_dir_option


@click.command("inspect")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Draw it to this file instead: .svg, or .html with the tables.",
)
@click.option(
    "-b", "--board", default="", help="Whose limits to draw; default: the job folder's name."
)
@board_dir_option()
@click.argument("path", type=click.Path(path_type=Path))
def command(path: Path, output: Path | None, board: str, board_dir: Path | None) -> None:
    """Show the artifact at PATH: a stage folder, or a file in one.

    A picture is drawn from a graph, a schedule or a memory plan, or from a whole job's folder,
    build/MODEL-BOARD: the network with what each step costs, and the arena over time.
    """
    if output is not None:
        from deployer.cli.picture import draw

        draw(path, output, board=board, board_dir=board_dir)
        click.echo(str(output))
        return
    from deployer.cli.artifact_view import artifact_text

    click.echo(artifact_text(path).rstrip("\n"))
