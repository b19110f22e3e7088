"""What depthwise 3x3 of XpulpV2 turns at a time."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.pulp.depthwise_cycles import depthwise_cycles
from deployer.kernelset.pulp.depthwise_planes import pieces_3x3, planes_3x3, spanned

CORES = 8


def case(height: int, width: int, channels: int, stride: int) -> KernelCase:
    return KernelCase(
        op="DepthwiseConv2d",
        act="s8",
        weights="s8",
        in_shapes=((1, height * stride, width * stride, channels),),
        out_shape=(1, height, width, channels),
        kernel=(3, 3),
        stride=(stride, stride),
        rule="i32",
    )


cases = st.builds(
    case, st.integers(1, 60), st.integers(1, 80), st.integers(1, 400), st.sampled_from((1, 2))
)


def row_bytes(columns: int, stride: int) -> int:
    return 4 * -(-spanned(columns, stride) // 4) * 4


@given(cases)
def test_every_piece_fits_its_planes(case: KernelCase) -> None:
    planes = planes_3x3(case)
    for piece in pieces_3x3(case):
        row = row_bytes(piece.columns, case.stride[0])
        assert piece.groups * row * spanned(piece.rows, case.stride[0]) <= planes.bytes
        assert piece.rows <= planes.rows
        assert piece.columns <= planes.columns
        assert piece.groups <= planes.groups


@given(cases)
def test_the_fullest_core_has_its_share(case: KernelCase) -> None:
    """An eighth of the rows of all groups, rounded up."""
    _, height, width, channels = case.out_shape
    groups = -(-channels // 4)
    outputs = sum(piece.groups * piece.rows * piece.columns for piece in pieces_3x3(case))
    assert outputs == -(-groups * height // CORES) * width


def test_more_groups_at_a_time_where_planes_are_small() -> None:
    assert planes_3x3(case(3, 3, 256, 1)).groups == 8
    assert planes_3x3(case(6, 6, 128, 1)).groups == 4
    assert planes_3x3(case(16, 16, 128, 1)).groups == 1
    assert planes_3x3(case(3, 3, 32, 1)).groups == 1


@given(cases, st.sampled_from((0, 1, 2)))
def test_a_larger_output_takes_longer(case: KernelCase, axis: int) -> None:
    """By eight rows, four columns, or a group for each core."""
    shape = list(case.out_shape)
    shape[1 + axis] += (8, 4, 32)[axis]
    inputs = ((*case.in_shapes[0][:3], shape[3]),)
    larger = replace(case, in_shapes=inputs, out_shape=tuple(shape))
    assert depthwise_cycles(larger) > depthwise_cycles(case)


def test_an_odd_column_costs_less_than_four() -> None:
    five, eight = (depthwise_cycles(case(25, width, 64, 1)) for width in (5, 8))
    assert five < 0.75 * eight
