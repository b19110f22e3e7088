"""Operators that take elements one by one."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel
from deployer.kernelset.order import BY_ELEMENTS
from deployer.kernelset.pulp import cycles

KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_add_s8__xpulpv2",
        op="Add",
        also=("Sub",),
        order=BY_ELEMENTS,
        assembly=("add_words.S",),
        cycles=cycles.add,
    ),
)
