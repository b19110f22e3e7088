"""Operators that move elements in runs of vectors, transposes, and magnification."""

from __future__ import annotations

from deployer.ir import ResizeMode
from deployer.kernelset.arguments import REAL
from deployer.kernelset.kernel import Kernel, by_mode
from deployer.kernelset.order import BY_PIXELS, BY_ROWS


def _typed(act: str) -> tuple[Kernel, ...]:
    """One kernel for each operator, activations of type ``act``."""
    return (
        Kernel(f"dpl_copy_{act}__armv8a", op="Slice", act=act, order=BY_ROWS),
        Kernel(f"dpl_pad_{act}__armv8a", op="Pad", act=act, order=BY_ROWS),
        Kernel(f"dpl_depth_to_space_{act}__armv8a", op="DepthToSpace", act=act, order=BY_ROWS),
        Kernel(f"dpl_space_to_depth_{act}__armv8a", op="SpaceToDepth", act=act, order=BY_ROWS),
        Kernel(
            f"dpl_resize_nearest_{act}__armv8a",
            op="Resize",
            act=act,
            when=by_mode(ResizeMode.NEAREST),
            order=BY_PIXELS,
        ),
        Kernel(
            f"dpl_resize_linear_{act}__armv8a",
            op="Resize",
            act=act,
            when=by_mode(ResizeMode.LINEAR),
            order=BY_PIXELS,
        ),
        Kernel(f"dpl_transpose_{act}__armv8a", op="Transpose", act=act),
    )


KERNELS: tuple[Kernel, ...] = (
    *_typed("s8"),
    *_typed("s16"),
    Kernel(
        "dpl_resize_linear_f32__armv8a",
        op="Resize",
        act=REAL,
        weights=REAL,
        when=by_mode(ResizeMode.LINEAR),
        order=BY_PIXELS,
    ),
)
