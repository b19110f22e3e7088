"""Which kernels take a case, as text: ``PYTHONPATH=.:tests python -m unit.kernelset.table`` prints
what belongs into golden/kernels.txt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from deployer.ir.attrs import Pads
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import AccessOrder
from deployer.kernelset.select import candidates

FAMILIES = ("cortex_m", "cmsis_nn", "pulp")
SIZES = ((9, 7), (1, 12), (8, 1), (16, 16))
WINDOWS = ((1, 1), (3, 3), (2, 3), (5, 5), (7, 1))
STRIDES = ((1, 1), (2, 2), (2, 1), (3, 3))
DEPTHS = (1, 3, 4, 8, 12, 19, 64)
SAMPLE = 50  # of the cases of an operator with weights and a window
SHAPES = ((1, 9, 7, 5), (1, 8, 8, 8), (1, 1, 3, 12), (1, 16, 16, 32), (1, 40))
POINTWISE = ("Add", "Mul", "Table", "Rescale")


def cases() -> Iterator[KernelCase]:
    yield from _windowed("Conv2d", seed=1)
    yield from _windowed("DepthwiseConv2d", seed=2)
    yield from _windowed("ConvTranspose2d", seed=3)
    yield from _pools()
    yield from _fully_connected()
    for op, shape in product(POINTWISE, SHAPES):
        inputs = 2 if op in ("Add", "Mul") else 1
        yield KernelCase(op, "s8", "", (shape,) * inputs, shape, rule="i32")


def _windowed(op: str, *, seed: int) -> Iterator[KernelCase]:
    rng = np.random.default_rng(seed)

    def one(choices: tuple[tuple[int, int], ...]) -> tuple[int, int]:
        return choices[int(rng.integers(len(choices)))]

    for _ in range(SAMPLE):
        (tall, wide), kernel, stride = one(SIZES), one(WINDOWS), one(STRIDES)
        depth, channels = int(rng.choice(DEPTHS)), int(rng.choice(DEPTHS))
        dilation = (1, 1) if rng.random() < 0.8 else (1, 2)
        pads = Pads(*(int(rng.integers(0, size)) for size in (*kernel, *kernel)))
        if op == "DepthwiseConv2d":
            channels = depth * (1 if rng.random() < 0.8 else 2)
        case = KernelCase(
            op, "s8", "s8", ((1, tall, wide, depth),), (1, tall, wide, channels), kernel, stride,
            dilation, pads, groups=1 if rng.random() < 0.9 else 2, rule="i32",
        )  # fmt: skip
        yield case if rng.random() < 0.8 else replace(case, act="s16")


def _pools() -> Iterator[KernelCase]:
    for op, shape, kernel, pad in product(
        ("MaxPool", "AveragePool"), SHAPES[:4], ((2, 2), (3, 3), (1, 4)), (0, 1)
    ):
        yield KernelCase(
            op, "s8", "", (shape,), (1, -(-shape[1] // 2), -(-shape[2] // 2), shape[3]), kernel,
            (2, 2), pads=Pads(pad, pad, pad, pad), rule="i32",
        )  # fmt: skip


def _fully_connected() -> Iterator[KernelCase]:
    for depth, channels, bound in product((3, 64, 401), (1, 10, 64), (1 << 20, 1 << 25)):
        shapes = ((1, depth),), (1, channels)
        yield KernelCase("FullyConnected", "s8", "s8", *shapes, rule="i32", accumulator_bound=bound)


def row(family: str, case: KernelCase) -> str:
    """``case: kernel scratch cycles order, …``, preferred first; portable kernels left out."""
    found = [k for k in candidates([family], case) if k.family != "ref"]
    return f"{family} {_text(case)}: {', '.join(_facts(k, case) for k in found) or '-'}"


def _facts(kernel: Kernel, case: KernelCase) -> str:
    cycles = f" {kernel.cycles(case):.0f} cycles" if kernel.cycles else ""
    order = kernel.order(case) if callable(kernel.order) else kernel.order
    padding = " border_padding" if kernel.border_padding(case) else ""
    name = kernel.symbol.partition("__")[2]
    return f"{name} {kernel.scratch(case)} B{cycles}{_order(order)}{padding}"


def _order(order: AccessOrder | None) -> str:
    if order is None:
        return ""
    size = f" {order.rows or 'all'} rows" + (f" of {order.columns}" if order.columns else "")
    run = f" runs of {order.run}" if order.run else ""
    kinds = ("buffered", "elementwise", "parts")
    return size + run + "".join(f" {kind}" for kind in kinds if getattr(order, kind))


def _text(case: KernelCase) -> str:
    fields = (*case.kernel, *case.stride, *case.dilation)
    pads = case.pads.top, case.pads.left, case.pads.bottom, case.pads.right
    sizes = f"{_joined(case.in_shapes[0])} to {_joined(case.out_shape)}"
    more = f" window {_joined(fields)} pads {_joined(pads)}" if case.kernel != (1, 1) else ""
    groups = f" groups {case.groups}" if case.groups > 1 else ""
    bound = f" bound {case.accumulator_bound}" if case.accumulator_bound else ""
    return f"{case.op} {case.act} {sizes}{more}{groups}{bound}"


def _joined(numbers: tuple[int, ...]) -> str:
    return "x".join(map(str, numbers))


def text() -> str:
    rows = (row(family, case) for case in cases() for family in FAMILIES)
    return "".join(f"{line}\n" for line in dict.fromkeys(rows) if not line.endswith(": -"))


if __name__ == "__main__":
    print(text(), end="")
