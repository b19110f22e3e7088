"""A channel's run of taps and tables, read back as the depthwise kernel of XpulpV2 reads it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.kernelset.layouts import Parameters, WeightLayout, packed
from deployer.kernelset.layouts.depthwise import channel_bytes, group_bytes

SIDES = st.integers(1, 7)


def parameters(kernel: tuple[int, int], channels: int, rule: str = "i32") -> Parameters:
    rng = np.random.default_rng(channels * 97 + kernel[0] * 7 + kernel[1])
    weights = rng.integers(-128, 128, (*kernel, channels)).astype(np.int8)
    bias = rng.integers(-(2**15), 2**15, channels).astype(np.int32)
    multiplier = rng.integers(1, 2**10, channels).astype(np.int32)
    rounding = rng.integers(-(2**28), 2**28, channels).astype(np.int32)
    shift = rng.integers(8, 24, channels).astype(np.uint8)
    return Parameters(weights, bias, multiplier, rule=rule, rounding=rounding, shift=shift)


@given(SIDES, SIDES, st.integers(1, 9))
def test_every_tap_has_its_place(height: int, width: int, channels: int) -> None:
    of = parameters((height, width), channels)
    runs = packed(WeightLayout.DEPTHWISE, of).reshape(-1, channel_bytes((height, width)))
    assert len(runs) == -(-channels // 4) * 4
    taps = runs[:channels, : height * width].reshape(channels, height, width)
    assert np.array_equal(taps.transpose(1, 2, 0), of.weights)
    assert not runs[:, height * width : -12].any()
    assert not runs[channels:].any()


@given(SIDES, SIDES, st.integers(0, 3), st.integers(1, 3))
def test_groups_of_channels_are_cut_out_as_one_run(
    height: int, width: int, before: int, groups: int
) -> None:
    """What a tile of some channels loads is what those channels alone are packed to."""
    kernel, a, b = (height, width), 4 * before, 4 * (before + groups)
    of = parameters(kernel, 28)
    tables = {k: getattr(of, k)[a:b] for k in ("bias", "multiplier", "rounding", "shift")}
    part = Parameters(of.weights[..., a:b], rule="i32", **tables)
    each = group_bytes(kernel)
    cut = packed(WeightLayout.DEPTHWISE, of)[a // 4 * each : b // 4 * each]
    assert np.array_equal(cut, packed(WeightLayout.DEPTHWISE, part))


@pytest.mark.parametrize("rule", ["i32", "shift"])
@given(channels=st.integers(1, 9), total=st.integers(-(2**15), 2**15))
def test_tables_give_the_rule_of_the_sum_of_products(rule: str, channels: int, total: int) -> None:
    of = parameters((3, 3), channels, rule)
    runs = packed(WeightLayout.DEPTHWISE, of).reshape(-1, channel_bytes((3, 3)))[:channels, -12:]
    found = np.ascontiguousarray(runs).view("<i4").astype(np.int64)
    scale = of.multiplier.astype(np.int64) if rule == "i32" else 1
    wanted = (total + of.bias.astype(np.int64)) * scale + of.rounding
    assert np.abs(wanted).max() < 2**31
    assert np.array_equal((total * found[:, 0] + found[:, 1]) >> found[:, 2], wanted >> of.shift)


def test_other_rules_have_tables_of_their_own() -> None:
    runs = packed(WeightLayout.DEPTHWISE, parameters((3, 3), 6, "q32")).reshape(
        -1, channel_bytes((3, 3))
    )
    assert not runs[:, -12:].any()
