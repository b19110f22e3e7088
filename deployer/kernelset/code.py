"""Bytes of code that kernels add to an image, before there is one: where code lies beside the
arena, a plan has to leave it room."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from deployer.kernelset.cortex_m.code import BYTES as ARMV7EM_BYTES
from deployer.kernelset.kernel import Kernel
from deployer.kernelset.pulp.code import BYTES

_ARMV7EM = frozenset({"cortex_m", "ref"})
PORTABLE_BYTES = 1536  # of another C file: those of kernels/ref take 0.2 to 2.7 KB


def code_bytes(kernels: Iterable[Kernel]) -> int:
    """Estimated; files that several kernels call into count once."""
    return sum(BYTES.get(name, PORTABLE_BYTES) for name in _files(kernels))


def code_table(families: Sequence[str]) -> Mapping[str, int] | None:
    """Bytes of code by file of all kernels that boards of ``families`` run; None where they are
    known of some only."""
    return ARMV7EM_BYTES if "cortex_m" in families and _ARMV7EM.issuperset(families) else None


def table_bytes(kernels: Iterable[Kernel], table: Mapping[str, int]) -> int:
    """Of ``kernels``, by the bytes of each file in ``table``."""
    return sum(table[name] for name in _files(kernels))


def _files(kernels: Iterable[Kernel]) -> set[str]:
    return {PurePosixPath(source).name for kernel in kernels for source in kernel.sources}
