"""Linear layers in both schemes: scales, folded bias, limits of int32."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.ir.types import QuantParams
from deployer.numerics.requant import INT32_MAX, Multipliers, requantize
from deployer.quantize.fixed_point import binary, fixed_point
from deployer.quantize.linear import LinearIntegers, integers, solve_linear
from deployer.quantize.multiply_shift import asymmetric, multiply_shift
from deployer.quantize.scheme import Linear, Scheme, Tensor
from deployer.quantize.widen import Misfit, fit_output, widened

STEADY = settings(deadline=None, derandomize=True)
INT8 = (-128, 127)
X = Tensor(QuantParams((0.05,), -20), INT8)
Y = QuantParams((0.1,), 7)


def layer(
    rows: np.ndarray,
    bias: np.ndarray,
    *,
    x: Tensor = X,
    y: QuantParams = Y,
    expected: np.ndarray | None = None,
) -> Linear:
    means = np.zeros(1) if expected is None else expected
    return Linear(rows.astype(np.float64), bias.astype(np.float64), means, x, y)


def outputs(found: LinearIntegers, q: np.ndarray) -> np.ndarray:
    """What the device computes for integer inputs (samples, taps)."""
    acc = q.astype(np.int64) @ found.rows.T.astype(np.int64) + found.bias
    tables = (found.multipliers.multiplier, found.multipliers.rounding, found.multipliers.shift)
    result = requantize(acc, found.multipliers.rule, *tables, low=-128, high=127)
    return result.astype(np.int64)


def within_int32(found: LinearIntegers, interval: tuple[int, int] = INT8) -> bool:
    """Largest accumulator times multiplier plus rounding, in exact integers."""
    bound = np.abs(found.rows.astype(object)).sum(axis=1) * max(map(abs, interval))
    largest = np.abs(found.bias.astype(object)) + bound
    rounding = np.abs(found.multipliers.rounding.astype(object))
    factor = found.multipliers.multiplier.astype(object)
    if found.multipliers.rule == "q16":
        return bool((largest * factor / 2**16 + 1 + rounding <= INT32_MAX).all())
    return bool((largest <= INT32_MAX).all()) and bool((rounding <= INT32_MAX).all())


@pytest.mark.parametrize("scheme", [multiply_shift(), fixed_point()], ids=lambda s: s.name)
@STEADY
@given(seed=st.integers(0, 2**32 - 1), taps=st.integers(1, 60))
def test_outputs_are_near_the_float_layer(scheme: Scheme, seed: int, taps: int) -> None:
    """Within the sum of what rounding weights, bias and output can do."""
    rng = np.random.default_rng(seed)
    x = X if scheme.name == "multiply-shift" else Tensor(binary(5), INT8)
    rows = rng.normal(0, 1 / np.sqrt(taps), (3, taps))
    bias = rng.normal(0, 0.3, 3)
    spread = 4 * x.quant.tensor_scale * 128
    y = asymmetric(-spread, spread)
    if scheme.name == "power-of-two":
        y = binary(-int(np.log2(spread / 64)))
    found = solve_linear(layer(rows, bias, x=x, y=y), scheme)
    q = rng.integers(-128, 128, (20, taps))
    real = (q - x.quant.zero_point) * x.quant.tensor_scale
    ideal = (real @ rows.T + bias) / found.output.tensor_scale + found.output.zero_point
    slack = np.abs(real).sum(axis=1, keepdims=True) * found.scales / 2 + found.scales
    bound = 0.5 + found.multipliers.error + slack / found.output.tensor_scale
    clipped = rows / found.scales[:, None]  # power-of-two weights may saturate
    bound = bound + (np.abs(real) @ np.maximum(np.abs(clipped) - 127, 0).T) * found.scales / (
        found.output.tensor_scale
    )
    assert (np.abs(outputs(found, q) - np.clip(ideal, -128, 127)) <= bound + 1e-6).all()


def test_multiply_shift_has_a_scale_per_channel_and_folds_the_zero() -> None:
    rows = np.array([[0.5, -1.0], [10.0, 5.0]])
    found = solve_linear(layer(rows, np.array([0.3, -2.0])), multiply_shift())
    assert found.rows.tolist() == [[64, -127], [127, 64]]
    np.testing.assert_allclose(found.scales, [1 / 127, 10 / 127])
    plain = np.rint(np.array([0.3, -2.0]) / (found.scales * 0.05))
    assert found.bias.tolist() == (plain + 20 * found.rows.sum(axis=1)).tolist()
    assert found.output == Y
    assert found.notes == ()


def test_power_of_two_has_a_scale_per_channel_and_only_shifts() -> None:
    rows = np.array([[0.5, -1.0], [0.2, 0.01]])
    x = Tensor(binary(4), INT8)
    found = solve_linear(layer(rows, np.array([0.3, -0.2]), x=x, y=binary(3)), fixed_point())
    fractions = -np.log2(found.scales).astype(int)
    assert fractions.tolist() == [6, 9]
    assert found.multipliers.rule == "shift"
    assert found.multipliers.shift.tolist() == (4 + fractions - 3).tolist()
    assert found.multipliers.multiplier.tolist() == [1, 1]
    assert found.bias.tolist() == np.rint(np.array([0.3, -0.2]) * 2.0 ** (4 + fractions)).tolist()


def test_mean_error_of_rounding_goes_into_the_bias() -> None:
    """With inputs at their mean, the corrected layer is right to the bias's own rounding."""
    rng = np.random.default_rng(5)
    rows, mean = rng.normal(size=(4, 200)), rng.uniform(0, 6, 200)
    q = np.rint(mean / 0.05).astype(int) - 20
    mean = (q + 20) * 0.05
    wide = QuantParams((0.01,), 0)
    errors = []
    for expected in (None, np.broadcast_to(mean, rows.shape)):
        found = solve_linear(layer(rows, np.zeros(4), y=wide, expected=expected), multiply_shift())
        acc = q @ found.rows.T.astype(np.int64) + found.bias
        errors.append(np.abs(acc * found.scales * 0.05 - rows @ mean).max())
    assert errors[1] < 0.001
    assert errors[0] > 10 * errors[1]


def test_biases_beside_stated_weights_are_rounded_as_floats_are() -> None:
    """Some float biases lie on a half in float32 alone; whole steps stay what they are."""
    rng = np.random.default_rng(11)
    scales = rng.uniform(1e-3, 1e-2, 500).astype(np.float32)
    products = scales * np.float32(X.quant.tensor_scale)
    halves = (np.rint(rng.normal(size=500) * 30_000) + 0.5).astype(np.float32)
    whole = np.rint(rng.uniform(-(2.0**22), 2.0**22, 500)).astype(np.float32)
    assert _steps_of(halves * products, scales) == np.rint(halves * products / products).tolist()
    assert _steps_of(whole * products, scales) == whole.tolist()
    exact = (halves * products).astype(np.float64) / (scales * np.float64(0.05))
    assert (np.rint(exact) != np.rint(halves * products / products)).any()


def _steps_of(bias: np.ndarray, scales: np.ndarray) -> list[int]:
    """The integers of ``bias`` beside weights of 127 steps each."""
    rows = np.repeat(scales[:, None], 200, axis=1) * 127.0
    stated = replace(layer(rows, bias), scales=scales.astype(np.float64))
    weights, found = integers(stated, scales.astype(np.float64))
    return [int(n) for n in found + X.quant.zero_point * weights.sum(axis=1)]


@pytest.mark.parametrize("requant", ["auto", "i32", "q16", "q32", "q31"])
def test_channels_without_weights_give_their_bias(requant: str) -> None:
    rows = np.array([[0.0, 0.0], [1.0, -1.0]])
    found = solve_linear(layer(rows, np.array([3.0, 0.0])), multiply_shift(requant))
    result = outputs(found, np.array([[-128, 127], [5, 5]]))
    assert found.rows[0].tolist() == [0, 0]
    assert result[:, 0].tolist() == [37, 37]  # 3.0 / 0.1 + 7


@pytest.mark.parametrize("scheme", [multiply_shift(), fixed_point()], ids=lambda s: s.name)
def test_a_layer_of_zeros(scheme: Scheme) -> None:
    x = X if scheme.name == "multiply-shift" else Tensor(binary(3), INT8)
    y = Y if scheme.name == "multiply-shift" else binary(3)
    found = solve_linear(layer(np.zeros((2, 3)), np.array([0.0, 1.0]), x=x, y=y), scheme)
    real = (outputs(found, np.array([[1, 2, 3]])) - y.zero_point) * y.tensor_scale
    np.testing.assert_allclose(real, [[0, 1]], atol=y.tensor_scale / 2)


EXTREMES = [
    (1e-12, 1.0),
    (1e-30, 100.0),
    (1.0, 1e9),
    (1e6, 0.0),
    (1e-6, -1e6),
    (1e20, 1e20),
    (1e-6, 1e30),
]


@pytest.mark.parametrize(("size", "bias"), EXTREMES)
@pytest.mark.parametrize("requant", ["auto", "i32", "q16", "q32", "q31", "shift"])
def test_extreme_weights_and_biases_stay_in_int32(size: float, bias: float, requant: str) -> None:
    scheme = fixed_point() if requant == "shift" else multiply_shift(requant)
    x = X if scheme.name == "multiply-shift" else Tensor(binary(3), INT8)
    y = Y if scheme.name == "multiply-shift" else binary(3)
    rows = np.array([[size, -size / 3], [1.0, 0.5]])
    found = solve_linear(layer(rows, np.array([bias, 0.1]), x=x, y=y), scheme)
    assert within_int32(found)
    q = np.array([[-128, -128], [127, 127], [-128, 127]])
    result = (outputs(found, q) - found.output.zero_point) * found.output.tensor_scale
    ideal = (q - x.quant.zero_point) * x.quant.tensor_scale @ rows.T + np.array([bias, 0.1])
    top = (127 - found.output.zero_point) * found.output.tensor_scale
    bottom = (-128 - found.output.zero_point) * found.output.tensor_scale
    assert np.array_equal(ideal[:, 0] > 2 * top, result[:, 0] > 0.97 * top)
    assert np.array_equal(ideal[:, 0] < 2 * bottom, result[:, 0] < 0.97 * bottom)


def test_a_small_channel_keeps_the_multiplier_precise() -> None:
    """Weights far below the output's step may be coarse; then i32 loses little on the bias."""
    rows = np.array([[1e-15, 1e-15], [1.0, -1.0]])
    found = solve_linear(layer(rows, np.array([2.0, 0.0])), multiply_shift("i32"))
    assert found.multipliers.error < 0.5
    assert outputs(found, np.array([[0, 0]]))[0, 0] == 27
    assert found.notes == ()


def test_very_many_taps_widen_the_weights_and_say_so() -> None:
    """70,000 taps of 127 and 255 steps pass int32; with a note the layer still works."""
    rows = np.ones((1, 70_000))
    y = QuantParams((20_000.0,), -128)
    x = Tensor(QuantParams((1.0,), -128), INT8)
    found = solve_linear(layer(rows, np.zeros(1), x=x, y=y), multiply_shift())
    assert found.rows.max() < 127
    assert "int32" in found.notes[0]
    q = np.full((1, 70_000), -128)
    q[0, :8000] = 127
    assert abs(outputs(found, q)[0, 0] - (255 * 8000 / 20_000 - 128)) <= 1


def test_too_fine_an_output_is_widened_with_a_note() -> None:
    x = Tensor(binary(0), INT8)
    y = binary(12)
    found = solve_linear(layer(np.array([[1.0]]), np.zeros(1), x=x, y=y), fixed_point())
    assert found.output.tensor_scale > y.tensor_scale
    assert found.multipliers.shift.tolist() == [0]
    assert "output scale widened" in found.notes[0]
    forced = solve_linear(
        layer(np.array([[1.0]]), np.zeros(1), y=QuantParams((2**-16,), 0)), multiply_shift("q16")
    )
    assert forced.multipliers.rule == "q16"
    assert "too large for q16" in forced.notes[0]


def test_shifts_past_thirty_widen_the_weights() -> None:
    x, y = Tensor(binary(20), INT8), binary(-6)
    found = solve_linear(layer(np.array([[1e-3]]), np.zeros(1), x=x, y=y), fixed_point())
    assert found.multipliers.shift[0] <= 30
    assert found.output == y


def test_the_bound_covers_taps_in_the_padding() -> None:
    """Inputs stay in [-10, 10], but a padded tap reads the zero point, -128."""
    x = Tensor(QuantParams((0.05,), -128), (-10, 10))
    rows = np.array([[1.0, -1.0]])
    y = QuantParams((0.1,), 0)
    found = solve_linear(layer(rows, np.zeros(1), x=x, y=y), multiply_shift("i32"))
    padded = int(found.rows[0] @ np.array([-128, 10])) + int(found.bias[0])
    assert abs(padded) == 127 * 138
    factor, rounding = int(found.multipliers.multiplier[0]), int(found.multipliers.rounding[0])
    assert abs(padded * factor) + abs(rounding) <= INT32_MAX


def test_widening_keeps_the_range_and_gives_up_in_the_end() -> None:
    for zero in (-128, -1, 0, 5, 127):
        old = QuantParams((0.5,), zero)
        new = widened(old)
        assert new.tensor_scale == 1.0
        assert (-128 - new.zero_point) * 1.0 <= (-128 - zero) * 0.5
        assert (127 - new.zero_point) * 1.0 >= (127 - zero) * 0.5

    def never(_: QuantParams) -> Multipliers:
        raise ValueError("too fine")

    with pytest.raises(Misfit, match="too fine"):
        fit_output(Y, never)
