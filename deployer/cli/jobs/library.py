"""``deployer build --library``: networks planned one after the other, written as one library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from deployer.board import load_board
from deployer.choices import ArenaOwner
from deployer.cli.jobs.deploy import JobRequest, executed
from deployer.cli.jobs.per_model import Originals, options_by_model
from deployer.cli.progress import ProgressView, progress_view
from deployer.codegen import library_names
from deployer.pipeline import (
    Entry,
    alone,
    check_folder,
    export_library,
    require_library,
    stages_between,
)


@dataclass(frozen=True)
class LibraryRequest:
    """Where the library goes, whose arena it has, and whether files of others may be replaced."""

    folder: Path
    arena: ArenaOwner
    overwrite: bool


def build_library(
    requests: Sequence[JobRequest],
    given: dict[str, Any],
    originals: Originals,
    library: LibraryRequest,
) -> None:
    """Plan every network of ``requests`` and write the library."""
    stages_between(requests[0].first, requests[0].last)
    names = library_names([request.model.stem for request in requests])
    own = options_by_model(originals, given, names)
    require_library(load_board(requests[0].board, requests[0].board_dir))
    check_folder(library.folder, overwrite=library.overwrite)
    with progress_view() as view:
        entries = [
            _entry(request, name, {**given, **options}, view, several=len(names) > 1)
            for request, name, options in zip(requests, names, own, strict=True)
        ]
        export_library(entries, library.folder, arena=library.arena, overwrite=library.overwrite)
    click.echo(str(library.folder))


def _entry(
    request: JobRequest, name: str, given: Mapping[str, Any], view: ProgressView, *, several: bool
) -> Entry:
    if several:  # models of equal names in different folders do not share one
        request = replace(request, name=name)
        view.notice(f"{name}: {request.model}")
    job = request.job(dict(given), view, for_board=True)
    with alone(job):
        return Entry(name, job, executed(job, request))
