"""What the depthwise kernels of XpulpV2 take, and how much memory."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.ir.attrs import Pads
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.select import by_symbol, candidates

KERNEL = by_symbol("dpl_depthwise_conv2d_s8__xpulpv2")
BLOCKED = by_symbol("dpl_depthwise_conv2d_s8__xpulpv2_blocked")
PADS = Pads(1, 1, 1, 1)
CORES = 8


def case(
    height: int, width: int, *, kernel: int = 3, stride: int = 1, **more: object
) -> KernelCase:
    plain = KernelCase(
        op="DepthwiseConv2d",
        act="s8",
        weights="s8",
        in_shapes=((1, height * stride, width * stride, 16),),
        out_shape=(1, height, width, 16),
        kernel=(kernel, kernel),
        stride=(stride, stride),
        rule="i32",
    )
    return replace(plain, **more)


@given(
    *(st.integers(1, 80) for _ in range(4)), st.integers(1, 9), st.integers(1, 4), st.integers(1, 3)
)
def test_a_tile_needs_no_more_than_the_whole(
    height: int, width: int, less: int, narrower: int, kernel: int, stride: int, dilation: int
) -> None:
    """So a case's scratch serves all its tiles, whatever their shapes."""
    sizes = {"kernel": kernel, "stride": stride, "dilation": (dilation, dilation)}
    whole = KERNEL.scratch(case(height, width, **sizes))
    tile = KERNEL.scratch(case(min(height, less), min(width, narrower), **sizes))
    assert tile <= whole


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("width", [7, 16, 32, 224])
def test_scratch_of_3x3_is_small(width: int, stride: int) -> None:
    assert KERNEL.scratch(case(224, width, stride=stride)) <= CORES * 1444


def test_cores_begin_in_different_banks() -> None:
    """An odd number of words each: eight cores that do the same meet eight of sixteen banks."""
    for kernel, stride in ((3, 1), (3, 2), (5, 1), (7, 2), (4, 3)):
        for width in (5, 16, 40):
            each = KERNEL.scratch(case(16, width, kernel=kernel, stride=stride)) // CORES
            assert each % 8 == 4


def test_transposed_blocks_are_for_kernels_that_read_them() -> None:
    plain = case(16, 16, pads=PADS)
    blocked = replace(plain, blocked_input=True)
    assert list(candidates(("pulp",), blocked)) == [BLOCKED]
    assert BLOCKED not in candidates(("pulp",), plain)
    assert KERNEL in candidates(("pulp",), plain)


@pytest.mark.parametrize(
    "odd",
    [
        {"kernel": (3, 5)},
        {"stride": (1, 2)},
        {"stride": (3, 3)},
        {"dilation": (2, 2)},
        {"rule": "q32"},
        {"out_shape": (1, 16, 16, 32)},
        {"pads": Pads(1, 0, 1, 2)},
        {"pads": Pads(2, 1, 0, 1)},
        {"in_shapes": ((1, 16, 18, 16),)},
        {"in_shapes": ((1, 16, 16, 18),), "out_shape": (1, 16, 16, 18)},
    ],
    ids=str,
)
def test_transposed_blocks_are_for_plain_3x3_of_whole_blocks(odd: dict[str, object]) -> None:
    plain = replace(case(16, 16, pads=PADS), blocked_input=True)
    assert BLOCKED.takes(plain)
    assert not BLOCKED.takes(replace(plain, **odd))


@pytest.mark.parametrize(("left", "suffix"), [(1, ""), (0, "_unpadded")])
def test_stride_2_is_read_with_a_pad_on_the_left_or_none(left: int, suffix: str) -> None:
    strided = case(8, 6, stride=2, pads=Pads(left, left, 1 - left, 1 - left))
    (found,) = candidates(("pulp",), replace(strided, blocked_input=True))
    assert found.symbol == f"{BLOCKED.symbol}_by_2{suffix}"
