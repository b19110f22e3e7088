"""Operators that take elements one by one, Concat, Softmax, and sums to outputs: by any rule."""

from __future__ import annotations

from deployer.kernelset.arguments import REAL, REQUANTIZE
from deployer.kernelset.kernel import Kernel
from deployer.kernelset.order import BY_ELEMENTS, BY_PARTS, BY_PIXELS


def _typed(act: str) -> tuple[Kernel, ...]:
    """One kernel for each operator, activations of type ``act``."""
    return (
        Kernel(f"dpl_add_{act}__armv8a", op="Add", act=act, also=("Sub",), order=BY_ELEMENTS),
        Kernel(f"dpl_mul_{act}__armv8a", op="Mul", act=act, order=BY_ELEMENTS),
        Kernel(f"dpl_prelu_{act}__armv8a", op="PRelu", act=act, order=BY_ELEMENTS),
        Kernel(f"dpl_table_{act}__armv8a", op="Table", act=act, order=BY_ELEMENTS),
        Kernel(f"dpl_rescale_{act}__armv8a", op="Rescale", act=act, order=BY_ELEMENTS),
        Kernel(f"dpl_concat_{act}__armv8a", op="Concat", act=act, order=BY_PARTS),
    )


def _of_floats(name: str, op: str, *also: str) -> Kernel:
    symbol = f"dpl_{name}_f32__armv8a"
    return Kernel(symbol, op=op, act=REAL, weights=REAL, also=also, order=BY_ELEMENTS)


KERNELS: tuple[Kernel, ...] = (
    *_typed("s8"),
    Kernel("dpl_maximum_s8__armv8a", op="Maximum", order=BY_ELEMENTS),
    Kernel("dpl_softmax_s8__armv8a", op="Softmax", order=BY_PIXELS),
    *_typed("s16"),
    Kernel("dpl_rescale_s8_s16__armv8a", op="Rescale", out_act="s16", order=BY_ELEMENTS),
    Kernel("dpl_rescale_s16_s8__armv8a", op="Rescale", act="s16", out_act="s8", order=BY_ELEMENTS),
    Kernel("dpl_requantize_s32_s8__armv8a", op=REQUANTIZE, act="s32", out_act="s8"),
    Kernel("dpl_requantize_s32_s16__armv8a", op=REQUANTIZE, act="s32", out_act="s16"),
    _of_floats("add", "Add", "Sub"),
    _of_floats("mul", "Mul"),
    _of_floats("maximum", "Maximum"),
    _of_floats("prelu", "PRelu"),
    _of_floats("function", "Table"),
    _of_floats("bound", "Rescale"),
)
