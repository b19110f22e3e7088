"""Artifacts of one job on disk, a folder a stage, each replaced as a whole."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from deployer import __version__
from deployer.errors import UsageError, near_hints
from deployer.folders import write_folder
from deployer.pipeline.made import FILE, Made, read_made, write_made

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


def known_stage(name: str) -> str:
    """``name``; raises UsageError when it is no stage's."""
    if name not in STAGES:
        raise UsageError(f"unknown stage {name!r}", hints=near_hints(name, STAGES))
    return name


T = TypeVar("T")


class Stage(str, Generic[T]):
    """The name of a stage whose artifact, read back, is a ``T``."""


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

    def put(self, stage: str, artifact: Any, *, settings: Mapping[str, Any] | None = None) -> None:
        """Write aside, then swap: a failed write leaves the earlier artifact.

        ``settings``: what shaped the artifact beside earlier stages, None when it was made by hand.
        Files of others in the stage's folder stay. Raises UsageError for a folder of others.
        """
        target, inputs = self.path(stage), self._inputs(stage)
        foreign = self._foreign(stage)

        def fill(folder: Path) -> None:
            self.formats[stage].write(artifact, folder)
            write_made(folder, Made(stage, settings, inputs, hashes(folder, files_in(folder))))
            _carry(target, folder, foreign)

        write_folder(target, fill)
        self.made.pop(stage, None)
        if not self.formats[stage].reread:
            self.made[stage] = artifact

    def get(self, stage: Stage[T]) -> T:
        """The artifact; read from disk when this process did not make it (``--from``)."""
        if stage not in self.made:
            self.made[stage] = self.formats[stage].read(self.path(stage))
        found: T = self.made[stage]
        return found

    def provenance(self, stage: str) -> Made | None:
        """How the stage's artifact on disk was made; None when there is none."""
        folder = self.path(stage)
        made = read_made(folder) if folder.is_dir() else None
        if made is not None and made.stage != stage:
            raise UsageError(
                f"{folder} holds what stage {made.stage} made",
                hints=[f"run it again: --from {stage}"],
            )
        return made

    def digest(self, stage: str) -> str:
        """Hash of the stage's files as they are on disk now, "" when there are none."""
        made = self.provenance(stage)
        if made is None:
            return ""
        folder = self.path(stage)
        return _digest(hashes(folder, (name for name in made.files if (folder / name).is_file())))

    def as_written(self, stage: str) -> bool:
        """Whether the stage's files are those that this version of deployer wrote."""
        made = self.provenance(stage)
        if made is None or made.settings is None or made.version != __version__:
            return False
        folder = self.path(stage)
        there = all((folder / name).is_file() for name in made.files)
        return there and hashes(folder, made.files) == made.files

    def _inputs(self, stage: str) -> dict[str, str]:
        """The hash of every earlier stage that is there."""
        found = {earlier: self.digest(earlier) for earlier in STAGES[: STAGES.index(stage)]}
        return {name: digest for name, digest in found.items() if digest}

    def _foreign(self, stage: str) -> list[str]:
        """Files in the stage's folder that no stage wrote."""
        folder = self.path(stage)
        if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            return []
        if not folder.is_dir() or not (folder / FILE).is_file():
            raise UsageError(
                f"{folder} is in the way: it was not written by this version of deployer",
                hints=["move it or delete it", "or give another folder with -o"],
            )
        own = {FILE, *read_made(folder).files}
        return [name for name in files_in(folder) if name not in own]


def files_in(folder: Path) -> list[str]:
    """Paths of all files below ``folder``, relative to it, sorted."""
    found = (path for path in folder.rglob("*") if not path.is_dir())
    return sorted(path.relative_to(folder).as_posix() for path in found)


def hashes(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """SHA-256 of each file of ``folder``."""
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}


def _digest(files: Mapping[str, str]) -> str:
    lines = (f"{name}\0{digest}\n" for name, digest in sorted(files.items()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _carry(source: Path, target: Path, names: Iterable[str]) -> None:
    """Copy what a user keeps there; a file of the new artifact wins."""
    for name in names:
        if (target / name).exists():
            continue
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / name, target / name, follow_symlinks=False)
