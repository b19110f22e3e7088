"""Integer networks that a session of tests keeps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deployer.ir.graph import Graph
from deployer.quantize.quantize import QuantOptions, QuantResult, quantize
from deployer.quantize.samples import synthetic_samples
from objects import FOLDER
from quantized import Quantize, quantize_once
from unit.quantize.edge_graphs import gated


def arena(graph: Graph) -> int:
    return len(graph.nodes)


class Counted:
    """Quantizes, and counts how often."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, *given: Any, **more: Any) -> QuantResult:
        self.calls += 1
        return quantize(*given, **more)


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Counted, Quantize]:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    inner = Counted()
    return inner, quantize_once(inner, arena)


def test_the_same_network_is_quantized_once(counted: tuple[Counted, Quantize]) -> None:
    inner, once = counted
    heard: list[list[tuple[Any, ...]]] = [[], []]
    results = []
    for told in heard:
        graph = gated()
        samples = synthetic_samples(graph, seed=1)
        results.append(
            once(
                graph,
                samples,
                QuantOptions(),
                reference=graph,
                ram=arena,
                progress=lambda *at, told=told: told.append(at),
            )
        )
    assert inner.calls == 1
    assert heard[0] == heard[1] != []
    first, second = (result.graph for result in results)
    assert first.nodes == second.nodes
    assert all((first.constants[name] == second.constants[name]).all() for name in first.constants)


def test_other_options_samples_and_sizes_are_quantized_anew(
    counted: tuple[Counted, Quantize],
) -> None:
    inner, once = counted
    graph, options = gated(), QuantOptions()
    samples = synthetic_samples(graph, seed=1)
    once(graph, samples, options)
    once(graph, samples, replace(options, bits=16))
    once(graph, synthetic_samples(graph, seed=2), options)
    once(graph, samples, options, ram=lambda graph: 0)
    once(graph, samples, options, ram=lambda graph: 0)
    assert inner.calls == 5
