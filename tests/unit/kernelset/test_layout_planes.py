"""What convolutions in planes and in lanes take their weights from, read as kernels read it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deployer.ir import Pads
from deployer.kernelset import KernelCase, by_symbol
from deployer.kernelset.layouts import Parameters, WeightLayout, packed

MOST = 8


def parameters(shape: tuple[int, ...], groups: int) -> Parameters:
    rng = np.random.default_rng(sum(shape) + groups)
    ids = np.arange(shape[0], dtype=np.int32)
    return Parameters(
        rng.integers(-128, 128, shape).astype(np.int8),
        ids,
        ids + 1000,
        rounding=ids + 2000,
        shift=(ids % 32).astype(np.uint8),
        groups=groups,
    )


def read(data: np.ndarray, outputs: int, values: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Weights [output, value] and tables [output, kind] of a group, and the bytes of both."""
    weights, tables, at = [], [], 0
    count = -(-outputs // MOST)
    for i in range(count):
        channels = (outputs + count - 1 - i) // count
        step = MOST if channels > MOST // 2 else MOST // 2
        size = -(-2 * step * values // 16) * 16
        own = data[at : at + 2 * step * values].view("<i2").reshape(values, step)
        assert not own[:, channels:].any()
        weights.append(own[:, :channels].T)
        tables.append(data[at + size : at + size + 16 * channels].view("<i4").reshape(channels, 4))
        at += size + 16 * channels
    return np.concatenate(weights), np.concatenate(tables), at


@pytest.mark.parametrize("groups", [1, 3])
@pytest.mark.parametrize("outputs", [1, 2, 4, 5, 8, 9, 17, 30])
def test_kernel_reads_weights_and_tables(groups: int, outputs: int) -> None:
    given = parameters((groups * outputs, 3, 1, 5), groups)
    data, at = packed(WeightLayout.PLANES, given), 0
    flat = given.weights.reshape(groups, outputs, 15)
    for group in range(groups):
        weights, tables, size = read(data[at:], outputs, 15)
        own = slice(group * outputs, (group + 1) * outputs)
        assert np.array_equal(weights, flat[group])
        kinds = [given.bias, given.multiplier, given.rounding, -given.shift.astype(np.int32)]
        assert np.array_equal(tables, np.stack([kind[own] for kind in kinds], axis=1))
        at += size
    assert at == len(data)


def test_outputs_of_a_channel_are_those_of_a_group() -> None:
    grouped = parameters((3 * 10, 2, 5, 1), groups=3)
    depthwise = replace(grouped, weights=grouped.weights[..., 0].transpose(1, 2, 0))
    wanted = packed(WeightLayout.PLANES, grouped)
    assert np.array_equal(packed(WeightLayout.PLANES_DEPTHWISE, depthwise), wanted)


@pytest.mark.parametrize("depth", [8, 13, 16, 118])
@pytest.mark.parametrize("outputs", [1, 2, 5])
def test_lanes_take_every_value_once(depth: int, outputs: int) -> None:
    given = parameters((2 * outputs, 2, 3, depth), groups=2)
    data, at, steps = packed(WeightLayout.DEEP, given), 0, -(-depth // 8)
    starts = [min(8 * step, depth - 8) for step in range(steps)]
    for first in [group * outputs + i for group in range(2) for i in range(0, outputs, 2)]:
        count = min(2, outputs - first % outputs)
        size = 2 * 6 * steps * count * 8
        own = data[at : at + size].view("<i2").reshape(6, steps, count, 8)
        found = np.zeros((count, 6, depth), np.int64)
        for step, start in enumerate(starts):
            found[:, :, start : start + 8] += own[:, step].transpose(1, 0, 2)
        assert np.array_equal(found, given.weights[first : first + count].reshape(count, 6, depth))
        assert data[at + size : at + size + 4].view("<i4")[0] == given.bias[first]
        at += size + 16 * count
    assert at == len(data)


def test_lanes_have_biases_without_zero_points() -> None:
    given = replace(parameters((1, 1, 2, 8), groups=1), zero=-5)
    bias = packed(WeightLayout.DEEP, given)[-16:].view("<i4")[0]
    assert bias == given.bias[0] - 5 * given.weights.astype(int).sum()


@pytest.mark.parametrize("act", ["s8", "s16"])
def test_many_channels_and_few_outputs_multiply_in_lanes(act: str) -> None:
    case = KernelCase("ConvTranspose2d", act, "s8", ((1, 25, 10, 118),), (1, 25, 10, 1), (5, 5))
    kernel = by_symbol(f"dpl_conv_transpose2d_{act}__armv8a_deep")
    assert kernel.takes(case)
    assert not kernel.yields(case)


@pytest.mark.parametrize(("outputs", "taken"), [(160, True), (16, False)])
def test_many_outputs_a_channel_go_before_lanes_of_channels(outputs: int, taken: bool) -> None:
    kernel = by_symbol("dpl_depthwise_conv2d_s16__armv8a_planes")
    many = KernelCase(
        "DepthwiseConv2d", "s16", "s8", ((1, 128, 1, 16),), (1, 122, 1, outputs), (7, 1), groups=16
    )
    assert kernel.takes(many) == taken
    assert not taken or not kernel.yields(many)


def test_few_pixels_leave_lanes_to_channels() -> None:
    kernel = by_symbol("dpl_depthwise_conv2d_s16__armv8a_planes")
    few = KernelCase(
        "DepthwiseConv2d", "s16", "s8", ((1, 12, 12, 118),), (1, 3, 3, 472), (5, 5), (3, 3)
    )
    assert kernel.takes(few)
    assert kernel.yields(few)


def test_few_channels_a_group_go_before_blocks() -> None:
    kernel = by_symbol("dpl_conv2d_s16__armv8a_planes")
    few = KernelCase(
        "Conv2d",
        "s16",
        "s8",
        ((1, 20, 33, 48),),
        (1, 20, 33, 48),
        kernel=(3, 1),
        pads=Pads(1, 0, 1, 0),
        groups=16,
    )
    many = KernelCase(
        "Conv2d", "s16", "s8", ((1, 16, 16, 64),), (1, 16, 16, 64), (3, 3), pads=Pads(1, 1, 1, 1)
    )
    assert kernel.takes(few)
    assert not kernel.yields(few)
    assert not kernel.takes(many) or kernel.yields(many)


@pytest.mark.parametrize("groups", [8, 11, 16])
def test_lanes_of_groups_take_every_weight(groups: int) -> None:
    outputs, values = 3, 2 * 3 * 5
    given = parameters((groups * outputs, 2, 3, 5), groups)
    data, at = packed(WeightLayout.GROUPS, given), 0
    wanted = given.weights.reshape(groups, outputs, values)
    for first in [min(first, groups - 8) for first in range(0, groups, 8)]:
        for n in range(outputs):
            own = data[at : at + 16 * values].view("<i2").reshape(values, 8)
            tables = data[at + 16 * values : at + 16 * values + 128].view("<i4").reshape(4, 8)
            ids = np.arange(first, first + 8) * outputs + n
            assert np.array_equal(own.T, wanted[first : first + 8, n])
            assert np.array_equal(tables, [ids, ids + 1000, ids + 2000, -(ids % 32)])
            at += 16 * values + 128
    assert at == len(data)


@pytest.mark.parametrize("groups", [4, 6])
def test_lanes_of_few_groups_are_those_of_two_pixels(groups: int) -> None:
    values = 2 * 3 * 5
    given = parameters((groups, 2, 3, 5), groups)
    data, at = packed(WeightLayout.GROUPS, given), 0
    wanted = given.weights.reshape(groups, values)
    for first in [min(first, groups - 4) for first in range(0, groups, 4)]:
        own = data[at : at + 16 * values].view("<i2").reshape(values, 8)
        biases = data[at + 16 * values : at + 16 * values + 32].view("<i4")
        for half in (own[:, :4], own[:, 4:]):
            assert np.array_equal(half.T, wanted[first : first + 4])
        assert np.array_equal(biases, [*range(first, first + 4)] * 2)
        at += 16 * values + 128
    assert at == len(data)


def test_wide_pixels_have_the_outputs_of_each_column() -> None:
    """Three columns of a kernel in strides of two: the last has none beside it."""
    given = replace(parameters((2, 1, 3, 1), groups=1), stride=(1, 2))
    (a, b, c), (d, e, f) = given.weights.reshape(2, 3)
    data = packed(WeightLayout.PLANES_WIDE, given)
    taps = data[:16].view("<i2").reshape(2, 4)  # the last column first, then those before it
    biases = data[16:].view("<i4").reshape(4, 4)[:, 0]
    assert np.array_equal(taps, [[c, f, 0, 0], [a, d, b, e]])
    assert np.array_equal(biases, [0, 1, 0, 1])


@pytest.mark.parametrize("act", ["s8", "s16"])
def test_few_outputs_take_pixels_of_a_stride_as_one(act: str) -> None:
    kernel = by_symbol(f"dpl_conv_transpose2d_{act}__armv8a_wide")
    shapes = ((1, 20, 33, 10),), (1, 60, 99, 2), (3, 3)
    case = KernelCase("ConvTranspose2d", act, "s8", *shapes, (3, 3), rule="q32")
    assert kernel.takes(case)
    assert not kernel.yields(case)
    cut = replace(case, kernel=(5, 5), pads=Pads(1, 1, 1, 1))
    assert kernel.takes(cut)
    assert not kernel.takes(replace(cut, in_shapes=((1, 20, 1, 10),), out_shape=(1, 60, 3, 2)))


@pytest.mark.parametrize("act", ["s8", "s16"])
def test_many_groups_go_to_lanes_of_groups(act: str) -> None:
    kernel = by_symbol(f"dpl_conv_transpose2d_{act}__armv8a_groups")
    shapes = ((1, 25, 10, 32),), (1, 50, 20, 16), (4, 4)
    case = KernelCase(
        "ConvTranspose2d", act, "s8", *shapes, (2, 2), pads=Pads(1, 1, 1, 1), groups=16
    )
    assert kernel.takes(case)
    assert not kernel.yields(case)
    assert kernel.takes(replace(case, groups=4))
    assert not kernel.takes(replace(case, groups=2))
