"""Bytes of code that kernels add to an image, before there is one: where code lies beside the
arena, a plan has to leave it room."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from deployer.kernelset.kernel import Kernel
from deployer.kernelset.pulp.code import BYTES

PORTABLE_BYTES = 1536  # of another C file: those of kernels/ref take 0.2 to 2.7 KB


def code_bytes(kernels: Iterable[Kernel]) -> int:
    """Estimated; files that several kernels call into count once."""
    files = {PurePosixPath(source).name for kernel in kernels for source in kernel.sources}
    return sum(BYTES.get(name, PORTABLE_BYTES) for name in files)
