"""How a depthwise convolution by pixels is cut, and where it is chosen."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.ir import Pads
from deployer.kernelset.cortex_m.depthwise_cycles import pixel_cycles, row_cycles
from deployer.kernelset.cortex_m.depthwise_pixels import (
    bands_of,
    copied_bytes,
    fours_of_part,
    parts_of,
    pixel_plan,
)
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.select import families


def case(
    shape: tuple[int, int, int],
    kernel: tuple[int, int] = (3, 3),
    stride: int = 1,
    pads: Pads | None = None,
    act: str = "s8",
) -> KernelCase:
    (tall, wide, channels), pads = shape, pads or Pads()
    out = (
        (tall + pads.top + pads.bottom - kernel[0]) // stride + 1,
        (wide + pads.left + pads.right - kernel[1]) // stride + 1,
    )
    return KernelCase(
        "DepthwiseConv2d",
        act,
        "s8",
        ((1, tall, wide, channels),),
        (1, *out, channels),
        kernel=kernel,
        stride=(stride, stride),
        pads=pads,
        groups=channels,
        rule="q32",
    )


@given(
    shape=st.tuples(st.integers(5, 24), st.integers(5, 24), st.integers(1, 70)),
    kernel=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    stride=st.integers(1, 3),
    pads=st.builds(Pads, *[st.integers(0, 2)] * 4),
)
def test_parts_of_all_bands_are_the_output_once(
    shape: tuple[int, int, int], kernel: tuple[int, int], stride: int, pads: Pads
) -> None:
    of = case(shape, kernel, stride, pads)
    plan, (_, tall, wide, _) = pixel_plan(of), of.out_shape
    pixels = [
        (y, x)
        for begin in range(0, tall, plan.band)
        for (rows, columns), _ in parts_of(plan, (begin, min(begin + plan.band, tall)))
        for y in range(*rows)
        for x in range(*columns)
    ]
    assert sorted(pixels) == [(y, x) for y in range(tall) for x in range(wide)]
    copies = [sum(copied_bytes(of, part) for part in band) for band in bands_of(plan)]
    assert plan.bytes >= max(copies)


@pytest.mark.parametrize(
    ("rows", "columns", "fours"),
    [(6, 6, 9), (7, 7, 13), (9, 4, 9), (14, 14, 49), (3, 3, 3), (1, 6, 2), (5, 1, 2), (2, 2, 2)],
)
def test_fours_of_a_rectangle(rows: int, columns: int, fours: int) -> None:
    part = (0, rows), (0, columns)
    assert fours_of_part(part) == fours >= math.ceil(rows * columns / 4)


def taken(of: KernelCase) -> str:
    able = [kernel for kernel in families()["cortex_m"] if kernel.takes(of)]
    return next(k for k in sorted(able, key=lambda k: k.yields(of))).symbol


@pytest.mark.parametrize("act", ["s8", "s16"])
def test_pixels_of_no_whole_words_at_strides_go_four_at_a_time(act: str) -> None:
    assert taken(case((48, 48, 5), stride=3, act=act)).endswith(f"{act}__armv7em_pixels")


@pytest.mark.parametrize("act", ["s8", "s16"])
def test_rows_that_slide_stay_packed(act: str) -> None:
    of = case((32, 32, 5), (5, 5), act=act)
    assert row_cycles(of) < pixel_cycles(of)
    assert not taken(of).endswith("_pixels")
