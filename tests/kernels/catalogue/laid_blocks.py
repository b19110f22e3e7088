"""A case's input or output with transposed blocks, for kernels that want it so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from catalogue.case import Case, Operand
from deployer.ir.types import transposed_blocks
from deployer.kernelset.kernel import Kernel


def is_met(kernel: Kernel, case: Case) -> bool:
    """Whether ``kernel`` computes ``case`` when the tensors lie as it wants them: those of tiles
    meet no windows that sides cut."""
    seen = replace(
        case.seen, blocked_input=kernel.blocked_input, blocked_output=kernel.blocked_output
    )
    return kernel.takes(seen) and not (kernel.in_tiles and kernel.border_padding(seen))


def with_blocks(kernel: Kernel, case: Case, operands: list[Operand]) -> None:
    """Turns the input among ``operands`` and the expected output, which have no gaps."""
    if kernel.blocked_input:
        operands[0] = _turned(operands[0], case.seen.in_shapes[0])
    if kernel.blocked_output:
        operands[case.output] = _turned(operands[case.output], case.seen.out_shape)


def _turned(operand: Operand, shape: tuple[int, ...]) -> Operand:
    pixels = np.frombuffer(operand.data, np.int8)
    size = int(np.prod(shape))
    turned = transposed_blocks(pixels[:size].reshape(shape)).tobytes()
    return Operand(turned + pixels[size:].tobytes(), operand.shift)
