"""The layers of a sweep: every value of every axis, the same by seed, within what boards hold."""

from __future__ import annotations

import math

import pytest

from deployer.errors import UsageError
from deployer.ir.attrs import ConvAttrs, ConvTransposeAttrs
from deployer.ir.ops import OPS
from deployer.tools.bench.sweep_draw import (
    MOST_ELEMENTS,
    MOST_MACS,
    MOST_WEIGHT_BYTES,
    SweepRequest,
    draw_layers,
)
from deployer.tools.bench.sweep_layers import ELEMENT, MAC, OUTPUT, TAP, SweepLayer
from deployer.tools.bench.sweep_operators import OPERATORS

CHANNELS = {1, 2, 3, 5, 8, 10, 17, 63, 64, 118, 480}


def texts(request: SweepRequest) -> list[str]:
    return [f"{layer.operator} {layer.bits} {layer.text}" for layer in draw_layers(request)]


@pytest.mark.parametrize("seed", range(3))
def test_every_value_of_every_axis_is_drawn(seed: int) -> None:
    layers = draw_layers(SweepRequest(seed=seed))
    for name, swept in OPERATORS.items():
        own = [layer for layer in layers if layer.operator == name]
        for axis, values in swept.axes.items():
            assert {layer.values[axis] for layer in own} == set(values), f"{name} {axis}"


def test_the_axes_are_those_that_cliffs_were_found_on() -> None:
    conv, depthwise = OPERATORS["Conv2d"].axes, OPERATORS["DepthwiseConv2d"].axes
    assert set(conv["inputs"]) == set(conv["outputs"]) == set(depthwise["channels"]) == CHANNELS
    assert {(1, 1), (3, 3), (5, 5), (1, 3), (9, 1), (7, 1)} <= set(conv["window"])
    assert set(conv["stride"]) == {1, 2, 3}
    assert set(conv["dilation"]) == {1, 2}
    assert {1, 2, 4, 16} <= set(conv["groups"])
    assert set(depthwise["multiplier"]) == {1, 2, 4}
    assert 4096 in OPERATORS["FullyConnected"].axes["inputs"]
    assert set(OPERATORS["ConvTranspose2d"].axes["groups"]) == set(conv["groups"])


def test_a_default_sweep_has_some_two_hundred_layers_of_all_operators() -> None:
    layers = draw_layers(SweepRequest())
    assert 200 <= len(layers) <= 260
    assert {layer.operator for layer in layers} == set(OPERATORS)


def test_a_seed_draws_the_same_layers_again_and_another_seed_others() -> None:
    first = texts(SweepRequest(seed=5))
    assert texts(SweepRequest(seed=5)) == first
    assert texts(SweepRequest(seed=6)) != first


def test_an_operator_alone_has_the_layers_that_it_has_among_all() -> None:
    every = [layer for layer in draw_layers(SweepRequest(seed=2)) if layer.operator == "PRelu"]
    alone = draw_layers(SweepRequest(seed=2, operators=("PRelu",)))
    assert [layer.text for layer in alone] == [layer.text for layer in every]


@pytest.mark.parametrize("count", [1, 7, 15, 40, 300])
def test_as_many_layers_as_asked_are_divided_among_the_operators(count: int) -> None:
    layers = draw_layers(SweepRequest(count=count))
    assert len(layers) == count
    assert len({layer.operator for layer in layers}) == min(count, len(OPERATORS))


def test_bits_that_are_asked_for_are_drawn_alone() -> None:
    layers = draw_layers(SweepRequest(bits=(16,)))
    assert {layer.bits for layer in layers} == {16}
    assert "Softmax" not in {layer.operator for layer in layers}


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (SweepRequest(operators=("Conv",)), "did you mean Conv2d?"),
        (SweepRequest(operators=("Softmax",), bits=(16,)), "--bits"),
    ],
)
def test_what_cannot_be_drawn_is_refused(request_: SweepRequest, said: str) -> None:
    with pytest.raises(UsageError, match="operator") as refused:
        draw_layers(request_)
    assert said in str(refused.value)


def test_no_layer_is_larger_than_small_boards_hold() -> None:
    for layer in draw_layers(SweepRequest(seed=1, count=400)):
        sizes = [math.prod(shape) for shape in (*layer.inputs, layer.output)]
        assert max(sizes) <= MOST_ELEMENTS
        assert layer.macs <= MOST_MACS
        assert layer.weight_bytes <= MOST_WEIGHT_BYTES


def test_most_layers_take_longer_than_a_call() -> None:
    layers = draw_layers(SweepRequest())
    large = [layer for layer in layers if not layer.small]
    assert len(large) > 0.7 * len(layers)
    assert all(layer.work >= 512 for layer in large)


def test_groups_divide_channels() -> None:
    grouped = [
        part
        for layer in draw_layers(SweepRequest(seed=3))
        for part in layer.parts
        if isinstance(part.attrs, ConvAttrs | ConvTransposeAttrs) and part.op != "DepthwiseConv2d"
        if part.attrs.groups > 1
    ]
    assert {part.attrs.groups for part in grouped} >= {2, 4, 16}
    assert all(part.weights[0] % part.attrs.groups == 0 for part in grouped)


def products(layer: SweepLayer) -> int:
    """Of a layer of one node, from its shapes."""
    (part,) = layer.parts
    weights = math.prod(part.weights)
    if part.op == "FullyConnected":
        return weights
    if part.op == "ConvTranspose2d":
        return weights * math.prod(layer.inputs[0][1:3])
    channels = part.weights[OPS[part.op].channel_axis or 0]
    return weights // channels * math.prod(layer.output)


def test_work_is_products_or_elements() -> None:
    for layer in draw_layers(SweepRequest()):
        if len(layer.parts) > 1:
            continue
        linear = OPS[layer.parts[0].op].linear
        assert layer.macs == (products(layer) if linear else 0)
        per_output = layer.macs / math.prod(layer.output)
        assert (layer.per == MAC) == (per_output >= 9)
        if linear:
            assert layer.work == (layer.macs if layer.per == MAC else layer.elements)


def test_work_of_a_pool_is_its_windows_where_they_are_large() -> None:
    pools = draw_layers(SweepRequest(count=60, operators=("MaxPool", "AveragePool")))
    for pool in pools:
        tall, wide = pool.parts[0].attrs.window.kernel
        assert pool.taps == tall * wide * math.prod(pool.output)
        assert pool.work == (pool.taps if tall * wide >= 9 else pool.elements)
    assert {pool.per for pool in pools} == {TAP, ELEMENT}


def test_convolutions_of_few_products_are_no_elementwise_operators() -> None:
    """A batch norm alone scales each channel; so does no other layer with weights."""
    layers = draw_layers(SweepRequest(count=600))
    few = [one for one in layers if one.per == OUTPUT]
    assert {"Conv2d", "DepthwiseConv2d"} <= {one.operator for one in few}
    assert all(0 < one.macs < 9 * one.elements for one in few)
    by_element = {one.operator for one in layers if one.per == ELEMENT}
    assert {"Add", "affine", "MaxPool", "Resize"} <= by_element
    assert by_element.isdisjoint({"ConvTranspose2d", "FullyConnected"})


def test_a_text_tells_what_was_drawn() -> None:
    layers = draw_layers(SweepRequest(operators=("Conv2d",)))
    for layer in layers:
        values = layer.values
        tall, wide = values["window"]
        assert f"{tall}x{wide}" in layer.text
        assert (f"{values['groups']} groups" in layer.text) == (values["groups"] > 1)
        assert (f"stride {values['stride']}" in layer.text) == (values["stride"] > 1)
        assert ("dilation 2" in layer.text) == (values["dilation"] > 1)
