"""``deployer inspect``: a model, or any artifact of a build folder, as text or as a picture."""

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
    "--memory", is_flag=True, help="Memory over time, before and after planning, and nothing else."
)
@click.option(
    "-b", "--board", default="", help="Whose limits to draw; default: the job folder's name."
)
@board_dir_option()
@click.argument("path", type=click.Path(path_type=Path))
def command(
    path: Path, output: Path | None, memory: bool, board: str, board_dir: Path | None
) -> None:
    """Show the artifact at PATH: a stage folder, or a file in one; or the memory of a model.

    A picture is drawn from a stage's folder or a whole job's, build/MODEL-BOARD, or from a model:
    network.svg shows the network with what each step costs, memory.svg memory before and after
    planning, arena.svg the arena over time, and a .html all of it.
    """
    from deployer.cli.jobs.inspect import carry_out

    carry_out(path, output, board, board_dir, memory=memory)
