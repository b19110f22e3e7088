"""``deployer build``: firmware, or the C files of networks for another project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from deployer.choices import ArenaOwner, Mlperf
from deployer.cli.jobs.per_model import options_by_model, taken_raw
from deployer.cli.option_sets import mlperf_options
from deployer.cli.option_types import ChoiceParamType
from deployer.cli.options import board_option, job_options
from deployer.errors import UsageError


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
    help="Write the networks' C, kernels, headers, README to this folder; no toolchain needed.",
)
@click.option(
    "--arena",
    type=ChoiceParamType(ArenaOwner),
    help="Of a library: a static arena for each network, one for all, or none.  [default: own]",
)
@click.option(
    "--overwrite",
    is_flag=True,
    help="Of a library: into a folder that holds other files, replacing those of equal names.",
)
@click.option("--baud", type=int, default=0, help="Of the console; default: the board file's.")
@mlperf_options
@job_options
@click.argument(
    "models", metavar="MODEL...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
def command(
    models: tuple[Path, ...],
    board: str,
    runner: str,
    library: Path | None,
    arena: ArenaOwner | None,
    overwrite: bool,
    baud: int,
    mlperf: Mlperf,
    first: str,
    output: Path,
    board_dir: Path | None,
    **given: Any,
) -> None:
    """Build MODEL's firmware for a board and say where it is; or, with --library, C of one or
    several models for another program."""
    from deployer.cli.jobs.deploy import JobRequest, build_only

    _require_library_for(models, library, arena, overwrite)
    _require_firmware_for(library, (["baud"] if baud else []) + list(mlperf.stated))
    last = "generate" if library else "build"
    requests = [
        JobRequest(
            *(model, board, runner, first, last, None, output, board_dir, False),
            baud=baud,
            mlperf=mlperf,
        )
        for model in models
    ]
    if library is None:
        (own,) = options_by_model(_ORIGINALS, given, [models[0].stem])
        build_only(requests[0], {**given, **own})
        return
    from deployer.cli.jobs.library import LibraryRequest, build_library

    wanted = LibraryRequest(library, arena or ArenaOwner.OWN, overwrite)
    build_library(requests, given, _ORIGINALS, wanted)


def _require_library_for(
    models: tuple[Path, ...], library: Path | None, arena: str | None, overwrite: bool
) -> None:
    if library is not None:
        return
    requested = {
        f"{len(models)} models": len(models) > 1,
        "--arena": arena is not None,
        "--overwrite": overwrite,
    }
    found = [name for name, given in requested.items() if given]
    if found:
        raise UsageError(
            f"{' and '.join(found)}: only with --library DIR",
            why=["firmware holds one network, in an arena of its own"],
            hints=["--library DIR writes C for a program of yours"],
        )


def _require_firmware_for(library: Path | None, options: Sequence[str]) -> None:
    if library is not None and options:
        raise UsageError(
            f"{' and '.join(f'--{name}' for name in options)}: not with --library",
            why=["C for another program has no console and no trigger"],
        )


_ORIGINALS = taken_raw(command)
