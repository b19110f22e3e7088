"""Operators that take elements one by one."""

from __future__ import annotations

from deployer.kernelset.cmsis_nn.convolution import ROUNDS_ONCE
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import BY_ELEMENTS


def _same_shapes(case: KernelCase) -> bool:
    return case.rule in ROUNDS_ONCE and case.in_shapes[0] == case.in_shapes[1]


KERNELS: tuple[Kernel, ...] = (
    Kernel("dpl_add_s8__cmsis_nn", op="Add", also=("Sub",), order=BY_ELEMENTS, contiguous=True),
    Kernel("dpl_mul_s8__cmsis_nn", op="Mul", when=_same_shapes, order=BY_ELEMENTS, contiguous=True),
)
