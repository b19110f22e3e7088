"""The cases of some kernels as files that drivers read, written once a process: a kernel meets the
same bytes on every target."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from catalogue.blob import Trial, pack, trials
from deployer.kernelset.kernel import Kernel


@dataclass(frozen=True, eq=False)
class Posed:
    """``blobs``: files whose cases have ids that are their places in ``trials``."""

    trials: tuple[Trial, ...]
    blobs: tuple[Path, ...]


@cache
def posed(kernels: tuple[Kernel, ...], limit: int) -> Posed:
    """Every case of ``kernels``, each file of at most ``limit`` bytes."""
    listed = tuple(trials(kernels))
    folder = Path(tempfile.mkdtemp(dir=_folder().name))
    return Posed(listed, tuple(_written(listed, kernels, limit, folder)))


def _written(
    listed: tuple[Trial, ...], kernels: tuple[Kernel, ...], limit: int, folder: Path
) -> list[Path]:
    found = []
    for number, packed in enumerate(pack(listed, kernels, limit=limit)):
        found.append(folder / f"cases{number}.bin")
        found[-1].write_bytes(packed)
    return found


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="cases-")
