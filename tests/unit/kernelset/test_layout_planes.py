"""What convolutions in planes take their weights from, read as the kernel reads it."""

from __future__ import annotations

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
