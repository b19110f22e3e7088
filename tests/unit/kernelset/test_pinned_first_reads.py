"""The first rows and columns that each output reads, for many cases of every operator."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from deployer.ir.attrs import Pads
from deployer.kernelset.access import NOTHING, first_read
from deployer.kernelset.kernel import KernelCase
from planned import pinned
from unit.kernelset.table import cases

FOLDER = Path(__file__).parent / "pinned"


def test_what_is_read_first_is_as_pinned() -> None:
    pinned(FOLDER / "first_reads.txt", "\n".join((*_few(), *_many())))


def _few() -> Iterator[str]:
    """Written out: operators that the table of kernels has no cases of, and odd windows."""
    base = KernelCase("Resize", "s8", "", ((1, 4, 3, 8),), (1, 8, 9, 8))
    for mode in ("nearest", "linear"):
        yield _told(replace(base, mode=mode))
    for op, before in product(("Pad", "Slice"), ((0, 1, 2, 0), (0, 0, 0, 0))):
        yield _told(replace(base, op=op, out_shape=(1, 4, 3, 8), before=before))
    yield _told(replace(base, op="DepthToSpace", out_shape=(1, 8, 6, 2)))
    yield _told(replace(base, op="SpaceToDepth", out_shape=(1, 2, 1, 48)))
    for dilation, pads in product(((1, 1), (2, 3)), (Pads(0, 0, 0, 0), Pads(4, 1, 0, 5))):
        window = {"kernel": (3, 2), "stride": (2, 1), "dilation": dilation, "pads": pads}
        for op in ("Conv2d", "ConvTranspose2d"):
            yield _told(replace(base, op=op, in_shapes=((1, 9, 6, 4),), **window))


def _told(case: KernelCase) -> str:
    axes = (["-" if i == NOTHING else int(i) for i in axis] for axis in first_read(case))
    return f"{case.op} {case.mode} {case.before} {case.dilation} {case.pads}: {list(axes)}"


def _many() -> Iterator[str]:
    for index, case in enumerate(cases()):
        rows, columns = (np.asarray(axis, "<i8") for axis in first_read(case))
        sums = (f"{zlib.crc32(axis.tobytes()):08x}" for axis in (rows, columns))
        yield f"{index} {case.op} {case.out_shape}: {' '.join(sums)}"
