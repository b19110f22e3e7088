"""``deployer inspect``: a model, or any artifact of a build folder, as text or as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from deployer.cli.options import board_dir_option
from deployer.printed import printed, printed_lines

if TYPE_CHECKING:
    from deployer.drawing.scene import Scene


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
    from deployer.cli.jobs.artifact_view import viewed

    if _is_model(path):
        _inspect(path, output, memory, board, board_dir)
        return
    with viewed(path):
        _inspect(path, output, memory, board, board_dir)


def _inspect(
    path: Path, output: Path | None, memory: bool, board: str, board_dir: Path | None
) -> None:
    if output is not None:
        from deployer.drawing.picture import MEMORY, draw, known_suffix, named_subject

        what = MEMORY if memory else named_subject(output)
        profiled = known_suffix(output) == ".html" or what == MEMORY
        draw(output, _scene(path, board, board_dir, profiled=profiled), what=what)
        click.echo(printed(str(output)))
        return
    if not (memory or _is_model(path)):
        from deployer.cli.jobs.artifact_view import artifact_text

        click.echo(printed_lines(artifact_text(path)).rstrip("\n"))
        memory = _is_job(path)
    if memory or _is_model(path):
        _print_memory(_scene(path, board, board_dir, profiled=True))


def _is_model(path: Path) -> bool:
    return path.suffix.lower() == ".onnx"


def _is_job(path: Path) -> bool:
    """Whether it is a job's folder with a schedule."""
    return (path / "3-schedule" / "schedule.json").is_file()


def _scene(path: Path, board: str, board_dir: Path | None, *, profiled: bool) -> Scene:
    from deployer.drawing.scene import scene_at, scene_of_model

    if _is_model(path):
        return scene_of_model(
            path, board, board_dir, lambda text: click.echo(printed(text), err=True)
        )
    return scene_at(path, board, board_dir, profiled=profiled)


def _print_memory(scene: Scene) -> None:
    from deployer.cli.render import profile_lines
    from deployer.drawing.picture import profile_in

    click.echo("\n".join(map(printed, profile_lines(profile_in(scene)))))
