"""Runs of four channels' taps and tables, read back as the depthwise kernels of ARMv7E-M do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.kernelset.blocking.cortex_m import WEIGHT_OVERREAD_BYTES
from deployer.kernelset.layouts import Parameters, WeightLayout, packed

ORDERS = {WeightLayout.TAPS_C4: [0, 2, 1, 3], WeightLayout.TAPS_C4_ORDERED: [0, 1, 2, 3]}


def parameters(kernel: tuple[int, int], inputs: int, multiplier: int) -> Parameters:
    rng = np.random.default_rng(inputs * 31 + multiplier)
    channels = inputs * multiplier
    weights = rng.integers(-128, 128, (*kernel, channels)).astype(np.int8)
    bias, factor = rng.integers(-(2**30), 2**30, (2, channels)).astype(np.int32)
    return Parameters(weights, bias, factor, rule="q32", groups=inputs)


@pytest.mark.parametrize("layout", ORDERS)
@given(
    kernel=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    inputs=st.integers(4, 14),
    multiplier=st.integers(1, 4),
)
def test_pass_j_has_output_j_of_every_input_channel(
    layout: WeightLayout, kernel: tuple[int, int], inputs: int, multiplier: int
) -> None:
    of, taps = parameters(kernel, inputs, multiplier), kernel[0] * kernel[1]
    flat = packed(layout, of)[:-WEIGHT_OVERREAD_BYTES]
    runs = flat.reshape(multiplier, -1, 32 + 8 * taps)
    assert runs.shape[1] == -(-inputs // 4)
    for j, each in enumerate(runs):
        for first, run in zip(range(0, inputs, 4), each, strict=True):
            begin = min(first, inputs - 4)  # the last four cover channels again
            channels = [(begin + lane) * multiplier + j for lane in range(4)]
            assert np.array_equal(run[:16].view("<i4"), of.bias[channels])
            assert np.array_equal(run[-16:].view("<i4"), of.multiplier[channels])
            halves = run[16:-16].view("<i2").reshape(taps, 4)
            ordered = of.weights.reshape(taps, -1)[:, channels][:, ORDERS[layout]]
            assert np.array_equal(halves, ordered)


@given(
    kernel=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    inputs=st.integers(2, 9),
    multiplier=st.sampled_from((2, 4, 7, 8, 10)),
)
def test_four_outputs_are_those_of_one_or_two_channels(
    kernel: tuple[int, int], inputs: int, multiplier: int
) -> None:
    of, taps = parameters(kernel, inputs, multiplier), kernel[0] * kernel[1]
    step, passes = (2, 1) if multiplier == 2 else (1, -(-multiplier // 4))
    runs = packed(WeightLayout.TAPS_X4, of).reshape(passes, -1, 32 + 8 * taps)
    assert runs.shape[1] == -(-inputs // step)
    for j, each in enumerate(runs):
        for first, run in zip(range(0, inputs, step), each, strict=True):
            begin = min(first, inputs - step) * multiplier + max(0, min(4 * j, multiplier - 4))
            four = slice(begin, begin + 4)  # the last two channels, or outputs, cover some again
            assert np.array_equal(run[:16].view("<i4"), of.bias[four])
            assert np.array_equal(run[-16:].view("<i4"), of.multiplier[four])
            halves = run[16:-16].view("<i2").reshape(taps, 4)
            assert np.array_equal(halves, of.weights.reshape(taps, -1)[:, four])


@given(
    kernel=st.tuples(st.integers(1, 4), st.integers(1, 6)),
    inputs=st.integers(1, 9),
    multiplier=st.integers(1, 4),
)
def test_taps_of_a_channel_lie_in_pairs_between_its_bias_and_its_multiplier(
    kernel: tuple[int, int], inputs: int, multiplier: int
) -> None:
    of = parameters(kernel, inputs, multiplier)
    runs = packed(WeightLayout.PIXEL_TAPS, of).reshape(inputs * multiplier, -1)
    for channel, run in enumerate(runs):
        assert run[:4].view("<i4") == of.bias[channel]
        assert run[-4:].view("<i4") == of.multiplier[channel]
        halves, rows = run[4:-4].view("<i2"), of.weights[..., channel]
        if kernel[1] == 5:
            rows = np.pad(rows, ((0, 0), (0, 1)))
        assert np.array_equal(halves[: rows.size], rows.reshape(-1))
        assert len(halves) == rows.size + rows.size % 2
        assert not halves[rows.size :].any()
