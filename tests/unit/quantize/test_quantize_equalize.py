"""Equalization keeps the function; corrections are decided on samples kept apart."""

from __future__ import annotations

import numpy as np
import pytest

from deployer.ir.attrs import Clamp, Window
from deployer.ir.graph import Graph
from deployer.numerics import interpret
from deployer.quantize.equalize import equalize, pairs
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.thresholds import Method
from deployer.quantize.tune import Options, corrections_of, decide, folds
from unit.quantize.edge_graphs import EDGE_GRAPHS, SAME
from unit.quantize.graphs import Draft, every_operator, noise


def uneven(clamp: Clamp = Clamp(0.0)) -> Graph:  # noqa: B008 - frozen
    """Convolutions whose channels differ a hundredfold and cancel in the next layer."""
    draft = Draft(1, 8, 8, 4, seed=5)
    first = draft.conv("x", 8, SAME, clamp=clamp, groups=2)
    deep = draft.depthwise(draft.largest(first, Window((2, 2), (2, 2))), SAME, clamp=clamp)
    last = draft.conv(deep, 6, Window((1, 1)), groups=2, clamp=Clamp())
    graph = draft.graph(last)
    factor = np.geomspace(0.1, 10, 8).astype(np.float32)
    graph.constants[graph.nodes[0].inputs[1]] *= factor.reshape(-1, 1, 1, 1)
    graph.constants[graph.nodes[0].inputs[2]] *= factor
    graph.constants[graph.nodes[2].inputs[1]] /= factor
    return graph


@pytest.mark.parametrize("build", [uneven, every_operator, *EDGE_GRAPHS.values()])
def test_the_function_stays(build: object) -> None:
    graph: Graph = build()  # type: ignore[operator]
    arrays = noise(graph).arrays
    before, after = interpret.run(graph, arrays), interpret.run(equalize(graph), arrays)
    for name in graph.outputs:
        np.testing.assert_allclose(before[name], after[name], atol=1e-4)


def test_channels_become_alike() -> None:
    graph = uneven()
    found = equalize(graph)
    spread = [
        np.ptp(np.log(np.abs(g.constants[g.nodes[0].inputs[1]]).max(axis=(1, 2, 3))))
        for g in (graph, found)
    ]
    assert spread[1] < spread[0] / 2


def test_pairs_need_homogeneous_operators_and_one_reader() -> None:
    assert [(a.op, b.op) for a, b in pairs(uneven())] == [
        ("Conv2d", "DepthwiseConv2d"),
        ("DepthwiseConv2d", "Conv2d"),
    ]
    assert not list(pairs(uneven(Clamp(0.0, 6.0))))
    draft = Draft(1, 4, 4, 2)
    twice = draft.conv("x", 4, SAME)
    graph = draft.graph(draft.conv(twice, 2, SAME), draft.conv(twice, 2, SAME))
    assert not list(pairs(graph))
    assert equalize(graph) is graph


def test_auto_equalizes_where_it_helps_much() -> None:
    graph = uneven()
    decisions = quantize(graph, noise(graph), QuantOptions("power-of-two")).report.decisions
    assert decisions.equalize
    assert {(t.equalize, t.bias_correction) for t in decisions.trials} == {
        (a, b) for a in (False, True) for b in (False, True)
    }
    best = max(trial.sqnr_db for trial in decisions.trials)
    assert best > decisions.trials[0].sqnr_db + 1


def test_switches_leave_nothing_to_try() -> None:
    graph = uneven()
    for switch in ("on", "off"):
        options = QuantOptions(calibrate="minmax", equalize=switch, bias_correction=switch)
        decisions = quantize(graph, noise(graph), options).report.decisions
        assert (decisions.equalize, decisions.bias_correction) == (switch == "on",) * 2
        assert decisions.trials == ()


def test_nothing_to_equalize_is_not_tried() -> None:
    graph = uneven(Clamp(0.0, 6.0))
    assert corrections_of(graph, "on", "auto") == ((False, True), (False, False))


def test_every_sample_is_held_once() -> None:
    arrays = {"x": np.arange(10), "y": np.arange(10) * 2}
    parts = list(folds(arrays))
    held = np.concatenate([apart["x"] for _, apart in parts])
    assert sorted(held.tolist()) == list(range(10))
    for fit, apart in parts:
        assert not set(fit["x"]) & set(apart["x"])
        assert (fit["y"] == 2 * fit["x"]).all()
    assert len(list(folds({"x": np.arange(3)}))) == 1


def test_a_small_gain_leaves_the_default() -> None:
    """Both corrections give the same integers here, so the first choice stays."""
    graph = uneven()
    result = quantize(graph, noise(graph), QuantOptions(equalize="off", bias_correction="off"))
    options = Options((Method("minmax", 100.0),), ((False, True), (False, False)))
    found, trials = decide(
        graph, noise(graph).arrays, options, lambda evened, methods, fit: lambda _: result.graph
    )
    assert found == options.first
    assert trials[0].sqnr_db == trials[1].sqnr_db
