"""Reading and writing the files a user names: all of it, or an error and nothing."""

from __future__ import annotations

import errno
import glob
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from deployer.errors import UsageError
from deployer.folders import remove_of_dead
from deployer.trouble import file_trouble


def read_text(path: Path) -> str:
    """Raises UsageError when it is not there or not text."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}", why=[_reason(error)]) from None


def write_folder(path: Path, files: Mapping[str, str]) -> None:
    """Files by relative path. A new folder appears whole; into one that is there, file by file."""
    with file_trouble("write", path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "it is a file")
        remove_of_dead(path.parent, f".{glob.escape(path.name)}.*")
        aside = path.with_name(f".{path.name}.{os.getpid()}")
        aside.mkdir()
        try:
            _fill(aside, files)
            _move(aside, path, files)
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def _fill(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def _move(aside: Path, path: Path, files: Mapping[str, str]) -> None:
    if not path.exists():
        aside.rename(path)
        return
    for name in files:
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (aside / name).replace(target)


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", "") or error)
