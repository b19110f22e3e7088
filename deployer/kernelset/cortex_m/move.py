"""Operators that move elements, the portable ones with runs in words, and magnification."""

from __future__ import annotations

from deployer.ir import ResizeMode
from deployer.kernelset.blocking.cortex_m import RESIZE_TURNED_BYTES
from deployer.kernelset.kernel import Kernel, KernelCase, by_mode
from deployer.kernelset.order import BY_ROWS, AccessOrder


def _by_rows(case: KernelCase) -> AccessOrder | None:
    """But a column, which is resized as a row (dpl/cortex_m/resize_turn.h)."""
    _, height, width, channels = case.in_shapes[0]
    few = channels * case.element_bytes <= RESIZE_TURNED_BYTES or case.out_shape[1] <= height
    return None if width == 1 and height > 1 and few else BY_ROWS


def _typed(act: str) -> tuple[Kernel, ...]:
    """One kernel for each operator, activations of type ``act``."""
    return (
        Kernel(f"dpl_copy_{act}__armv7em", op="Slice", act=act, order=BY_ROWS),
        Kernel(f"dpl_pad_{act}__armv7em", op="Pad", act=act, order=BY_ROWS),
        Kernel(f"dpl_depth_to_space_{act}__armv7em", op="DepthToSpace", act=act, order=BY_ROWS),
        Kernel(f"dpl_space_to_depth_{act}__armv7em", op="SpaceToDepth", act=act, order=BY_ROWS),
        Kernel(f"dpl_transpose_{act}__armv7em", op="Transpose", act=act),
    )


KERNELS: tuple[Kernel, ...] = (
    *_typed("s8"),
    *_typed("s16"),
    *(
        Kernel(
            f"dpl_resize_nearest_{act}__armv7em",
            op="Resize",
            act=act,
            when=by_mode(ResizeMode.NEAREST),
            order=_by_rows,
            terms=("call", "element", "made", "made_short"),
        )
        for act in ("s8", "s16")
    ),
    *(
        Kernel(
            f"dpl_resize_linear_{act}__armv7em",
            op="Resize",
            act=act,
            when=by_mode(ResizeMode.LINEAR),
            order=_by_rows,
        )
        for act in ("s8", "s16")
    ),
)
