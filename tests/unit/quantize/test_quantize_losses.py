"""A network that int8 serves badly is told where it loses, and what int16 there would do."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from deployer.ir.attrs import Clamp, Window
from deployer.ir.graph import Graph
from deployer.quantize.losses import losses
from deployer.quantize.quantize import QuantOptions, QuantResult, quantize
from deployer.quantize.report import ActivationReport
from unit.quantize.graphs import Draft, noise

MINMAX = QuantOptions(calibrate="minmax", equalize="off")


def far_from_zero() -> Graph:
    """What the first layer adds to each channel, 300, the last one takes out again."""
    draft = Draft(1, 6, 6, 4, seed=3)
    first = draft.conv("x", 8, Window((1, 1)), clamp=Clamp())
    graph = draft.graph(draft.conv(first, 5, Window((1, 1)), clamp=Clamp()))
    before, after = (node.inputs for node in graph.nodes)
    graph.constants[before[2]] += np.float32(300)
    graph.constants[after[2]] -= 300 * graph.constants[after[1]].sum(axis=(1, 2, 3))
    return graph


@pytest.fixture(scope="module")
def poor() -> QuantResult:
    graph = far_from_zero()
    return quantize(graph, noise(graph), MINMAX)


def test_the_warning_names_options_that_bring_what_it_says(poor: QuantResult) -> None:
    (note,) = poor.report.warnings
    assert note in poor.report.notes
    assert note in poor.graph.notes
    names = re.findall(r"--bits-of (\S+)=16", note)
    before, after = map(float, re.search(r"bring (\S+) to (\S+) dB", note).groups())  # type: ignore[union-attr]
    assert before < 20 < after
    graph = far_from_zero()
    widths = replace(MINMAX, bits_of=tuple((name, 16) for name in names))
    found = quantize(graph, noise(graph), widths).report
    assert (found.outputs[0].sqnr_db or 0) == pytest.approx(after, abs=4)
    assert found.warnings == ()


def test_the_cost_is_that_of_the_arena(poor: QuantResult) -> None:
    """What is between, 288 bytes, becomes 576 beside the output of the last layer in int16, 360."""
    (note,) = poor.report.warnings
    assert "for 468 B more of arena" in note


def test_a_good_network_and_noise_alone_are_told_nothing(poor: QuantResult) -> None:
    draft = Draft(1, 6, 6, 4)
    good = draft.graph(draft.conv("x", 8, Window((1, 1)), clamp=Clamp()))
    assert quantize(good, noise(good), MINMAX).report.warnings == ()
    graph = far_from_zero()
    made_up = replace(noise(graph), synthetic=True)
    (only,) = quantize(graph, made_up, MINMAX).report.warnings
    assert "synthetic" in only


def test_losses_are_in_the_order_of_the_noise_they_add() -> None:
    graph = far_from_zero()
    first, last = (node.output for node in graph.nodes)

    def of(name: str, ratio: float | None) -> ActivationReport:
        return ActivationReport(name, 8, 1.0, 0, ratio, 0.0, 0.0)

    found = losses(graph, [of("x", None), of(first, 30.0), of(last, 10.0)])
    assert [(loss.activation, loss.before, loss.after) for loss in found] == [
        (last, 30.0, 10.0),
        (first, 120.0, 30.0),
        ("x", 120.0, 120.0),
    ]
