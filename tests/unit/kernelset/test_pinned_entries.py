"""What the catalogue states of each kernel, but for rules: those are in golden/kernels.txt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, fields
from itertools import product
from pathlib import Path

from deployer.ir.attrs import Pads
from deployer.kernelset.code import code_bytes
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.overlap_offset import order_of, overlap_offset_of
from deployer.kernelset.select import candidates, families
from planned import pinned
from unit.kernelset.table import cases

FOLDER = Path(__file__).parent / "pinned"


def test_what_is_stated_of_each_kernel_is_pinned() -> None:
    lines = []
    for family, kernels in families().items():
        lines += [f"== {family}", *(_told(kernel) for kernel in kernels)]
    pinned(FOLDER / "entries.txt", "\n".join(lines))


def test_scratch_order_and_cycles_of_wide_and_deep_cases_are_pinned() -> None:
    pinned(FOLDER / "wide-cases.txt", "\n".join(_wide()))


def test_how_far_outputs_may_lie_over_inputs_is_pinned() -> None:
    lines = []
    for index, case in enumerate(cases()):
        able = list(candidates(("cortex_m", "cmsis_nn", "pulp"), case))
        told = (
            f"{kernel.symbol.partition('__')[2]} "
            f"{[overlap_offset_of(kernel, case, i, cores=1) for i in range(len(case.in_shapes))]}"
            for kernel in able
        )
        alone = [
            kernel.family
            for kernel in able
            if overlap_offset_of(kernel, case, 0, cores=8) is not None
        ]
        lines.append(f"{index} {case.op} {case.out_shape}: {', '.join(told)}; by cores {alone}")
    pinned(FOLDER / "overlap-offsets.txt", "\n".join(lines))


def _wide() -> Iterator[str]:
    sizes = product((16, 100, 171, 400), (4, 12, 64, 512), ((3, 3), (1, 1), (5, 5), (7, 1)), (1, 2))
    for index, (width, depth, kernel, stride) in enumerate(sizes):
        pads = Pads(*(side // 2 for side in (*kernel, *kernel)))
        out = (1, -(-9 // stride), -(-width // stride))
        for op, channels in (("Conv2d", 12 + 20 * (index % 3)), ("DepthwiseConv2d", depth)):
            for act in ("s8", "s16")[: 1 + index % 2]:
                case = KernelCase(
                    op, act, "s8", ((1, 9, width, depth),), (*out, channels), kernel,
                    (stride, stride), pads=pads, groups=1 if op == "Conv2d" else depth, rule="i32",
                    contiguous=bool(index % 2),
                )  # fmt: skip
                head = f"{op} {act} {width}x{depth} to {channels}, {kernel} by {stride}"
                yield f"{head}: {_costs(case)}"


def _costs(case: KernelCase) -> str:
    able = candidates(("cortex_m", "pulp"), case)
    told = []
    for kernel in (each for each in able if each.family != "ref"):
        cycles = f" {round(kernel.cycles(case))} cycles" if kernel.cycles else ""
        order = order_of(kernel, case)
        where = [int(each) for each in astuple(order)] if order else "none"
        told.append(f"{kernel.symbol.partition('__')[2]} {kernel.scratch(case)} {where}{cycles}")
    return "; ".join(told)


def _told(kernel: Kernel) -> str:
    """Of few kernels a formula decides, and of others that is not told."""
    stated = ((field.name, getattr(kernel, field.name)) for field in fields(Kernel))
    told = ((name, value) for name, value in stated if name != "formula_decides" or value)
    plain = [f"{name}={value!r}" for name, value in told if not callable(value)]
    return f"{' '.join(plain)}: {code_bytes([kernel])} B, {', '.join(kernel.sources)}"
