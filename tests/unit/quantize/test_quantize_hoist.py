"""Fused activations moved from a MaxPool to the layer before it."""

from __future__ import annotations

import numpy as np
from graphs import RELU, Draft, noise
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.ir.attrs import Clamp, Window
from deployer.numerics import interpret
from deployer.quantize.calibrate import calibrate
from deployer.quantize.hoist import compose, hoist_clamps
from deployer.quantize.quantize import QuantOptions, quantize

STEADY = settings(deadline=None, derandomize=True, max_examples=30)


def test_clamps_move_before_a_max_pool() -> None:
    """Convolution, pool, ReLU: the convolution's range is then the positive half."""
    draft = Draft(1, 6, 6, 2)
    conv = draft.conv("x", 4, Window((3, 3)), clamp=Clamp(None, 3.0))
    pool = draft.largest(conv, Window((2, 2), (2, 2)), clamp=RELU)
    graph = draft.graph(pool)
    moved = hoist_clamps(graph)
    assert [node.attrs.clamp for node in moved.nodes] == [Clamp(0.0, 3.0), Clamp()]
    arrays = noise(graph).arrays
    assert np.array_equal(interpret.run(graph, arrays)[pool], interpret.run(moved, arrays)[pool])
    assert calibrate(moved, arrays)[conv].low == 0
    result = quantize(graph, noise(graph), QuantOptions())
    assert result.graph.values[conv].q.zero_point == -128


def test_clamps_stay_where_others_read_the_value() -> None:
    draft = Draft(1, 6, 6, 2)
    conv = draft.conv("x", 4, Window((3, 3)), clamp=Clamp())
    pool = draft.largest(conv, Window((2, 2), (2, 2)), clamp=RELU)
    first = draft.largest("x", Window((2, 2)), clamp=RELU)
    for graph in (draft.graph(pool, conv), draft.graph(first, pool, draft.rescale(conv))):
        kept = {node.name: node.attrs.clamp for node in hoist_clamps(graph).nodes}
        assert kept == {node.name: node.attrs.clamp for node in graph.nodes}


@STEADY
@given(data=st.data())
def test_composed_clamps_equal_two_in_a_row(data: st.DataObject) -> None:
    bounds = st.none() | st.floats(-3, 3)

    def draw() -> Clamp:
        low, high = data.draw(bounds), data.draw(bounds)
        ordered = low is None or high is None or low <= high
        return Clamp(low, high) if ordered else Clamp(high, low)

    first, second = draw(), draw()
    joint = compose(first, second)
    for x in np.linspace(-4, 4, 33):
        step = np.clip(x, first.low, first.high) if first.active else x
        twice = np.clip(step, second.low, second.high) if second.active else step
        assert (np.clip(x, joint.low, joint.high) if joint.active else x) == twice
