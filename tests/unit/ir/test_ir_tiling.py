"""Axes cut into tiles: every output once, every input that it needs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deployer.ir.tiling import Axis

AXES = st.builds(
    Axis,
    tile=st.integers(1, 20),
    outputs=st.integers(1, 40),
    inputs=st.integers(1, 90),
    stride=st.integers(1, 4),
    taps=st.integers(1, 9),
    pad=st.integers(0, 4),
)


@given(AXES)
def test_the_tiles_cover_the_outputs_once_and_in_order(axis: Axis) -> None:
    covered = [o for cut in axis.cuts for o in range(cut.begin, cut.begin + cut.count)]
    assert covered == list(range(axis.outputs))


@given(AXES)
def test_a_tile_has_every_tap_as_an_input_or_as_padding(axis: Axis) -> None:
    for cut in axis.cuts:
        loaded = range(cut.first, cut.first + cut.inputs)
        assert 0 <= cut.first <= cut.first + cut.inputs <= axis.inputs
        for output in range(cut.begin, cut.begin + cut.count):
            low = output * axis.stride - axis.pad
            for tap in range(low, low + axis.taps):
                assert tap in loaded or not 0 <= tap < axis.inputs


@given(AXES)
def test_a_tile_pads_as_much_as_its_windows_reach_beyond_the_tensor(axis: Axis) -> None:
    for cut in axis.cuts:
        low = cut.begin * axis.stride - axis.pad
        high = low + (cut.count - 1) * axis.stride + axis.taps
        assert cut.before == max(0, -low)
        assert cut.after == max(0, high - axis.inputs)


@given(AXES)
def test_every_kind_of_tile_is_among_the_distinct_ones_in_its_place(axis: Axis) -> None:
    each = [(c.count, c.inputs, c.before, c.after) for c in axis.cuts]
    assert [cut.kind for cut in axis.kinds] == list(dict.fromkeys(each))


@given(AXES)
def test_no_tile_needs_more_inputs_than_the_most(axis: Axis) -> None:
    assert max(cut.inputs for cut in axis.cuts) == axis.most_inputs
