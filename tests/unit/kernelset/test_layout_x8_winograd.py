"""Weights of Winograd's convolution on NEON: eight output channels next to each other."""

from __future__ import annotations

import numpy as np
import pytest

from deployer.kernelset.blocking.neon import SCRATCH_CORES, TRANSFORMED_STRIP_BYTES
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.layouts import Parameters, WeightLayout, packed
from deployer.kernelset.layouts.winograd import transformed
from deployer.kernelset.order import AccessOrder
from deployer.kernelset.overlap_offset import order_of
from deployer.kernelset.select import by_symbol

KERNEL = by_symbol("dpl_conv2d_s8__armv8a_winograd")
EIGHT, POSITIONS, TABLES = 8, 16, 2 * 4 * 4 * 4
SUMS_BYTES = POSITIONS * EIGHT * EIGHT * 4


def weights_of(channels: int, depth: int) -> np.ndarray:
    drawn = np.random.default_rng(7).integers(-128, 128, (channels, 3, 3, depth))
    return drawn.astype(np.int8)


def case(height: int, width: int, depth: int, **other: object) -> KernelCase:
    shapes = ((1, height, width, depth),), (1, height - 2, width - 2, 16)
    return KernelCase("Conv2d", "s8", "s8", *shapes, kernel=(3, 3), **other)


@pytest.mark.parametrize(("channels", "depth"), [(1, 1), (8, 8), (9, 3), (16, 20)])
def test_a_value_lies_before_those_of_the_next_input_channel(channels: int, depth: int) -> None:
    weights, ids = weights_of(channels, depth), np.arange(1, channels + 1, dtype=np.int32)
    given = Parameters(weights, ids, 10 + ids, rule="q31", rounding=-ids, shift=ids.astype("u1"))
    flat = packed(WeightLayout.X8_WINOGRAD, given)
    pieces, whole = -(-channels // EIGHT), -(-depth // EIGHT) * EIGHT
    split = flat.reshape(pieces, POSITIONS * whole * EIGHT * 2 + TABLES)
    products = np.ascontiguousarray(split[:, :-TABLES]).view("<i2")
    read = products.reshape(pieces, POSITIONS, whole, EIGHT).transpose(0, 3, 1, 2)
    read = read.reshape(-1, POSITIONS, whole)
    expected = transformed(weights).reshape(channels, POSITIONS, depth)
    assert np.array_equal(read[:channels, :, :depth], expected)
    assert not read[channels:].any()
    assert not read[:, :, depth:].any()
    tables = np.ascontiguousarray(split[:, -TABLES:]).view("<i4").reshape(-1, 4, 4)
    by_kind = tables.transpose(1, 0, 2).reshape(4, -1)[:, :channels]
    assert np.array_equal(by_kind, [ids, 10 + ids, -ids, -ids])


def test_it_takes_three_by_three_at_stride_one_of_any_channels() -> None:
    assert KERNEL.takes(case(10, 10, 8))
    assert KERNEL.takes(case(10, 11, 3))
    assert KERNEL.opt_in
    assert not KERNEL.takes(case(10, 10, 8, stride=(2, 1)))
    assert not KERNEL.takes(case(10, 10, 8, dilation=(1, 2)))
    assert not KERNEL.takes(case(10, 10, 8, groups=2))


def test_it_takes_no_depth_whose_sums_could_leave_32_bits() -> None:
    largest = 4 * 9 * 128 * 128
    assert KERNEL.takes(case(10, 10, 3640))
    assert 3640 * largest < 1 << 31
    assert not KERNEL.takes(case(10, 10, 3641))
    assert 3641 * largest >= 1 << 31


def test_a_strip_is_bounded_and_small_outputs_take_a_small_one() -> None:
    large, small = (KERNEL.scratch(case(side, side, 32)) for side in (50, 6))
    assert small < large <= SCRATCH_CORES * (TRANSFORMED_STRIP_BYTES + SUMS_BYTES)
    assert KERNEL.scratch(case(90, 90, 32)) == large
    order = order_of(KERNEL, case(50, 50, 32))
    assert isinstance(order, AccessOrder)
    assert (order.rows, order.columns) == (2, 2)
    assert order.run % EIGHT == 0
    assert order.buffered


def test_a_strip_of_deep_tiles_has_a_block() -> None:
    order = order_of(KERNEL, case(50, 50, 512))
    assert isinstance(order, AccessOrder)
    assert order.run == EIGHT
