"""Artifacts of one job on disk, a folder a stage, each replaced as a whole."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

STAGES = (
    "import",
    "quantize",
    "restructure",
    "schedule",
    "allocate",
    "tile",
    "generate",
    "build",
    "run",
)


@dataclass(frozen=True)
class Format:
    """How one stage's artifact is written to a folder and read back.

    ``reread``: what is written is raw material; the artifact is what ``read`` makes of it.
    """

    write: Callable[[Any, Path], None]
    read: Callable[[Path], Any]
    reread: bool = False


@dataclass(frozen=True)
class Store:
    """``build/<model>-<board>/``. What a stage made in this process is not read again."""

    folder: Path
    formats: dict[str, Format]
    made: dict[str, Any] = field(default_factory=dict)

    def path(self, stage: str) -> Path:
        return self.folder / f"{STAGES.index(stage)}-{stage}"

    def put(self, stage: str, artifact: Any) -> None:
        """Write aside, then rename: a failed write leaves the earlier artifact."""
        write_folder(self.path(stage), lambda folder: self.formats[stage].write(artifact, folder))
        self.made.pop(stage, None)
        if not self.formats[stage].reread:
            self.made[stage] = artifact

    def get(self, stage: str) -> Any:
        """The artifact; read from disk when this process did not make it (``--from``)."""
        if stage not in self.made:
            self.made[stage] = self.formats[stage].read(self.path(stage))
        return self.made[stage]


def write_folder(target: Path, fill: Callable[[Path], None]) -> None:
    """Fill a new folder beside ``target`` and put it in its place once it is whole."""
    aside = target.with_name(f".{target.name}.{os.getpid()}.new")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    try:
        fill(aside)
        replace_folder(aside, target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def replace_folder(source: Path, target: Path) -> None:
    """Rename ``source`` to ``target``, which may exist."""
    old = target.with_name(f".{target.name}.{os.getpid()}.old")
    if target.exists():
        target.rename(old)
    source.rename(target)
    shutil.rmtree(old, ignore_errors=True)
