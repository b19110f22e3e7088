"""The profiler plugin, compiled on first use and kept in the user's cache."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from deployer.native import compiled
from deployer.tools.timing.machine import Machine

SOURCE = Path(__file__).parent / "profiler" / "blocks.c"
FLAGS = ("-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-shared")


def plugin(cache: Path | None = None) -> Path:
    """The shared object for this source and these flags. Raises BenchError without a compiler."""
    return compiled("blocks.so", [SOURCE], flags=FLAGS, what="the profiler", cache=cache)


def plugin_argument(
    machine: Machine,
    regions: Path,
    out: Path,
    *,
    begins: Iterable[int],
    end: int,
    turns: int = 0,
) -> str:
    """The plugin with its arguments, as QEMU takes them: a region begins at each of ``begins``,
    the first ``turns`` of them turns of as many cores, and all end at ``end``. Writes the file
    ``regions``; the plugin writes ``out``."""
    regions.write_text("".join(f"{address:x}\n" for address in begins))
    fields = {**machine.plugin_fields(), "regions": regions, "end": end, "out": out, "turns": turns}
    return ",".join([str(plugin()), *(f"{key}={value}" for key, value in fields.items())])
