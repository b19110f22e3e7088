"""ConvTranspose: every spelling of its size, groups, dilations, one axis."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from random_models import STEADY, equal, kinds

from deployer.ir import Pads
from models import ModelBuilder


@STEADY
@given(data=st.data())
def test_any_parameters(data: st.DataObject) -> None:
    axes = data.draw(st.sampled_from([1, 2, 2]))
    pick = lambda low, high: tuple(data.draw(st.integers(low, high)) for _ in range(axes))  # noqa: E731
    groups = data.draw(st.sampled_from([1, 1, 2, 3]))
    inputs, outputs = groups * data.draw(st.integers(1, 2)), data.draw(st.integers(1, 3))
    size, kernel, strides, dilations = pick(1, 6), pick(1, 4), pick(1, 3), pick(1, 2)
    attrs = {"strides": strides, "dilations": dilations, "group": groups}
    full = [
        (n - 1) * s + (k - 1) * d + 1
        for n, s, k, d in zip(size, strides, kernel, dilations, strict=True)
    ]
    mode = data.draw(st.sampled_from(["pads", "VALID", "SAME_UPPER", "SAME_LOWER", "shape"]))
    if mode == "pads":
        pads = [data.draw(st.integers(0, max(0, (f - 1) // 2))) for f in full] * 2
        attrs["pads"] = pads
        attrs["output_padding"] = [data.draw(st.integers(0, s - 1)) for s in strides]
    elif mode == "shape":
        attrs["output_shape"] = [
            data.draw(st.integers(max(n, f - 3), max(n, f)))
            for n, f in zip(size, full, strict=True)
        ]
        attrs["auto_pad"] = data.draw(st.sampled_from(["SAME_UPPER", "SAME_LOWER", "NOTSET"]))
    else:
        attrs["auto_pad"] = mode
        assume(all(f >= n * s for f, n, s in zip(full, size, strides, strict=True)))
    s = ModelBuilder(data.draw(st.integers(0, 99)))
    weights = s.constant(s.rng.normal(size=(inputs, outputs, *kernel)).astype(np.float32))
    bias = [s.weight(outputs * groups)] if data.draw(st.booleans()) else []
    x = s.node("ConvTranspose", s.input(1, inputs, *size), weights, *bias, **attrs)
    graph = equal(s.model(x))
    assert "ConvTranspose2d" in kinds(graph) or max(strides) == 1


@pytest.mark.parametrize("dilation", [1, 2])
def test_at_stride_1_of_one_input_and_output_a_group_it_is_depthwise(dilation: int) -> None:
    """Its pads are what the crop leaves of a full window."""
    s = ModelBuilder(4)
    attrs = {"group": 4, "dilations": [dilation, dilation], "pads": [1, 0, 0, 1]}
    x = s.node("ConvTranspose", s.input(1, 4, 6, 7), s.weight(4, 1, 3, 4), **attrs)
    graph = equal(s.model(x))
    assert kinds(graph) == ["DepthwiseConv2d"]
    top, left = dilation * 2, dilation * 3
    assert graph.nodes[0].attrs.window.pads == Pads(top - 1, left, top, left - 1)


@pytest.mark.parametrize(
    ("size", "outputs", "pads"),
    [((1, 6), 1, [0, 0, 0, 0]), ((6, 6), 1, [3, 0, 0, 0]), ((6, 6), 2, [0, 0, 0, 0])],
    ids=["one input of an axis", "a crop beyond the windows", "two outputs a group"],
)
def test_at_stride_1_others_stay_transposed(
    size: tuple[int, int], outputs: int, pads: list[int]
) -> None:
    s = ModelBuilder(5)
    attrs = {"group": 2, "pads": pads}
    x = s.node("ConvTranspose", s.input(1, 2, *size), s.weight(2, outputs, 3, 3), **attrs)
    assert kinds(equal(s.model(x))) == ["ConvTranspose2d"]


def test_batch_norm_and_relu_join_it() -> None:
    s = ModelBuilder(1)
    x = s.conv(s.input(1, 3, 5, 6), (4, 3, 1, 1))
    x = s.node("ConvTranspose", x, s.weight(4, 5, 2, 2), strides=[2, 2])
    graph = equal(s.model(s.relu(s.batch_norm(x, 5))))
    assert kinds(graph) == ["Conv2d", "ConvTranspose2d"]
    assert graph.nodes[1].attrs.clamp.low == 0


def test_one_filter_per_channel() -> None:
    s = ModelBuilder(2)
    weights = s.weight(6, 1, 4, 4)
    x = s.node(
        "ConvTranspose", s.input(1, 6, 5, 4), weights, group=6, strides=[2, 2], pads=[1, 1, 1, 1]
    )
    graph = equal(s.model(x))
    assert graph.nodes[0].attrs.groups == 6
    assert graph.values["output"].shape == (1, 10, 8, 6)


def test_weights_have_to_be_constant() -> None:
    s = ModelBuilder(3)
    x = s.node("ConvTranspose", s.input(1, 2, 4, 4), s.input(2, 3, 2, 2, name="w"))
    with pytest.raises(Exception, match="constant weights and bias; found input 1"):
        equal(s.model(x))
