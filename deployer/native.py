"""Small C programs of ours for this machine, compiled on first use, kept in the user's cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from deployer.errors import BenchError
from deployer.folders import remove_of_dead
from deployer.trouble import file_trouble, machine_trouble

COMPILER = "gcc"


def compiled(
    name: str,
    sources: Sequence[Path],
    *,
    flags: Sequence[str],
    what: str,
    includes: Sequence[Path] = (),
    cache: Path | None = None,
) -> Path:
    """The program or library for these sources and flags; ``includes`` count as sources.

    ``name`` is the file's (``stem.suffix``), ``what`` says in errors who needs it. Raises
    BenchError without a compiler or when it refuses.
    """
    stem, dot, suffix = name.partition(".")
    found = (cache or cache_folder()) / f"{stem}-{_key([*sources, *includes], flags)}{dot}{suffix}"
    if not found.exists():
        _compile(sources, found, flags=flags, what=what)
    return found


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "deployer"


def _key(files: Sequence[Path], flags: Sequence[str]) -> str:
    digest = hashlib.sha256(repr(tuple(flags)).encode())
    for path in sorted(files):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _compile(sources: Sequence[Path], target: Path, *, flags: Sequence[str], what: str) -> None:
    """In a folder aside: two runs may compile at once, and one may be killed."""
    with file_trouble("write", target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        remove_of_dead(target.parent, f".{target.name}.*")
        aside = target.with_name(f".{target.name}.{os.getpid()}")
        aside.mkdir(exist_ok=True)
    try:
        _run_compiler(sources, aside / target.name, flags=flags, what=what)
        (aside / target.name).replace(target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _run_compiler(
    sources: Sequence[Path], target: Path, *, flags: Sequence[str], what: str
) -> None:
    command = [COMPILER, *flags, "-o", str(target), *map(str, sorted(sources))]
    environment = {**os.environ, "TMPDIR": str(target.parent)}
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    except FileNotFoundError:
        raise BenchError(
            f"{what} needs a C compiler for this machine",
            why=[f"{COMPILER} was not found"],
            hints=["install gcc (Debian package gcc)"],
        ) from None
    if done.returncode:
        lines = done.stderr.splitlines()
        refused = BenchError(f"{what} does not compile", why=lines[:5])
        raise machine_trouble(lines, target.parent) or refused
