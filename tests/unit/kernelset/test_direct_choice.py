"""Which convolutions are computed where their windows lie: those that took fewer cycles so when
each kernel ran them in the emulator."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deployer.ir import Pads
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.select import candidates

DIRECT = "armv7em_direct"


def _first(case: KernelCase) -> str:
    found = next(iter(candidates(["cortex_m"], case)))
    return found.symbol.partition("__")[2]


def _conv(
    image: tuple[int, int, int], channels: int, kernel: tuple[int, int], groups: int
) -> KernelCase:
    """Stride 1, as large as its input."""
    down, right = (extent - 1 for extent in kernel)
    return KernelCase(
        op="Conv2d",
        act="s16",
        weights="s8",
        in_shapes=((1, *image),),
        out_shape=(1, *image[:2], channels),
        kernel=kernel,
        pads=Pads(down // 2, right // 2, down - down // 2, right - right // 2),
        groups=groups,
        rule="q32",
    )


@pytest.mark.parametrize(
    ("image", "channels", "kernel", "groups"),
    [
        ((48, 48, 8), 8, (1, 1), 4),  # 3.6 cycles a product in place of 8.6
        ((48, 48, 10), 10, (1, 1), 2),  # 2.2 of 4.7
        ((12, 12, 118), 1, (10, 4), 1),  # 1.4 of 4.9
        ((12, 12, 252), 4, (3, 3), 4),  # 1.3 of 2.3
    ],
)
def test_few_outputs_of_each_input_are_computed_where_windows_lie(
    image: tuple[int, int, int], channels: int, kernel: tuple[int, int], groups: int
) -> None:
    assert _first(_conv(image, channels, kernel, groups)) == DIRECT


@pytest.mark.parametrize(
    ("image", "channels", "kernel", "groups", "other"),
    [
        ((16, 16, 32), 64, (3, 3), 1, "armv7em"),
        ((16, 16, 64), 64, (1, 1), 1, "armv7em_1x1"),
        ((20, 33, 1), 63, (10, 4), 1, "armv7em_rows"),  # 0.7 of 1.7
        ((48, 48, 1), 3, (3, 3), 1, "armv7em_planes"),  # 2.0 of 3.5
        ((16, 16, 128), 480, (1, 1), 16, "armv7em_groups"),  # 1.3 of 2.8
    ],
)
def test_many_outputs_of_each_input_are_not(
    image: tuple[int, int, int], channels: int, kernel: tuple[int, int], groups: int, other: str
) -> None:
    assert _first(_conv(image, channels, kernel, groups)) == other


@pytest.mark.parametrize(
    ("image", "channels", "kernel", "stride", "groups", "wanted"),
    [
        ((48, 48, 8), 3, (9, 1), 3, 1, "armv7em_halves"),  # 1.7 cycles a product in place of 2.2
        ((16, 16, 68), 8, (1, 1), 1, 4, "armv7em_halves"),  # 2.3 of 3.0
        ((48, 48, 10), 10, (2, 2), 3, 2, "armv7em_halves"),  # 1.9 of 2.2
        ((16, 16, 5), 17, (7, 1), 1, 1, "armv7em"),  # 1.2 of 1.4
        ((48, 48, 8), 34, (9, 1), 2, 2, "armv7em_groups"),
        ((16, 16, 16), 16, (3, 3), 1, 1, "armv7em"),
    ],
)
def test_bytes_are_widened_where_columns_take_more_cycles(
    image: tuple[int, int, int],
    channels: int,
    kernel: tuple[int, int],
    stride: int,
    groups: int,
    wanted: str,
) -> None:
    case = _conv(image, channels, kernel, groups)
    tall, wide = (-(-extent // stride) for extent in image[:2])
    steps = replace(case, act="s8", stride=(stride, stride), out_shape=(1, tall, wide, channels))
    found = (kernel.symbol for kernel in candidates(["cortex_m"], steps) if not kernel.opt_in)
    assert next(found).partition("__")[2] == wanted


def _few_windows(channels: int, outputs: int, kernel: tuple[int, int], side: int) -> KernelCase:
    """Bytes at a stride of 3, without padding."""
    return KernelCase(
        op="Conv2d",
        act="s8",
        weights="s8",
        in_shapes=((1, 4 + 3 * (side - 2), 4 + 3 * (side - 2), channels),),
        out_shape=(1, side, side, outputs),
        kernel=kernel,
        stride=(3, 3),
        rule="q32",
    )


@pytest.mark.parametrize(
    ("case", "wanted"),
    [
        (_few_windows(480, 2, (3, 3), 1), "armv7em_direct"),  # 1.6 cycles a product of 2.3
        (_few_windows(64, 2, (2, 2), 1), "armv7em_direct"),  # 2.0 of 4.6
        (_few_windows(63, 2, (3, 3), 1), "armv7em_bytes"),  # 3.5 of 3.9
        (_few_windows(480, 17, (3, 3), 1), "armv7em_halves"),
        (_few_windows(64, 10, (1, 1), 2), "armv7em"),
        (_few_windows(64, 1, (1, 1), 3), "armv7em"),  # nine windows
    ],
)
def test_few_windows_of_few_outputs_stay_bytes(case: KernelCase, wanted: str) -> None:
    assert _first(case) == wanted


def test_windows_that_need_too_large_copies_are_not() -> None:
    wide = _conv((64, 128, 118), 1, (5, 5), 1)
    assert _first(wide) != DIRECT


def test_regions_take_other_kernels() -> None:
    case = _conv((48, 48, 8), 8, (1, 1), 4)
    found = next(iter(candidates(["cortex_m"], case, windows=True)))
    assert found.symbol == "dpl_conv2d_s16__armv7em_groups"
