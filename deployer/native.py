"""Small C programs of ours for this machine, compiled on first use, kept in the user's cache."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from deployer.errors import BenchError

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
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_suffix(f".{os.getpid()}")  # two runs may compile at once
    command = [COMPILER, *flags, "-o", str(aside), *map(str, sorted(sources))]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise BenchError(
            f"{what} needs a C compiler for this machine",
            why=[f"{COMPILER} was not found"],
            hints=["install gcc (Debian package gcc)"],
        ) from None
    if done.returncode:
        aside.unlink(missing_ok=True)
        raise BenchError(f"{what} does not compile", why=done.stderr.splitlines()[:5])
    aside.replace(target)
