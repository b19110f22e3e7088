"""Portable C for every operator: what every list falls back to."""

from __future__ import annotations

import math
from collections.abc import Callable

from deployer.ir import ResizeMode
from deployer.kernelset.arguments import REQUANTIZE, SUMS
from deployer.kernelset.kernel import Kernel, KernelCase, by_mode
from deployer.kernelset.order import AT_ONCE, BY_ELEMENTS, BY_PARTS, BY_PIXELS, BY_ROWS

Cycles = Callable[[KernelCase], float]  # of a call, estimated

# Cycles of an element on GAP8's eight cores, everything in L1; of a call; of an output of a pool,
# of a tap.
_ELEMENT = {
    "Mul": 5.0,
    "Rescale": 3.0,
    "PRelu": 3.5,
    "Table": 3.0,
    "Transpose": 6.0,
    "Resize": 2.5,
}
_CALL, _OUTPUT, _TAP = 350.0, 5.0, 1.0


def _elements(case: KernelCase) -> float:
    return _CALL + _ELEMENT[case.op] * math.prod(case.out_shape)


def _windows(case: KernelCase) -> float:
    return _CALL + math.prod(case.out_shape) * (_OUTPUT + _TAP * math.prod(case.kernel))


def _typed(act: str) -> tuple[Kernel, ...]:
    """One kernel for each operator, activations of type ``act``. Those of int16 that GAP8 has no
    other kernels for are cut into tiles there."""
    tiled = act == "s16"
    elements, windows = (_elements, _windows) if tiled else (None, None)
    return (
        *_linear(act),
        Kernel(f"dpl_add_{act}__ref", op="Add", act=act, also=("Sub",), order=BY_ELEMENTS),
        *(_elementwise(op, act, elements) for op in ("Mul", "PRelu", "Table")),
        *_moving(act, elements),
        _elementwise("Rescale", act, elements),
        _pool("AveragePool", "average", act, windows),
        _pool("MaxPool", "max", act, windows),
        Kernel(f"dpl_transpose_{act}__ref", op="Transpose", act=act, cycles=elements),
    )


def _linear(act: str) -> tuple[Kernel, ...]:
    return (
        Kernel(f"dpl_conv2d_{act}__ref", op="Conv2d", act=act, order=BY_ROWS),
        Kernel(f"dpl_depthwise_conv2d_{act}__ref", op="DepthwiseConv2d", act=act, order=BY_ROWS),
        Kernel(f"dpl_fully_connected_{act}__ref", op="FullyConnected", act=act, order=AT_ONCE),
        Kernel(f"dpl_conv_transpose2d_{act}__ref", op="ConvTranspose2d", act=act, order=BY_ROWS),
    )


def _elementwise(op: str, act: str, cycles: Cycles | None) -> Kernel:
    return Kernel(f"dpl_{op.lower()}_{act}__ref", op=op, act=act, order=BY_ELEMENTS, cycles=cycles)


def _pool(op: str, name: str, act: str, cycles: Cycles | None) -> Kernel:
    return Kernel(f"dpl_{name}_pool_{act}__ref", op=op, act=act, order=BY_PIXELS, cycles=cycles)


def _moving(act: str, copies: Cycles | None) -> tuple[Kernel, ...]:
    """``copies``: cycles of a nearest Resize."""
    return (
        Kernel(f"dpl_concat_{act}__ref", op="Concat", act=act, order=BY_PARTS),
        Kernel(f"dpl_copy_{act}__ref", op="Slice", act=act, order=BY_ROWS),
        Kernel(f"dpl_pad_{act}__ref", op="Pad", act=act, order=BY_ROWS),
        *(
            Kernel(
                f"dpl_resize_{mode}_{act}__ref",
                op="Resize",
                act=act,
                when=by_mode(mode),
                order=BY_PIXELS,
                cycles=copies if mode == ResizeMode.NEAREST else None,
            )
            for mode in (ResizeMode.NEAREST, ResizeMode.LINEAR)
        ),
        Kernel(f"dpl_resample_{act}__ref", op="Resample", act=act),
        Kernel(f"dpl_depth_to_space_{act}__ref", op="DepthToSpace", act=act, order=BY_ROWS),
        Kernel(f"dpl_space_to_depth_{act}__ref", op="SpaceToDepth", act=act, order=BY_ROWS),
    )


def _summing(act: str) -> tuple[Kernel, ...]:
    """What regions in groups of channels run in place of a layer that sums over them; no operator
    of the IR, so no node gets them."""
    return (
        Kernel(f"dpl_conv2d_sums_{act}_s32__ref", op=SUMS, act=act, out_act="s32"),
        Kernel(f"dpl_requantize_s32_{act}__ref", op=REQUANTIZE, act="s32", out_act=act),
    )


KERNELS: tuple[Kernel, ...] = (
    *_typed("s8"),
    Kernel("dpl_softmax_s8__ref", op="Softmax", order=BY_PIXELS),
    Kernel("dpl_matmul_s8__ref", op="MatMul"),
    Kernel("dpl_layer_norm_s8__ref", op="LayerNorm", order=BY_PIXELS),
    Kernel("dpl_group_norm_s8__ref", op="GroupNorm"),
    Kernel("dpl_maximum_s8__ref", op="Maximum", order=BY_ELEMENTS),
    Kernel("dpl_min_pool_s8__ref", op="MinPool", order=BY_PIXELS),
    *_typed("s16"),
    Kernel("dpl_rescale_s8_s16__ref", op="Rescale", act="s8", out_act="s16", order=BY_ELEMENTS),
    Kernel("dpl_rescale_s16_s8__ref", op="Rescale", act="s16", out_act="s8", order=BY_ELEMENTS),
    *_summing("s8"),
    *_summing("s16"),
)
