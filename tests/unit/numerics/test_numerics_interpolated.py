"""The table of an int16 function: 513 entries and what lies between them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from integer_nodes import STEADY, one_node

from deployer.ir.attrs import TableAttrs
from deployer.ir.types import DType, QuantParams
from deployer.numerics import functions, integer

WHOLE = settings(STEADY, max_examples=25)  # an example is all of int16
EVERY = np.arange(-32768, 32768).astype(np.int16)
ENTRIES = arrays.arrays(np.int16, 513)
SCALES = st.floats(2.0**-14, 2.0**-11, width=32)  # of the input: all of int16 is 4 to 32 wide
# the largest |second derivative|
SMOOTH = {"sigmoid": 0.097, "tanh": 0.77, "softplus": 0.25, "swish": 0.5, "erf": 0.97, "gelu": 0.8}
# the largest change of the first derivative at a kink that may lie between two entries
KINKED = {"hard_sigmoid": 0.2, "hard_swish": 1.0}
MONOTONE = ("sigmoid", "hard_sigmoid", "tanh", "softplus", "erf", "leaky_relu", "elu", "exp")


def wide(scale: float) -> QuantParams:
    return QuantParams((scale,), bits=16)


def fitted(name: str, scale: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Every output of a function, the exact real ones, and an output scale that just holds them."""
    attrs = TableAttrs(name, 0.2, 0.5)
    real = functions.apply(attrs, np.arange(-32768, 32769) * scale)
    target = float(np.float32(np.abs(real).max() / 32767))
    table = functions.table(attrs, wide(scale), wide(target))
    return functions.look_up(table, EVERY), real[:-1], target


@pytest.mark.parametrize("name", SMOOTH | KINKED)
@WHOLE
@given(scale=SCALES)
def test_distance_from_the_function_is_bounded(name: str, scale: float) -> None:
    """Half a step in the entries, half in the result, and what a chord of 128 inputs cuts off."""
    found, real, target = fitted(name, scale)
    chord = 128 * scale
    cut = SMOOTH.get(name, 0) * chord**2 / 8 + KINKED.get(name, 0) * chord / 4
    if name == "hard_swish":
        cut += chord**2 / 24  # it is a parabola between its kinks
    assert np.abs(found - real / target).max() <= 1 + cut / target + 1e-6


@pytest.mark.parametrize("name", MONOTONE)
@WHOLE
@given(scale=SCALES)
def test_rising_functions_rise(name: str, scale: float) -> None:
    found, _, _ = fitted(name, scale / 4 if name == "exp" else scale)
    assert (np.diff(found.astype(np.int32)) >= 0).all()


@WHOLE
@given(table=ENTRIES)
def test_between_entries_lies_the_exact_mean_rounded_half_up(table: np.ndarray) -> None:
    found = functions.look_up(table, EVERY)
    place, far = np.divmod(EVERY.astype(np.int64) + 32768, 128)
    wide = table.astype(np.int64)
    assert found.dtype == np.int16
    assert np.array_equal(found, (wide[place] * (128 - far) + wide[place + 1] * far + 64) // 128)
    assert np.array_equal(found[::128], table[:-1])


@pytest.mark.parametrize("table", [np.tile([-32768, 32767], 257), np.tile([32767, -32768], 257)])
def test_the_steepest_table_does_not_wrap(table: np.ndarray) -> None:
    found = functions.look_up(table[:513].astype(np.int16), EVERY).astype(np.int64)
    assert np.abs(np.diff(found)).max() <= 65535 / 128 + 1


@pytest.mark.parametrize(("slope", "exponent"), [(0.5, 1), (0.25, 2), (0.0, None), (1 / 128, 7)])
def test_the_kink_of_leaky_relu_is_exact(slope: float, exponent: int | None) -> None:
    """Same scales on both sides: x from zero up, its slope rounded half up below. The last chord
    ends at 32,767 instead of 32,768 and may lose one."""
    same = wide(0.001)
    table = functions.table(TableAttrs("leaky_relu", slope), same, same)
    x = EVERY.astype(np.int64)
    below = (x + (1 << (exponent - 1))) >> exponent if exponent else np.zeros_like(x)
    expected = np.where(x < 0, below, x)
    found = functions.look_up(table, EVERY).astype(np.int64)
    inner = x <= 32767 - 127
    assert np.array_equal(found[inner], expected[inner])
    assert set((expected - found)[~inner].tolist()) <= {0, 1}


@pytest.mark.parametrize(
    ("dtype", "inputs", "per_step"),
    [(np.int8, range(-128, 128), 2), (np.int16, range(-32768, 32769, 128), 256)],
)
def test_entries_are_the_function_half_to_even_and_saturated(
    dtype: type[np.signedinteger], inputs: range, per_step: int
) -> None:
    scale, top = 2.0**-10, int(np.iinfo(dtype).max)
    bits = np.iinfo(dtype).bits
    source, target, fine = (QuantParams((s,), bits=bits) for s in (scale, scale * per_step, 1e-9))
    found = functions.table(TableAttrs("abs"), source, target)
    assert found.dtype == dtype
    assert found.tolist() == [round(abs(x) / per_step) for x in inputs]
    steep = functions.table(TableAttrs("tanh"), source, fine)
    assert {int(steep[0]), int(steep[-1])} == {-top - 1, top}


def test_a_table_node_takes_the_form_of_its_type() -> None:
    table = functions.table(TableAttrs("tanh"), wide(2.0**-12), wide(2.0**-15))
    types = (DType.S16, DType.S16)
    shape = (1, 65536)
    graph = one_node(
        "Table", TableAttrs("tanh"), (shape,), shape, constants={"t": table}, types=types
    )
    found = integer.evaluate(graph, graph.nodes[0], [EVERY[None], table])
    assert found.dtype == np.int16
    assert found[0, 32768 + 4096] == round(math.tanh(1.0) * 2**15)
