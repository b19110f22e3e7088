"""What the depthwise kernels of XpulpV2 take, and how much memory."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.select import by_symbol, candidates

KERNEL = by_symbol("dpl_depthwise_conv2d_s8__xpulpv2")
PLANAR = by_symbol("dpl_depthwise_conv2d_s8__xpulpv2_planar")
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


def test_nobody_chooses_planar_input() -> None:
    plain = case(16, 16)
    assert PLANAR.takes(plain)
    assert PLANAR.opt_in
    assert PLANAR not in candidates(("pulp",), plain)
    assert PLANAR in candidates(("pulp",), plain, planar=True)
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
    ],
    ids=str,
)
def test_planar_input_is_for_plain_3x3(odd: dict[str, object]) -> None:
    unusual = replace(case(16, 16), **odd)
    assert not PLANAR.takes(unusual)
    assert KERNEL.takes(unusual)
    assert KERNEL.scratch(unusual) >= KERNEL.scratch(case(16, 16)) or odd == {"stride": (3, 3)}
