"""Object files of C sources, compiled once for all tests and workers of a session.

An object is used again where a compiler would make the same one: same compiler and flags, same
text of the source and of every file that it includes, system headers too, and same values of the
defines whose names occur in any of them. Where the files lie is no part of that: paths are mapped
(``-ffile-prefix-map``). Whatever differs is compiled by the code that is under test.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

FOLDER = "DEPLOYER_TEST_OBJECTS"  # names the session's folder to its workers
PASTED = "##"
_PARTS = re.compile(r"\b(DPL|DRIVER)_\w*\s*##")
_WORD = re.compile(r"\b[A-Za-z_]\w*")

Compile = Callable[[Sequence[str]], None]


@dataclass(frozen=True)
class Asked:
    """``flags`` without paths; ``includes`` are folders, in order; ``defines`` are NAME=VALUE."""

    compiler: str
    flags: tuple[str, ...]
    includes: tuple[Path, ...]
    defines: tuple[str, ...]
    source: Path

    @property
    def roots(self) -> tuple[Path, ...]:
        """Where included files are looked for, in order; the last has those of the system."""
        return (self.source.parent, *self.includes, Path("/"))

    @property
    def key(self) -> str:
        parts = (_identity(self.compiler), self.flags, self.source.name, _digest(self.source))
        return hashlib.sha256(repr(parts).encode()).hexdigest()


def compile_once(command: Sequence[str], source: Path, target: Path, anew: Compile) -> None:
    """``target`` from ``source``. ``command``: the compiler and all options but ``-c`` and ``-o``;
    ``anew`` is called with more options where no test has had that object."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return anew([])
    asked = _asked(command, source)
    entry = Path(folder) / asked.key
    for known in entry.glob("*.json"):
        if _same(asked, json.loads(known.read_text())):
            shutil.copyfile(known.with_suffix(".o"), target)
            return None
    listing = target.with_suffix(".included")
    anew(["-MD", "-MF", str(listing)])
    _keep(asked, listing, target, entry)
    return None


def _keep(asked: Asked, listing: Path, target: Path, entry: Path) -> None:
    """The object first: what has a description is whole."""
    names = listing.read_text().replace("\\\n", " ").partition(":")[2].split()
    listing.unlink()
    files = [_place(asked, Path(name)) for name in names]
    known = [(at, name, _digest(asked.roots[at] / name)) for at, name in files]
    entry.mkdir(exist_ok=True)
    made = entry / uuid.uuid4().hex
    shutil.copyfile(target, made.with_suffix(".o"))
    facts = {"files": known, "defines": _seen(asked, files)}
    aside = made.with_suffix(".new")
    aside.write_text(json.dumps(facts))
    aside.rename(made.with_suffix(".json"))


def _same(asked: Asked, known: dict[str, list]) -> bool:
    if not all(_found(asked, *file) for file in known["files"]):
        return False
    return known["defines"] == _seen(asked, [(at, name) for at, name, _ in known["files"]])


def _seen(asked: Asked, files: Sequence[tuple[int, str]]) -> list[str]:
    """The defines that ``files`` name, or all where names are made of parts."""
    words = [_words(asked.roots[at] / name) for at, name in files]
    return [d for d in asked.defines if any(PASTED in w or _name(d) in w for w in words)]


def _found(asked: Asked, at: int, name: str, digest: str) -> bool:
    """Whether the file has that text, and none of its name lies where it is looked for before."""
    if at >= len(asked.roots):
        return False
    for root in asked.roots[:at]:
        if (root / name).exists() or (root / Path(name).name).exists():
            return False
    path = asked.roots[at] / name
    return path.exists() and _digest(path) == digest


def _place(asked: Asked, path: Path) -> tuple[int, str]:
    whole = Path(os.path.normpath(path))
    for at, root in enumerate(asked.roots):
        if whole.is_relative_to(root):
            return at, str(whole.relative_to(root))
    raise ValueError(f"{path} is a path from nowhere")


def _asked(command: Sequence[str], source: Path) -> Asked:
    compiler, *options = command
    paths = ("-I", "-D", "-T", "-ffile-prefix-map=")  # -T: of linking alone
    return Asked(
        compiler,
        tuple(option for option in options if not option.startswith(paths)),
        tuple(Path(option[2:]) for option in options if option.startswith("-I")),
        tuple(option[2:] for option in options if option.startswith("-D")),
        source,
    )


def _name(define: str) -> str:
    return define.partition("=")[0]


@lru_cache
def _identity(compiler: str) -> tuple[str, int]:
    path = Path(shutil.which(compiler) or compiler).resolve()
    return str(path), path.stat().st_mtime_ns


def _digest(path: Path) -> str:
    return _read(path, path.stat().st_mtime_ns, path.stat().st_size)[0]


def _words(path: Path) -> frozenset[str]:
    return _read(path, path.stat().st_mtime_ns, path.stat().st_size)[1]


@lru_cache(maxsize=8192)
def _read(path: Path, time: int, size: int) -> tuple[str, frozenset[str]]:
    """Digest and words of a file, PASTED among them where a define's name may be made of parts."""
    data = path.read_bytes()
    text = data.decode(errors="replace")
    pasted = [PASTED] if _PARTS.search(text) else []
    return hashlib.sha256(data).hexdigest(), frozenset([*_WORD.findall(text), *pasted])
