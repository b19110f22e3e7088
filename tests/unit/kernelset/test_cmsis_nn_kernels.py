"""What the adapters to CMSIS-NN take, and their integers in the library's form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.ir.attrs import Pads
from deployer.kernelset.cmsis_nn import KERNELS
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.layouts import Parameters, WeightLayout, packed
from deployer.kernelset.layouts.cmsis_nn import rounded
from deployer.kernelset.select import by_symbol, candidates
from deployer.numerics.requant import choose, requantize

RULES = ("q31", "q32", "i32", "shift")
CONV = KernelCase("Conv2d", "s8", "s8", ((1, 9, 9, 4),), (1, 9, 9, 8), kernel=(3, 3), rule="q31")


def chosen(rule: str, real: np.ndarray, bound: int, zero: int) -> Parameters:
    """A dense layer's tables by ``rule``; ValueError where it has none."""
    found = choose(rule, real, np.full(len(real), bound), zero)
    weights = np.zeros((len(real), 1), np.int8)
    bias = np.arange(len(real), dtype=np.int32)
    tables = found.multiplier, found.rounding, found.shift
    return Parameters(weights, bias, tables[0], rule=rule, rounding=tables[1], shift=tables[2])


@pytest.mark.parametrize("rule", RULES)
@settings(deadline=None)
@given(
    real=st.floats(2.0**-28, 0.49),
    acc=st.integers(-(2**20), 2**20),
    zero=st.integers(-128, 127),
)
def test_single_rounding_computes_the_rule(rule: str, real: float, acc: int, zero: int) -> None:
    """As the library's header defines it: ((acc * m >> (30 - s)) + 1) >> 1, plus the zero point."""
    if rule == "shift":
        real = 2.0 ** np.floor(np.log2(real))
    given_ = chosen(rule, np.array([real]), 2**20, zero)
    found = rounded(given_)
    m, shift = int(found.multiplier[0]), int(found.shift[0])
    assert 0 <= m < 2**31
    assert -31 <= shift <= 30
    library = (((acc * m) >> (30 - shift)) + 1 >> 1) + found.output_zero
    tables = given_.multiplier, given_.rounding, given_.shift
    ours = requantize(np.array([[acc]], np.int32), rule, *tables, low=-128, high=127)
    assert ours[0, 0] == min(max(library, -128), 127)


def test_two_floors_are_not_one_rounding() -> None:
    with pytest.raises(ValueError, match="q16"):
        rounded(chosen("q16", np.array([0.1]), 1000, 3))
    assert not any(k.takes(replace(CONV, rule="q16")) for k in KERNELS)


@pytest.mark.parametrize(
    ("shape", "sums"),
    [((2, 1, 2, 3), (15, 51)), ((1, 3, 4), (12, 15, 18, 21)), ((2, 6), (0, 0))],
    ids=["OHWI", "HWC", "OI folds"],
)
def test_the_stream_holds_tables_and_weights(shape: tuple[int, ...], sums: tuple[int, ...]) -> None:
    weights = np.arange(np.prod(shape), dtype=np.int8).reshape(shape)
    n = len(sums)
    given_ = replace(chosen("q31", np.linspace(0.1, 0.4, n), 1000, -9), weights=weights, zero=7)
    stream = packed(WeightLayout.CMSIS_NN, given_)
    words = stream[: 4 * (1 + 3 * n)].view("<i4").tolist()
    assert words[0] == -9
    assert words[1 : 1 + n] == [i + 7 * total for i, total in enumerate(sums)]
    assert words[1 + n : 1 + 2 * n] == given_.multiplier.tolist()
    assert words[1 + 2 * n :] == [31 - int(s) for s in given_.shift]
    assert np.array_equal(stream[4 * (1 + 3 * n) :], weights.ravel())


@pytest.mark.parametrize(
    ("change", "taken"),
    [
        ({}, True),
        ({"pads": Pads(2, 2, 2, 2)}, True),
        ({"pads": Pads(3, 0, 0, 0)}, False),
        ({"pads": Pads(0, 0, 0, 3)}, False),
        ({"dilation": (2, 2)}, True),
        ({"groups": 2}, True),
        ({"act": "s16"}, False),
    ],
)
def test_convolutions_it_takes(change: dict[str, object], taken: bool) -> None:
    case = replace(CONV, **change)
    able = candidates(["cmsis_nn", "cortex_m"], case)
    found = next(kernel for kernel in able if not kernel.opt_in)
    assert (found.family == "cmsis_nn") == taken


def test_windows_go_to_other_kernels() -> None:
    found = candidates(["cmsis_nn", "cortex_m"], CONV, windows=True)
    assert next(kernel for kernel in found if not kernel.opt_in).family == "cortex_m"


@pytest.mark.parametrize(("right", "taken"), [(1, True), (2, False)])
def test_depthwise_3x3_reads_the_middle_column(right: int, taken: bool) -> None:
    kernel = by_symbol("dpl_depthwise_conv2d_s8__cmsis_nn")
    pads = Pads(1, 1, 2, right)
    case = replace(CONV, op="DepthwiseConv2d", out_shape=(1, 9, 9, 4), groups=4, pads=pads)
    assert kernel.takes(case) == taken


def test_averages_are_plain_means() -> None:
    kernel = by_symbol("dpl_average_pool_s8__cmsis_nn")
    case = replace(CONV, op="AveragePool", weights="", out_shape=(1, 4, 4, 4), rule="mean")
    assert kernel.takes(case)
    assert not kernel.takes(replace(case, rule="i32"))
    assert not kernel.takes(replace(case, dilation=(2, 1)))
