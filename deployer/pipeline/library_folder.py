"""A library's files put into a folder of the user's, beside whatever else is there.

What is new is written aside, into a hidden folder inside, and then renamed file by file, the
manifest last. Until the first rename the earlier library is whole; from then on, whatever kills
the process, the next run first finishes what was begun.
"""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from deployer.errors import UsageError
from deployer.folders import locked
from deployer.pipeline import library_manifest as manifests
from deployer.pipeline.library_manifest import Manifest
from deployer.trouble import file_trouble

ASIDE = ".deployer-library.new"
_DOING = "write the library to"
_MAX_SHOWN = 5


def check_folder(folder: Path, *, overwrite: bool) -> None:
    """Whether a library may be written to ``folder``, as far as it can be said before there is one.

    Raises UsageError for a folder that cannot be one, or that holds other files and no library,
    unless ``overwrite``.
    """
    with file_trouble(_DOING, folder):
        _require_place(folder)
        if folder.is_dir():
            _require_no_strangers(folder, overwrite)


def _require_place(folder: Path) -> None:
    there = folder
    while not os.path.lexists(there):
        there = there.parent
    if not there.is_dir():
        raise UsageError(
            f"cannot write the library to {folder}: {there} is not a folder",
            hints=["--library DIR with a folder, or a name that is free"],
        )
    if not os.access(there, os.W_OK | os.X_OK):
        raise UsageError(
            f"cannot write the library to {folder}: {there} is read-only",
            hints=["--library DIR with a folder you may write to"],
        )


def write_library(folder: Path, files: Mapping[str, bytes], *, overwrite: bool) -> None:
    """Replace the library in ``folder`` by ``files``, names relative to it.

    Files that are not the library's stay: ``check_folder`` says whether there may be any. Raises
    UsageError, before anything is written, when one of them, or an own one that was edited, would
    be lost, unless ``overwrite``; BenchError when the disk is full.
    """
    with file_trouble(_DOING, folder), _made(folder), locked(folder):
        _finish_earlier(folder, overwrite)
        new = manifests.manifest_of(files)
        _require_no_loss(folder, new, overwrite)
        try:
            _stage(folder, files, new)
        except BaseException:
            shutil.rmtree(folder / ASIDE, ignore_errors=True)
            raise
        _commit(folder)


def _require_no_strangers(folder: Path, overwrite: bool) -> None:
    """A folder without a library is empty."""
    names = sorted(name for name in os.listdir(folder) if name != manifests.NAME)
    known = ASIDE in names or os.path.lexists(folder / manifests.NAME)
    if not names or known or overwrite:
        return
    raise UsageError(
        f"{folder} holds files that are not a library's: {_some(names)}",
        why=["a library is written to a folder of its own, so that *.c and *.h are all of it"],
        hints=[
            "--library DIR with a folder that is new or empty",
            "--overwrite writes it there and replaces files of the same names",
        ],
    )


def _require_no_loss(folder: Path, new: Manifest, overwrite: bool) -> None:
    blocked = list(manifests.blocked(folder, new))
    if blocked:
        raise UsageError(
            f"the library's files have no room in {folder}",
            why=blocked[:_MAX_SHOWN],
            hints=["move them away", "--library DIR with another folder"],
        )
    lost = list(manifests.conflicts(folder, _manifest(folder), new))
    if lost and not overwrite:
        raise UsageError(
            f"writing the library to {folder} would lose {len(lost)} file{'s' * (len(lost) > 1)}",
            why=[*lost[:_MAX_SHOWN], *(["…"] if len(lost) > _MAX_SHOWN else [])],
            hints=["keep a copy of them elsewhere", "--overwrite replaces them"],
        )


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_SHOWN} more" if len(names) > _MAX_SHOWN else ""
    return ", ".join(map(ascii, names[:_MAX_SHOWN])) + more


def _manifest(folder: Path) -> Manifest:
    return manifests.read_manifest(folder) or Manifest()


def _finish_earlier(folder: Path, overwrite: bool) -> None:
    """What a run that was killed left: all of its files, which are put in place, or a part."""
    aside = folder / ASIDE
    if not manifests.is_plain_folder(aside):
        with suppress(FileNotFoundError):
            aside.unlink()
        return
    staged = manifests.read_manifest(aside)
    if staged is None:
        shutil.rmtree(aside)
        return
    _require_no_loss(folder, staged, overwrite)
    _commit(folder)


def _stage(folder: Path, files: Mapping[str, bytes], new: Manifest) -> None:
    """What differs from what is there, and last the manifest, which makes it complete."""
    aside = folder / ASIDE
    aside.mkdir()
    for name, content in sorted(files.items()):
        there = folder / name
        if there.is_symlink() or manifests.file_digest(there) != new.files[name]:
            (aside / name).parent.mkdir(parents=True, exist_ok=True)
            (aside / name).write_bytes(content)
    half = aside / f"{manifests.NAME}.half"
    half.write_text(new.text)
    half.replace(aside / manifests.NAME)


def _commit(folder: Path) -> None:
    """Put what is staged in its place. It may have been begun before."""
    aside = folder / ASIDE
    old, new = _manifest(folder), _manifest(aside)
    with _uninterrupted():
        for name in sorted(new.files):
            if (aside / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (aside / name).replace(folder / name)
        for name in sorted(set(old.files) - set(new.files)):
            _remove(folder, name)
        (aside / manifests.NAME).replace(folder / manifests.NAME)
        shutil.rmtree(aside)


def _remove(folder: Path, name: str) -> None:
    """An own file of an earlier library, and the folders that it leaves empty."""
    parents = [folder / parent for parent in PurePosixPath(name).parents[:-1]]
    if not all(manifests.is_plain_folder(parent) for parent in parents):
        return
    (folder / name).unlink(missing_ok=True)
    with suppress(OSError):
        for parent in parents:
            parent.rmdir()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C waits."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """``folder`` with those above it; what was made goes again if it stays empty."""
    missing = [path for path in (folder, *folder.parents) if not os.path.lexists(path)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        with suppress(OSError):
            for path in missing:
                path.rmdir()
        raise
