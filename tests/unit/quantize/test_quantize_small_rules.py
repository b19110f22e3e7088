"""Costs of scales by their definitions, bin by bin; what samples and stated scales may not be."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.errors import UsageError
from deployer.ir.graph import Graph
from deployer.ir.types import QuantParams
from deployer.quantize import samples as sampling
from deployer.quantize.fixed_point import fixed_point
from deployer.quantize.histogram import Histogram
from deployer.quantize.multiply_shift import multiply_shift
from deployer.quantize.samples import load_samples
from deployer.quantize.stated import check_scheme
from deployer.quantize.thresholds import divergence, squared_error
from unit.quantize.graphs import Draft

STEADY = settings(deadline=None, derandomize=True, max_examples=40)
COUNTS = st.lists(st.sampled_from([0, 0, 1, 2, 5, 40, 1000]), min_size=12, max_size=60)
QUANTS = st.builds(
    lambda scale, zero: QuantParams((scale,), zero),
    st.sampled_from([0.004, 0.01, 0.05, 0.1]),
    st.integers(-128, 127),
)


def histogram_of(counts: list[int], low: float, high: float) -> Histogram:
    return Histogram(low, high, np.array(counts), 7)


def divergence_by_bins(histogram: Histogram, quant: QuantParams) -> float:
    """Kullback and Leibler's sum, of lists."""
    most = sum(histogram.counts.tolist()) // 100 + 1
    counts = [min(count, most) for count in histogram.counts.tolist()]
    width = (histogram.high - histogram.low) / len(counts)
    steps = [
        (histogram.low + (i + 0.5) * width) / quant.tensor_scale + quant.zero_point
        for i in range(len(counts))
    ]
    kept = [i for i, step in enumerate(steps) if -128.5 <= step <= 127.5]
    if not any(counts[i] for i in kept):
        return math.inf
    levels = {i: min(127, max(-128, round(steps[i]))) for i in kept}
    model = {}
    for i in kept:
        same = [counts[j] for j in kept if levels[j] == levels[i]]
        filled = sum(count > 0 for count in same)
        model[i] = sum(same) / filled if counts[i] else 0.0
    found = {i: float(counts[i]) for i in kept}
    found[kept[0]] += sum(counts[: kept[0]])
    found[kept[-1]] += sum(counts[kept[-1] + 1 :])
    whole, spread = sum(found.values()), sum(model.values())
    return sum(
        count / whole * math.log(count / whole / max(model[i] / spread, 1e-12))
        for i, count in found.items()
        if count
    )


@STEADY
@given(counts=COUNTS, quant=QUANTS, low=st.sampled_from([0.0, -0.5, -3.0]))
def test_divergence_is_that_of_its_definition(
    counts: list[int], quant: QuantParams, low: float
) -> None:
    histogram = histogram_of(counts, low, 2.0)
    assert divergence(histogram, quant) == pytest.approx(
        divergence_by_bins(histogram, quant), rel=1e-6, abs=1e-9
    )


@STEADY
@given(counts=COUNTS, quant=QUANTS)
def test_squared_error_is_the_mean_over_each_bin(counts: list[int], quant: QuantParams) -> None:
    """Of fine samples of every bin."""
    histogram = histogram_of(counts, -1.0, 2.0)
    width, total = 3.0 / len(counts), 0.0
    for i, count in enumerate(counts):
        x = -1.0 + width * (i + (np.arange(4000) + 0.5) / 4000)
        q = np.clip(np.rint(x / quant.tensor_scale) + quant.zero_point, -128, 127)
        error = (q - quant.zero_point) * quant.tensor_scale - x
        total += count * float(np.square(error).mean())
    assert squared_error(histogram, quant) == pytest.approx(total, rel=0.01, abs=1e-12)


def stated(*scales: float) -> Graph:
    draft = Draft(1, 2, 2, 1)
    x = "x"
    for _ in scales[1:]:
        x = draft.rescale(x)
    graph = draft.graph(x)
    values = {
        name: replace(value, quant=QuantParams((scale,)))
        for (name, value), scale in zip(graph.values.items(), scales, strict=True)
    }
    return replace(graph, values=values)


@pytest.mark.parametrize(
    ("scales", "why"),
    [
        ((0.3,), ("x: 0.3",)),
        (
            (0.5, 0.3, 2.0, 0.7, 1.5),
            ("rescale_0_out: 0.3", "rescale_2_out: 0.7", "rescale_3_out: 1.5"),
        ),
        (
            (0.3, 0.7, 0.9, 1.1),
            ("x: 0.3", "rescale_0_out: 0.7", "rescale_1_out: 0.9", "and 1 more"),
        ),
    ],
)
def test_scales_that_no_shift_makes_are_refused(
    scales: tuple[float, ...], why: tuple[str, ...]
) -> None:
    with pytest.raises(UsageError, match="states scales that are not powers of two") as caught:
        check_scheme(stated(*scales), fixed_point())
    assert caught.value.why == why
    check_scheme(stated(*scales), multiply_shift())
    check_scheme(stated(0.5, 1.0, 2.0**-20), fixed_point())


def saved(folder: Path, **arrays: Any) -> Path:
    np.savez(folder / "samples.npz", **arrays)
    return folder / "samples.npz"


@pytest.mark.parametrize(("kind", "zero"), [("int8", -3), ("uint8", 125)])
def test_integers_of_the_models_own_type_are_what_it_reads_in_them(
    kind: str, zero: int, tmp_path: Path
) -> None:
    """Unsigned ones lie 128 higher; those of another type are numbers as they are."""
    draft = Draft(1, 2, 2, 1)
    graph = draft.graph(draft.rescale("x"), meta={"model_type/x": kind})
    x = replace(graph.values["x"], quant=QuantParams((0.5,), -3))
    graph = replace(graph, values={**graph.values, "x": x})
    integers = np.arange(4, dtype=kind).reshape(1, 2, 2, 1) + zero
    for stored, expected in (
        (integers.astype(kind), np.arange(4) * 0.5),
        (integers.astype(np.int32), np.arange(4) + zero),
    ):
        found = load_samples(graph, saved(tmp_path, x=stored)).arrays["x"]
        assert found.dtype == np.float32
        assert found.ravel().tolist() == expected.tolist()


def test_samples_for_which_there_is_no_memory_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*given: object) -> None:
        raise MemoryError

    draft = Draft(1, 2, 2, 1)
    path = saved(tmp_path, x=np.zeros((3, 2, 2, 1)))
    monkeypatch.setattr(sampling.np, "empty", none)
    with pytest.raises(UsageError, match="no memory for 'x'") as caught:
        load_samples(draft.graph(draft.rescale("x")), path)
    assert "(3, 2, 2, 1) of float32" in caught.value.why
    assert "fewer samples" in caught.value.hints
