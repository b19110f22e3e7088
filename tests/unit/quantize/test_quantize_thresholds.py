"""Calibration methods: histograms, the costs of scales, and which scale each method takes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.errors import UsageError
from deployer.ir.types import QuantParams
from deployer.quantize.calibrate import calibrate
from deployer.quantize.fixed_point import fixed_point
from deployer.quantize.histogram import BINS, Histogram, histograms
from deployer.quantize.multiply_shift import asymmetric, multiply_shift
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.scheme import Scheme
from deployer.quantize.thresholds import Method, chosen, divergence, squared_error
from unit.quantize.graphs import Draft, noise

STEADY = settings(deadline=None, derandomize=True, max_examples=25)
SCHEMES = pytest.mark.parametrize("scheme", [multiply_shift(), fixed_point()], ids=lambda s: s.name)


def histogram_of(x: np.ndarray) -> Histogram:
    low, high = min(float(x.min()), 0.0), max(float(x.max()), 0.0)
    some = x[x != 0]
    counts, _ = np.histogram(some, bins=BINS, range=(low, high))
    return Histogram(low, high, counts, x.size - some.size)


def heavy_tailed(count: int = 400_000, seed: int = 0) -> np.ndarray:
    """Normal values and one far outside."""
    x = np.random.default_rng(seed).normal(0, 1, count)
    x[0] = 30
    return x


def test_histograms_of_all_chunks_count_each_value_once() -> None:
    draft = Draft(1, 3, 3, 2)
    graph = draft.graph(draft.rescale("x"))
    samples = noise(graph, count=75)
    spreads = calibrate(graph, samples.arrays)
    found = histograms(graph, samples.arrays, spreads)
    expected = histogram_of(samples.arrays["x"].astype(np.float64))
    assert (found["x"].low, found["x"].high) == (expected.low, expected.high)
    assert np.abs(np.cumsum(found["x"].counts - expected.counts)).max() <= 2  # bin borders
    relu = found["rescale_0_out"]
    assert relu.total == 75 * 18
    assert relu.zeros == int((samples.arrays["x"] <= 0).sum())


@STEADY
@given(seed=st.integers(0, 2**16), share=st.floats(0.2, 1.0), shift=st.floats(-3, 3))
def test_squared_error_is_that_of_quantizing(seed: int, share: float, shift: float) -> None:
    x = np.random.default_rng(seed).normal(shift, 1, 40_000)
    quant = asymmetric(share * float(x.min()), share * float(x.max()))
    q = np.clip(np.rint(x / quant.tensor_scale) + quant.zero_point, -128, 127)
    expected = np.square((q - quant.zero_point) * quant.tensor_scale - x).sum()
    assert squared_error(histogram_of(x), quant) == pytest.approx(expected, rel=0.05)


@SCHEMES
@pytest.mark.parametrize("name", ["percentile", "mse", "entropy"])
def test_rare_outliers_are_cut_off(scheme: Scheme, name: str) -> None:
    histogram = histogram_of(heavy_tailed())
    found = chosen(histogram, scheme, Method(name, 99.9), 8)
    assert found.tensor_scale < scheme.fit(histogram.low, histogram.high, 8).tensor_scale / 1.2


@SCHEMES
@pytest.mark.parametrize("name", ["percentile", "mse", "entropy"])
def test_even_values_keep_their_range(scheme: Scheme, name: str) -> None:
    """Up to the last of 128 steps, which a power of two may cut off for twice the resolution."""
    x = np.random.default_rng(0).uniform(-1, 1, 50_000)
    histogram = histogram_of(x)
    found = chosen(histogram, scheme, Method(name, 100.0), 8)
    assert found.tensor_scale >= 0.49 * scheme.fit(-1.0, 1.0, 8).tensor_scale


@SCHEMES
def test_mse_takes_the_candidate_of_least_error(scheme: Scheme) -> None:
    histogram = histogram_of(heavy_tailed(seed=3))
    candidates = scheme.candidates(histogram.low, histogram.high)
    assert candidates[0] == scheme.fit(histogram.low, histogram.high, 8)
    best = squared_error(histogram, chosen(histogram, scheme, Method("mse", 100.0), 8))
    assert all(best <= squared_error(histogram, quant) for quant in candidates)


@STEADY
@given(percentile=st.floats(90, 100), seed=st.integers(0, 99))
def test_percentile_leaves_no_more_outside_at_each_end(percentile: float, seed: int) -> None:
    x = np.random.default_rng(seed).normal(0, 1, 5000)
    low, high = histogram_of(x).beyond(1 - percentile / 100)
    allowed = (1 - percentile / 100) * len(x) + 1
    width = (x.max() - x.min()) / BINS
    assert (x < low - 1e-9).sum() <= allowed
    assert (x > high + 1e-9).sum() <= allowed
    assert (x > high - 2 * width).sum() >= allowed - 1 - 20  # and no wider than need be


def test_sparse_histograms_keep_their_range_under_entropy() -> None:
    """A few logits fill one bin each; a narrow range would look perfect."""
    x = np.random.default_rng(0).normal(0, 1, 500)
    found = chosen(histogram_of(x), multiply_shift(), Method("entropy", 100.0), 8)
    assert found == asymmetric(float(x.min()), float(x.max()))


def test_one_repeated_value_does_not_narrow_the_range() -> None:
    x = np.random.default_rng(2).uniform(0, 1, 100_000)
    x[:80_000] = 0.1
    found = chosen(histogram_of(x), multiply_shift(), Method("entropy", 100.0), 8)
    assert found.tensor_scale > 0.9 / 255


def test_divergence_punishes_what_is_cut_off() -> None:
    histogram = histogram_of(np.random.default_rng(1).uniform(0, 1, 50_000))
    assert divergence(histogram, asymmetric(0, 0.5)) > 10 * divergence(histogram, asymmetric(0, 1))
    assert divergence(histogram, QuantParams((1e-9,), 0)) == float("inf")


@pytest.mark.parametrize("scheme", ["multiply-shift", "power-of-two"])
@pytest.mark.parametrize("method", ["minmax", "percentile", "mse", "entropy"])
def test_the_report_names_the_method_and_the_result_repeats(scheme: str, method: str) -> None:
    draft = Draft(1, 6, 6, 4)
    graph = draft.graph(draft.dense(draft.reshape(draft.rescale("x"), 1, 144), 5))
    options = QuantOptions(scheme, calibrate=method, percentile=99.5)
    found = [quantize(graph, noise(graph, count=40), options) for _ in range(2)]
    assert found[0].report == found[1].report
    decisions = found[0].report.decisions
    assert decisions.calibrate == method
    assert decisions.percentile == (99.5 if method == "percentile" else None)


def test_defaults_of_the_schemes_are_stated() -> None:
    draft = Draft(1, 8)
    graph = draft.graph(draft.dense("x", 3))
    names = {
        scheme: quantize(graph, noise(graph), QuantOptions(scheme)).report.decisions.calibrate
        for scheme in ("multiply-shift", "power-of-two")
    }
    assert names == {"multiply-shift": "minmax", "power-of-two": "mse"}


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (QuantOptions(calibrate="median"), "unknown calibration 'median'"),
        (QuantOptions(percentile=50), "a percentile of 50"),
        (QuantOptions(percentile=101), "a percentile of 101"),
        (QuantOptions(equalize="maybe"), "equalize 'maybe'"),
        (QuantOptions(bias_correction="yes"), "bias correction 'yes'"),
    ],
)
def test_unknown_options_are_refused(options: QuantOptions, what: str) -> None:
    draft = Draft(1, 8)
    graph = draft.graph(draft.dense("x", 3))
    with pytest.raises(UsageError, match=what):
        quantize(graph, noise(graph), options)


@pytest.mark.parametrize(("values", "narrowed"), [(16_383, False), (16_384, True)])
def test_entropy_takes_eight_values_a_bin_to_say_anything(values: int, narrowed: bool) -> None:
    """Of a bell with one value far outside, which a distribution would cut off."""
    bell = np.exp(-4 * np.linspace(-1, 9, BINS) ** 2)
    counts = (15_000 * bell / bell.sum()).astype(np.int64)
    counts[-1] = 1
    counts[200] += values - counts.sum()
    histogram = Histogram(-1.0, 9.0, counts, 0)
    found = chosen(histogram, multiply_shift(), Method("entropy", 100.0), 8)
    assert (found != asymmetric(-1.0, 9.0)) == narrowed
