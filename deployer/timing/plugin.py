"""The profiler plugin, compiled on first use and kept in the user's cache."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from deployer.errors import BenchError
from deployer.resources import data_root
from deployer.timing.machine import Machine

COMPILER = "gcc"
FLAGS = ("-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-shared")


def plugin(cache: Path | None = None) -> Path:
    """The shared object for this source and these flags. Raises BenchError without a compiler."""
    source = data_root() / "profiler" / "blocks.c"
    key = hashlib.sha256(source.read_bytes() + repr(FLAGS).encode()).hexdigest()[:16]
    found = (cache or cache_folder()) / f"blocks-{key}.so"
    if not found.exists():
        _compile(source, found)
    return found


def plugin_argument(
    machine: Machine, regions: Path, out: Path, *, begins: Iterable[int], end: int
) -> str:
    """The plugin with its arguments, as QEMU takes them: a region begins at each of ``begins``,
    all end at ``end``. Writes the file ``regions``; the plugin writes ``out``."""
    regions.write_text("".join(f"{address:x}\n" for address in begins))
    fields = {**machine.plugin_fields(), "regions": regions, "end": end, "out": out}
    return ",".join([str(plugin()), *(f"{key}={value}" for key, value in fields.items())])


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "deployer"


def _compile(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_suffix(f".{os.getpid()}")  # two runs may compile at once
    command = [COMPILER, *FLAGS, "-o", str(aside), str(source)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise BenchError(
            "the profiler needs a C compiler for this machine",
            why=[f"{COMPILER} was not found"],
            hints=["install gcc (Debian package gcc)"],
        ) from None
    if done.returncode:
        aside.unlink(missing_ok=True)
        raise BenchError("the profiler does not compile", why=done.stderr.splitlines()[:5])
    aside.replace(target)
