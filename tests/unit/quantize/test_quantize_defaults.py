"""What is done where nothing is said."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from deployer.pipeline.options import Options
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.samples import Samples, synthetic_samples
from unit.quantize.graphs import Draft, noise


def test_quantization_alone_does_what_a_whole_run_does() -> None:
    run, alone = Options(), QuantOptions()
    both = [field.name for field in fields(alone) if hasattr(run, field.name)]
    assert {"percentile", "bits", "equalize"} <= set(both)
    assert [getattr(alone, name) for name in both] == [getattr(run, name) for name in both]


def test_a_report_compares_the_first_256_samples() -> None:
    draft = Draft(1, 3)
    graph = draft.graph(draft.dense("x", 2))
    for count in (255, 256, 257):
        report = quantize(graph, noise(graph, count=count), QuantOptions()).report
        assert report.samples == min(count, 256)


def test_noise_is_sixteen_samples_of_the_first_seed() -> None:
    draft = Draft(1, 3)
    graph = draft.graph(draft.dense("x", 2))
    found = synthetic_samples(graph).arrays["x"]
    assert found.shape == (16, 3)
    np.testing.assert_array_equal(
        found, synthetic_samples(graph, seed=0, count=20).arrays["x"][:16]
    )
    assert (found != synthetic_samples(graph, seed=1).arrays["x"]).all()


def test_samples_are_real_unless_said_to_be_noise() -> None:
    assert not Samples({"x": np.zeros((1, 3))}, "a file", None).synthetic


class _Flat:
    """Numbers that take no memory."""

    def standard_normal(self, shape: tuple[int, ...], dtype: type) -> np.ndarray:
        return np.broadcast_to(np.zeros((), dtype), shape)


@pytest.mark.parametrize(("extra", "count"), [(0, 16), (1, 15)])
def test_noise_for_very_large_inputs_is_fewer_samples(
    extra: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2^26 elements at most."""
    draft = Draft(1, 1 << 11, (1 << 11) + extra, 1)
    graph = draft.graph(draft.rescale("x"))
    monkeypatch.setattr(np.random, "default_rng", lambda seed: _Flat())
    assert synthetic_samples(graph).count == count


def test_there_is_one_sample_of_noise_however_large_the_input(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draft = Draft(1, 1 << 14, 1 << 13, 1)
    graph = draft.graph(draft.rescale("x"))
    monkeypatch.setattr(np.random, "default_rng", lambda seed: _Flat())
    assert synthetic_samples(graph).count == 1
