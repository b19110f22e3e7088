"""Weights of Winograd's convolution: the products at a tile's positions give the convolution."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.kernelset.blocking.cortex_m import WEIGHT_OVERREAD_BYTES as BEYOND
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.layouts import Parameters, WeightLayout, packed
from deployer.kernelset.layouts.winograd import transformed
from deployer.kernelset.order import AccessOrder
from deployer.kernelset.overlap_offset import order_of
from deployer.kernelset.select import by_symbol

_B = np.array([[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]])
_A = np.array([[1, 1, 1, 0], [0, 1, -1, -1]])
KERNEL = by_symbol("dpl_conv2d_s8__armv7em_winograd")


def drawn(seed: int, shape: tuple[int, ...], *, extreme: bool) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.choice([-128, 127], shape) if extreme else rng.integers(-128, 128, shape)
    return values.astype(np.int8)


@given(seed=st.integers(0, 2**32 - 1), depth=st.sampled_from([4, 8, 20]), extreme=st.booleans())
def test_sums_of_products_are_four_times_the_convolution(
    seed: int, depth: int, extreme: bool
) -> None:
    weights = drawn(seed, (3, 3, 3, depth), extreme=extreme)
    tile = drawn(seed + 1, (4, 4, depth), extreme=extreme).astype(np.int64)
    seen = np.einsum("iy,jx,yxc->ijc", _B, _B, tile)
    assert np.abs(seen).max() < 1 << 10
    sums = (seen * transformed(weights)).sum(axis=3)
    found = np.einsum("iy,jx,oyx->oij", _A, _A, sums)
    wide = weights.astype(np.int64)
    expected = [
        [[(tile[y : y + 3, x : x + 3] * one).sum() for x in (0, 1)] for y in (0, 1)] for one in wide
    ]
    assert np.array_equal(found, 4 * np.array(expected))


def test_transformed_weights_have_twelve_bits() -> None:
    weights = np.full((1, 3, 3, 4), -128, np.int8)
    assert np.abs(transformed(weights)).max() == 9 * 128


@pytest.mark.parametrize("channels", [1, 2, 5])
def test_the_stream_has_a_piece_for_each_pair_of_channels(channels: int) -> None:
    depth = 8
    weights = drawn(7, (channels, 3, 3, depth), extreme=False)
    bias = np.arange(100, 100 + channels, dtype=np.int32)
    multiplier = np.arange(1, channels + 1, dtype=np.int32)
    flat = packed(WeightLayout.WINOGRAD, Parameters(weights, bias, multiplier))
    pairs, piece = -(-channels // 2), 16 + 2 * 2 * 16 * depth
    assert flat.dtype == np.int8
    assert flat.size == pairs * piece + BEYOND
    last = flat[(pairs - 1) * piece :]
    head, products = last[:16].view("<i4"), last[16:piece].view("<i2")
    first = 2 * (pairs - 1)
    assert (head[0], head[2]) == (bias[first], multiplier[first])
    by_four = products.reshape(16, depth // 4, 2, 2, 2)  # position, four, odd values, ab, pair
    expected = transformed(weights)[first].reshape(16, depth // 4, 4)
    assert np.array_equal(by_four[:, :, 0, 0], expected[:, :, 0::2])
    assert np.array_equal(by_four[:, :, 1, 0], expected[:, :, 1::2])
    if channels % 2:
        assert not by_four[:, :, :, 1].any()
        assert head[1] == head[3] == 0


@pytest.mark.parametrize("depth", [5, 6, 7, 63])
def test_the_last_four_of_other_channels_begin_earlier(depth: int) -> None:
    weights = drawn(3, (2, 3, 3, depth), extreme=False)
    nothing, whole = np.zeros(2, np.int32), depth // 4 * 4
    again = np.zeros((2, 3, 3, 4 - depth % 4), np.int8)
    filled = np.concatenate([weights[..., :whole], again, weights[..., whole:]], axis=3)
    found, expected = (
        packed(WeightLayout.WINOGRAD, Parameters(each, nothing, nothing))
        for each in (weights, filled)
    )
    assert np.array_equal(found, expected)


def case(height: int, width: int, depth: int, **other: object) -> KernelCase:
    shapes = ((1, height, width, depth),), (1, height - 2, width - 2, 16)
    return KernelCase("Conv2d", "s8", "s8", *shapes, kernel=(3, 3), **other)


def test_it_takes_three_by_three_at_stride_one_of_four_channels_or_more() -> None:
    assert KERNEL.takes(case(10, 10, 8))
    assert KERNEL.takes(case(10, 10, 6))
    assert KERNEL.opt_in
    assert not KERNEL.takes(case(10, 10, 3))
    assert not KERNEL.takes(case(10, 10, 8, stride=(2, 1)))
    assert not KERNEL.takes(case(10, 10, 8, dilation=(1, 2)))
    assert not KERNEL.takes(case(10, 10, 8, groups=2))


def test_a_strip_is_bounded_and_small_outputs_take_a_small_one() -> None:
    large, small = (KERNEL.scratch(case(side, side, 32)) for side in (50, 6))
    assert small < large <= 20480 + 33 * 32
    assert KERNEL.scratch(case(90, 90, 32)) == large
    order = order_of(KERNEL, case(50, 50, 32))
    assert isinstance(order, AccessOrder)
    assert (order.rows, order.columns) == (2, 2)
    assert order.run % 3 == 0
    assert order.buffered
