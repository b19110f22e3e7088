"""What layouts state of the weights they pack, against the bytes they pack."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deployer.ir.rules import AFFINE, PRODUCTS, RequantRule
from deployer.kernelset.layouts import LAYOUTS, Parameters, WeightLayout, packed

WINDOW, DENSE, PLANE = (4, 3, 3, 4), (8, 8), (3, 3, 4)
SHAPES = {
    WeightLayout.X8C4: DENSE,
    WeightLayout.X4C4_PAIRED: DENSE,
    WeightLayout.X8C16: DENSE,
    WeightLayout.DEPTHWISE: PLANE,
    WeightLayout.DEPTHWISE_PAIRS: PLANE,
    WeightLayout.TAPS_3X3: PLANE,
    WeightLayout.TAPS_C4: PLANE,
    WeightLayout.TAPS_C4_ORDERED: PLANE,
    WeightLayout.TAPS_X4: PLANE,
    WeightLayout.PIXEL_TAPS: PLANE,
    WeightLayout.TAPS_C8: PLANE,
    WeightLayout.TAPS_C8_WIDE: PLANE,
    WeightLayout.PLANES_DEPTHWISE: PLANE,
    WeightLayout.DEPTHWISE_WIDE: PLANE,
}
# Layouts that hold the tables of some rules alone.
OF_AFFINE_RULES = {
    WeightLayout.X4C2_REMAINDERS,
    WeightLayout.X4C2_RUNS,
    WeightLayout.DEPTHWISE_WIDE,
    WeightLayout.X4C4,
    WeightLayout.X4C4_HALVES,
    WeightLayout.X4C4_RUNS,
    WeightLayout.X4C4_COLUMN,
    WeightLayout.DEPTHWISE,
    WeightLayout.DEPTHWISE_PAIRS,
}


def parameters(layout: WeightLayout, rule: str) -> Parameters:
    shape = SHAPES.get(layout, WINDOW)
    channels = shape[-1] if len(shape) == 3 else shape[0]
    column = np.arange(1, channels + 1, dtype=np.int32)
    weights = (np.arange(np.prod(shape)) % 127).astype(np.int8).reshape(shape)
    return Parameters(
        weights, column, column + 9, rule=rule, rounding=column, shift=column.astype(np.uint8)
    )


def changes_bytes(layout: WeightLayout, rule: str, table: str) -> bool:
    given = parameters(layout, rule)
    other = replace(given, **{table: getattr(given, table) + 1})
    return not np.array_equal(packed(layout, given), packed(layout, other))


def test_every_layout_but_the_own_one_is_packed() -> None:
    assert {*LAYOUTS, WeightLayout.IR} == {*WeightLayout}


@pytest.mark.parametrize("layout", [each for each in WeightLayout if each.has_multipliers])
def test_biases_and_multipliers_that_are_stated_are_among_the_weights(layout: WeightLayout) -> None:
    assert changes_bytes(layout, "q32", "bias")
    assert changes_bytes(layout, "q32", "multiplier")


@pytest.mark.parametrize("layout", [each for each in WeightLayout if each.has_all("i32")])
@pytest.mark.parametrize("table", ["bias", "multiplier", "rounding", "shift"])
def test_all_tables_that_are_stated_are_among_the_weights(layout: WeightLayout, table: str) -> None:
    stated = [rule for rule in PRODUCTS if layout.has_all(rule)]
    assert stated == [rule for rule in PRODUCTS if rule in AFFINE or layout not in OF_AFFINE_RULES]
    used = [rule for rule in stated if rule != RequantRule.SHIFT or table != "multiplier"]
    assert all(changes_bytes(layout, rule, table) for rule in used)


@pytest.mark.parametrize(
    "layout", [WeightLayout.IR, WeightLayout.TAPS_3X3, WeightLayout.X4C4_PAIRED]
)
@pytest.mark.parametrize("table", ["bias", "multiplier", "rounding", "shift"])
def test_layouts_of_weights_alone_state_nothing_else(layout: WeightLayout, table: str) -> None:
    assert not layout.has_multipliers
    assert not changes_bytes(layout, "q32", table)
