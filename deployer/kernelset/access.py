"""The first input rows and columns that rows and columns of a kernel's output read.

One array per axis, an entry for each output position; NOTHING where all taps are padding. The maps
are facts of the operators (ir.ops.access).
"""

from __future__ import annotations

import numpy as np

from deployer.ir import NOTHING, OPS
from deployer.kernelset.kernel import KernelCase, Shape

Axes = tuple[np.ndarray, np.ndarray]

__all__ = ["NOTHING", "Axes", "first_read", "hwc"]


def hwc(shape: Shape) -> tuple[int, int, int]:
    """Height, width and channels of one sample, whatever its rank."""
    height, width, channels = (1, 1, *shape[1:])[-3:]
    return height, width, channels


def first_read(case: KernelCase) -> Axes | None:
    """For each row and each column of the output the first of the input that it needs; None for an
    operator that states no access map."""
    spec = OPS.get(case.op)
    if spec is None or spec.access is None:
        return None
    inputs, outputs = hwc(case.in_shapes[0]), hwc(case.out_shape)
    rows, columns = (
        spec.access(case, axis, np.arange(outputs[axis], dtype=np.int64), inputs[axis])
        for axis in (0, 1)
    )
    return rows, columns
