"""Files that a user names: written whole or not at all, refused by name when absent."""

from __future__ import annotations

import errno
import glob
import os
from pathlib import Path

from deployer.errors import UsageError
from deployer.folders import remove_of_dead
from deployer.trouble import file_trouble


def write_file(path: Path, content: str | bytes, *, parents: bool = False) -> None:
    """Written aside, then renamed over an older one; what a killed writer left beside it goes.

    ``parents``: its folder is made if need be. Raises UsageError or BenchError naming ``path``
    when the system refuses.
    """
    data = content.encode() if isinstance(content, str) else content
    with file_trouble("write", path):
        if parents:
            path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        remove_of_dead(path.parent, f".{glob.escape(path.name)}.*")
        aside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            aside.write_bytes(data)
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)


def existing(path: Path, what: str) -> Path:
    """``path``, or UsageError saying that there is no such file."""
    if not path.exists():
        raise UsageError(f"no such {what}: {path}")
    return path


def check_folder(path: Path) -> None:
    """Raise UsageError when the folder of ``path`` is not there."""
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}")
