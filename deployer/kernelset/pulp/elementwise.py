"""Operators that take elements one by one."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel
from deployer.kernelset.order import BY_ELEMENTS
from deployer.kernelset.pulp import element_cycles as cycles


def _by_words(op: str, assembly: str, *also: str) -> Kernel:
    return Kernel(
        f"dpl_{op.lower()}_s8__xpulpv2",
        op=op,
        also=also,
        order=BY_ELEMENTS,
        assembly=(assembly,),
        cycles=cycles.by_elements,
    )


KERNELS: tuple[Kernel, ...] = (
    _by_words("Add", "add_words.S", "Sub"),
    _by_words("Mul", "mul_words.S"),
    _by_words("Table", "table_words.S"),
    _by_words("Rescale", "affine_runs.S"),
    _by_words("PRelu", "prelu_runs.S"),
)
