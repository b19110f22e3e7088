"""What ``deployer inspect`` does: find what lies at a path, print or draw it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from deployer.cli.jobs.artifact_view import artifact_text, viewed
from deployer.printed import printed, printed_lines

if TYPE_CHECKING:  # a text needs no pipeline, whose import takes longer than the text
    from deployer.drawing import Scene


def carry_out(
    path: Path, output: Path | None, board: str, board_dir: Path | None, *, memory: bool
) -> None:
    """``memory``: that over time, and nothing else."""
    if _is_model(path):
        _inspect(path, output, memory, board, board_dir)
        return
    with viewed(path):
        _inspect(path, output, memory, board, board_dir)


def _inspect(
    path: Path, output: Path | None, memory: bool, board: str, board_dir: Path | None
) -> None:
    if output is not None:
        from deployer.drawing import MEMORY, draw, known_suffix, named_subject

        what = MEMORY if memory else named_subject(output)
        profiled = known_suffix(output) == ".html" or what == MEMORY
        draw(output, _scene(path, board, board_dir, profiled=profiled), what=what)
        click.echo(printed(str(output)))
        return
    if not (memory or _is_model(path)):
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
    from deployer.drawing import scene_at, scene_of_model

    if _is_model(path):
        return scene_of_model(
            path, board, board_dir, lambda text: click.echo(printed(text), err=True)
        )
    return scene_at(path, board, board_dir, profiled=profiled)


def _print_memory(scene: Scene) -> None:
    from deployer.cli.render_survey import profile_lines
    from deployer.drawing import profile_in

    click.echo("\n".join(map(printed, profile_lines(profile_in(scene)))))
