"""How both schemes choose the scales of activations and weights."""

from __future__ import annotations

import numpy as np
import pytest
from graphs import Draft, noise
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.errors import ModelError
from deployer.ir.types import QuantParams
from deployer.quantize.calibrate import calibrate, fixed_point_error
from deployer.quantize.fixed_point import (
    binary,
    candidates,
    weight_scales,
)
from deployer.quantize.multiply_shift import asymmetric, multiply_shift
from deployer.quantize.scheme import Linear, Tensor

STEADY = settings(deadline=None, derandomize=True)
REALS = st.floats(-1e4, 1e4, width=32)


@STEADY
@given(a=REALS, b=REALS)
def test_asymmetric_covers_the_range_and_holds_zero(a: float, b: float) -> None:
    low, high = sorted((a, b))
    quant = asymmetric(low, high)
    scale = quant.tensor_scale
    assert -128 <= quant.zero_point <= 127
    assert scale == float(np.float32(scale))
    assert (-128.5 - quant.zero_point) * scale <= min(low, 0) + 1e-5 * scale
    assert (127.5 - quant.zero_point) * scale >= max(high, 0) - 1e-3 * scale


def test_asymmetric_at_the_ends() -> None:
    assert asymmetric(0, 255) == QuantParams((1.0,), -128)
    assert asymmetric(3, 255) == QuantParams((1.0,), -128)
    assert asymmetric(-255, -1) == QuantParams((1.0,), 127)
    assert asymmetric(-128, 127) == QuantParams((1.0,), 0)


@pytest.mark.parametrize("value", [0.0, 1e-30])
def test_a_range_of_no_width_still_has_a_scale(value: float) -> None:
    assert asymmetric(value, value) == QuantParams((float(np.float32(1 / 255)),), -128)
    assert candidates(value) == (7,)


@STEADY
@given(largest=st.floats(1e-6, 1e6))
def test_first_candidate_is_the_finest_that_saturates_nothing(largest: float) -> None:
    """Eq. 3.6 of paper 001."""
    first = candidates(largest)[0]
    assert largest * 2.0**first <= 127 * (1 + 1e-12)
    assert largest * 2.0 ** (first + 1) > 127 * (1 - 1e-12)


@pytest.mark.parametrize("fraction", [-20, -1, 0, 1, 30])
def test_fractions_and_scales_are_inverse(fraction: int) -> None:
    assert binary(fraction).tensor_scale == 2.0**-fraction


def test_error_of_a_scale_is_that_of_quantizing_and_back() -> None:
    x = np.random.default_rng(0).normal(0, 3, 1000)
    for fraction in (2, 5, 8):
        q = np.clip(np.rint(x * 2.0**fraction), -128, 127)
        expected = np.square(q / 2.0**fraction - x).sum()
        assert fixed_point_error(x, fraction, -128) == pytest.approx(expected)


def test_rare_outliers_are_saturated_for_a_finer_scale() -> None:
    """Least squared error, not largest magnitude, decides (paper 001, 3.3.3)."""
    rows = np.random.default_rng(0).normal(0, 0.1, (4, 2000))
    rows[0, 0] = 1.05
    layer = Linear(rows, np.zeros(4), np.zeros(1), Tensor(binary(0), (-128, 127)), binary(0))
    assert weight_scales(layer).tolist() == [2.0**-7, *[2.0**-8] * 3]
    assert candidates(1.05)[0] == 6


@pytest.mark.parametrize("finer", [-2, 0, 3])
def test_a_channel_without_weights_has_a_multiplier_that_every_rule_holds(finer: int) -> None:
    """Exact, and fine enough for its bias, whatever scales lie around it."""
    tensor, output = Tensor(binary(4), (-128, 127)), binary(4 + finer)
    layer = Linear(np.zeros((2, 9)), np.zeros(2), np.zeros(1), tensor, output)
    assert (multiply_shift().weight_scales(layer) * layer.steps).tolist() == [2.0**-8] * 2


def test_calibration_sees_every_sample_and_channel_means() -> None:
    draft = Draft(1, 2, 2, 3)
    graph = draft.graph(draft.rescale("x"))
    samples = noise(graph, count=75)
    samples.arrays["x"][70, 0, 0, 1] = -50.0
    samples.arrays["x"][71, 1, 1, 2] = 60.0
    spreads = calibrate(graph, samples.arrays)
    assert (spreads["x"].low, spreads["x"].high) == (-50, 60)
    assert spreads["rescale_0_out"].low == 0
    np.testing.assert_allclose(spreads["x"].mean, samples.arrays["x"].mean(axis=(0, 1, 2)), 1e-5)


def test_infinite_activations_are_named() -> None:
    draft = Draft(1, 4)
    out = draft.dense("x", 2, weights=np.full((2, 4), 3e38))
    graph = draft.graph(out)
    with pytest.raises(ModelError, match="FullyConnected fullyconnected_0 gives NaN or inf"):
        calibrate(graph, noise(graph, spread=100).arrays)


def test_progress_counts_samples() -> None:
    draft = Draft(1, 4)
    graph = draft.graph(draft.dense("x", 2))
    seen: list[tuple[str, int, int]] = []
    calibrate(graph, noise(graph, count=40).arrays, progress=lambda *step: seen.append(step))
    assert seen[0] == ("calibrate", 0, 40)
    assert seen[-1] == ("calibrate", 40, 40)
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)
