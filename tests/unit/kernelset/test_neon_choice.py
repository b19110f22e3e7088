"""Which of the kernels for NEON takes a convolution that several can."""

from __future__ import annotations

from deployer.ir import Pads
from deployer.kernelset import KernelCase, by_symbol


def transposed(act: str, channels: int, outputs: int) -> KernelCase:
    """Of 32x32 pixels, 4x4 at stride 3."""
    return KernelCase(
        op="ConvTranspose2d",
        act=act,
        weights="s8",
        in_shapes=((1, 32, 32, channels),),
        out_shape=(1, 96, 96, outputs),
        kernel=(4, 4),
        stride=(3, 3),
        rule="q32",
    )


def few_pixels(side: int) -> KernelCase:
    return KernelCase(
        op="Conv2d",
        act="s8",
        weights="s8",
        in_shapes=((1, 8, 8, 48),),
        out_shape=(1, side, side, 1888),
        kernel=(2, 2),
        stride=(3, 3),
        dilation=(2, 2),
        pads=Pads(0, 0, 1, 1),
        groups=16,
        rule="q32",
    )


def test_pixels_of_a_stride_are_one_where_their_outputs_lie_side_by_side() -> None:
    """Six outputs a pixel are stored by turns, nine are not."""
    wide = by_symbol("dpl_conv_transpose2d_s16__armv8a_wide")
    assert not wide.yields(transposed("s16", 8, 2))
    assert wide.yields(transposed("s16", 8, 3))


def test_blocks_have_four_pixels_also_where_one_is_left() -> None:
    planes = by_symbol("dpl_conv2d_s8__armv8a_planes")
    assert not planes.yields(few_pixels(3))
