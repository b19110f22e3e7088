"""Which files of a library's folder are its own, and what they held when they were written."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from deployer.errors import UsageError

NAME = ".deployer-library.json"
_SCHEMA = 1


@dataclass(frozen=True)
class Manifest:
    """File name, relative and with slashes, to the SHA-256 of what was written."""

    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        body = {"schema": _SCHEMA, "written_by": "deployer build --library", "files": self.files}
        return json.dumps(body, indent=1, sort_keys=True) + "\n"


def manifest_of(files: Mapping[str, bytes]) -> Manifest:
    return Manifest({name: digest(content) for name, content in files.items()})


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def read_manifest(folder: Path) -> Manifest | None:
    """None where there is none. Raises UsageError when it cannot be one of ours."""
    path = folder / NAME
    if not os.path.lexists(path):
        return None
    try:
        files = json.loads(path.read_text())["files"]
        if isinstance(files, dict) and all(_is_own_name(*item) for item in files.items()):
            return Manifest(files)
    except (ValueError, KeyError, TypeError):
        pass
    raise UsageError(
        f"{path} does not say which files are the library's",
        why=["it was edited, or something else wrote it"],
        hints=["build into another folder", "remove that file, if nothing else is in the folder"],
    )


def _is_own_name(name: Any, sha256: Any) -> bool:
    """Whether it stays inside the folder."""
    path = PurePosixPath(name)
    inside = bool(path.parts) and not path.is_absolute() and ".." not in path.parts
    return inside and str(path) == name and name != NAME and isinstance(sha256, str)


def conflicts(folder: Path, old: Manifest, new: Manifest) -> Iterator[str]:
    """Files that writing ``new`` would lose: those of somebody else, and own ones that were edited
    since, each with what it is."""
    for name in sorted({*old.files, *new.files}):
        path = folder / name
        if not os.path.lexists(path):
            continue
        found = "" if path.is_symlink() else file_digest(path)
        if found in (old.files.get(name), new.files.get(name)):
            continue
        yield f"{name}: {'edited since it was written' if name in old.files else 'not ours'}"


def blocked(folder: Path, new: Manifest) -> Iterator[str]:
    """Folders where files belong, and links and files where folders do."""
    seen: set[str] = set()
    for name in sorted(new.files):
        if (folder / name).is_dir() and not (folder / name).is_symlink():
            yield f"{name}: a folder where a file belongs"
        for parent in reversed(PurePosixPath(name).parents[:-1]):
            path = folder / parent
            if str(parent) not in seen and os.path.lexists(path) and not is_plain_folder(path):
                yield f"{parent}: not a folder of its own"
            seen.add(str(parent))


def is_plain_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def file_digest(path: Path) -> str:
    """Empty for what is no file."""
    return digest(path.read_bytes()) if path.is_file() else ""
