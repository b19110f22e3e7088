"""``deployer build``: firmware, or the C files of a network for another project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.cli.options import board_option, job_options, model_argument


@click.command("build")
@board_option()
@click.option(
    "--runner",
    default="",
    help="Build for what this runner runs on, such as qemu_system's twin; default: the board.",
)
@click.option(
    "--library",
    type=click.Path(path_type=Path),
    help="Write network.c, weights.c, kernels and headers to this folder; no toolchain needed.",
)
@job_options
@model_argument()
def command(
    model: Path,
    board: str,
    runner: str,
    library: Path | None,
    first: str,
    output: Path,
    board_dir: Path | None,
    **given: Any,
) -> None:
    """Build MODEL's firmware for a board and say where it is."""
    from deployer.cli.job import JobRequest, build_only

    last = "generate" if library else "build"
    request = JobRequest(model, board, runner, first, last, None, output, board_dir, False)
    build_only(request, given, library)
