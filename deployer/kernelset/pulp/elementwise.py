"""Operators that take elements one by one."""

from __future__ import annotations

from math import prod

from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import BY_ELEMENTS

CALL = 250.0  # entering and leaving a kernel, fields of its arguments


_RATES = {"Add": 0.96, "Sub": 0.96, "Mul": 1.22, "Table": 0.45, "Rescale": 0.69, "PRelu": 2.0}


def by_elements(case: KernelCase) -> float:
    """Estimated cycles of one call on GAP8's eight cores, everything in L1; fitted to gap8_sim
    (docs/gap8-simulator.md)."""
    return CALL + _RATES[case.op] * prod(case.out_shape)


def _by_words(op: str, assembly: str, *also: str) -> Kernel:
    return Kernel(
        f"dpl_{op.lower()}_s8__xpulpv2",
        op=op,
        also=also,
        order=BY_ELEMENTS,
        assembly=(assembly,),
        cycles=by_elements,
    )


KERNELS: tuple[Kernel, ...] = (
    _by_words("Add", "add_words.S", "Sub"),
    _by_words("Mul", "mul_words.S"),
    _by_words("Table", "table_words.S"),
    _by_words("Rescale", "affine_runs.S"),
    _by_words("PRelu", "prelu_runs.S"),
)
