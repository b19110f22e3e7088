"""What a kernel's entry sees of weights, and what entries say of code and files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from deployer.kernelset.arguments import REQUANTIZE, SUMS
from deployer.kernelset.code import PORTABLE_BYTES, code_bytes
from deployer.kernelset.kernel import KernelCase, case_of
from deployer.kernelset.pulp.code import BYTES
from deployer.kernelset.select import by_symbol, select_part
from deployer.resources import data_root
from unit.ir.nets import Net


def dense(weights: np.ndarray, bias: np.ndarray) -> KernelCase:
    net = Net("dense")
    net.dense(net.input(1, weights.shape[1]), weights.shape[0])
    graph = net.graph("fullyconnected0_out")
    _, w, b = graph.nodes[0].inputs
    constants = {**graph.constants, w: weights, b: bias}
    return case_of(replace(graph, constants=constants), graph.nodes[0])


WEIGHTS = arrays.arrays(
    np.int8, st.tuples(st.integers(1, 5), st.integers(1, 4)), elements=st.integers(-128, 127)
)


@given(WEIGHTS, st.integers(-(2**31), 2**31 - 1))
def test_the_lowest_pair_is_the_least_of_two_channels_in_a_halfword(
    weights: np.ndarray, bias: int
) -> None:
    """The second channel in the upper byte; none is above 0, and a single last one has no pair."""
    rows = weights.astype(int).tolist()
    pairs = [
        256 * upper + lower
        for first, second in zip(rows[::2], rows[1::2], strict=False)
        for lower, upper in zip(first, second, strict=True)
    ]
    case = dense(weights, np.full(len(weights), bias, np.int32))
    assert case.lowest_pair == min([0, *pairs])


@given(WEIGHTS, st.integers(-(2**31), 2**31 - 1))
def test_no_sum_of_a_dense_layer_leaves_its_bound(weights: np.ndarray, bias: int) -> None:
    case = dense(weights, np.full(len(weights), bias, np.int32))
    most = max(128 * sum(abs(w) for w in row) + abs(bias) for row in weights.astype(int).tolist())
    bound = weights.shape[1] * 127 * 128 + abs(bias)
    assert case.accumulator_bound == (bound if bound < 2**23 else most)


@pytest.mark.parametrize(
    ("depth", "bias", "exact"), [(516, 511, False), (516, 512, True), (517, 0, True)]
)
def test_a_wide_fully_connected_layer_is_bounded_by_its_weights(
    depth: int, bias: int, exact: bool
) -> None:
    """A bound of 2**23 and more is looked at closely."""
    found = dense(np.ones((2, depth), np.int8), np.array([0, -bias], np.int32)).accumulator_bound
    assert found == (128 if exact else 127 * 128) * depth + bias


def test_code_of_files_that_kernels_share_counts_once() -> None:
    plain = by_symbol("dpl_add_s8__ref")
    kernel = by_symbol("dpl_conv2d_s8__xpulpv2")
    own = sum(BYTES[source.rpartition("/")[2]] for source in kernel.sources)
    assert code_bytes([]) == 0
    assert code_bytes([kernel]) == code_bytes([kernel, kernel]) == own
    assert code_bytes([plain, kernel]) == PORTABLE_BYTES + own
    shared = [replace(each, assembly=("dpl_x.S",)) for each in (plain, kernel)]
    own_files = (kernel.source, *(f"/{name}" for name in kernel.shared))
    first = sum(BYTES[source.rpartition("/")[2]] for source in own_files)
    assert code_bytes(shared) == first + 2 * PORTABLE_BYTES


def test_every_file_of_gap8s_kernels_has_its_bytes() -> None:
    """All that gcc made of them together; an entry that changes changes this on purpose."""
    files = {file.name for file in (data_root() / "kernels" / "pulp").iterdir()}
    assert {name for name in files if name.endswith((".c", ".S"))} == set(BYTES)
    assert sum(BYTES.values()) == 95_476


@pytest.mark.parametrize("act", ["s8", "s16"])
def test_parts_of_operators_have_portable_kernels(act: str) -> None:
    kernel = select_part(SUMS, act, "s32")
    assert (kernel.act, kernel.out_act, kernel.family) == (act, "s32", "ref")
    assert select_part(REQUANTIZE, "s32", act).out_act == act
