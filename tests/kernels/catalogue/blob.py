"""Cases as the binary that driver/main.c walks: little-endian words, bytes filled up to words as
far beyond one as the driver places them."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from catalogue.case import Case, Operand
from catalogue.laid_blocks import is_met, with_blocks
from catalogue.suite import cases
from deployer.kernelset import layouts
from deployer.kernelset.kernel import Kernel
from deployer.kernelset.layouts import WeightLayout

_SCRATCH_BYTE = b"\x99"
_GUARD = b"\xc3"  # as driver/cases.h has it


@dataclass(frozen=True, eq=False)
class Trial:
    """One kernel on one case."""

    kernel: Kernel
    case: Case


def trials(kernels: Iterable[Kernel]) -> list[Trial]:
    """Every kernel on every case of its operators that it takes."""
    listed = (
        Trial(kernel, case)
        for kernel in kernels
        for op in kernel.ops
        for case in cases(op, kernel.act, kernel.out_act, kernel.contiguous)
    )
    return [trial for trial in listed if is_met(trial.kernel, trial.case)]


def pack(
    listed: Sequence[Trial], kernels: Sequence[Kernel], *, limit: int = 1 << 62
) -> list[bytes]:
    """The blobs, each of at most ``limit`` bytes. A case's id is its place in ``listed``."""
    index = {kernel.symbol: i for i, kernel in enumerate(kernels)}
    found: list[list[bytes]] = [[]]
    size = 4
    for number, trial in enumerate(listed):
        case = b"".join(_case(number, index[trial.kernel.symbol], trial))
        if size + len(case) > limit:
            found.append([])
            size = 4
        found[-1].append(case)
        size += len(case)
    return [b"".join([_words(len(cases)), *cases]) for cases in found]


def operand_bytes(trial: Trial) -> int:
    """What its operands take, weights in the order that the kernel wants."""
    return sum(map(len, _case(0, 0, trial)))


def _case(number: int, kernel: int, trial: Trial) -> list[bytes]:
    case = trial.case
    scratch = Operand(_SCRATCH_BYTE * trial.kernel.scratch(case.met))
    operands = [*case.operands, scratch]
    words = case.words
    with_blocks(trial.kernel, case, operands)
    if trial.kernel.weight_layout and case.parameters is not None:
        packed = layouts.packed(trial.kernel.weight_layout, case.parameters)
        operands[case.output + 1] = Operand(packed.tobytes())  # aligned, as the generator's arrays
        for index in _unread(trial.kernel.weight_layout, case):
            operands[case.output + index] = Operand(b"")
    head = _words(number, kernel, case.output, len(words), len(operands), *words)
    sizes = _words(*(n for o in operands for n in (len(o.data), o.shift)))
    bodies = [_in_words(operand.data, operand.shift, _GUARD) for operand in operands]
    bodies.insert(case.output + 1, _in_words(case.mask, operands[case.output].shift, b"\0"))
    return [head, sizes, *bodies]


def _unread(layout: WeightLayout, case: Case) -> Iterator[int]:
    """Constants behind the output that a kernel does not read, since its weights hold them: 2 is
    the bias, 3 the multipliers."""
    if layout.has_multipliers or layout.has_floats:
        yield 2
    if layout.has_multipliers and case.high_word and layout.finishes(case.seen.out_channels):
        yield 3


def _words(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}i", *numbers)


def _in_words(data: bytes, shift: int, beside: bytes) -> bytes:
    return beside * shift + data + beside * (-(shift + len(data)) % 4)
