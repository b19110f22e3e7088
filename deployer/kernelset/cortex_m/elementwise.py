"""Operators that take elements one by one, Concat, products of activations and normalizations."""

from __future__ import annotations

from deployer.kernelset.blocking.cortex_m import MATMUL_PIXELS
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import BY_ELEMENTS, BY_PARTS, BY_PIXELS

_MANY_CHANNELS = 24  # of a softmax whose last pass is worth its beginning and end


def _packed(case: KernelCase) -> int:
    """Some pixels of one side as int16, four channels at a time."""
    return 2 * MATMUL_PIXELS * (-(-case.in_channels // 4) * 4)


KERNELS: tuple[Kernel, ...] = (
    Kernel("dpl_add_s8__armv7em", op="Add", also=("Sub",), order=BY_ELEMENTS),
    Kernel("dpl_mul_s8__armv7em", op="Mul", order=BY_ELEMENTS),
    Kernel("dpl_mul_s16__armv7em", op="Mul", act="s16", order=BY_ELEMENTS),
    Kernel("dpl_maximum_s8__armv7em", op="Maximum", order=BY_ELEMENTS),
    Kernel("dpl_table_s8__armv7em", op="Table", order=BY_ELEMENTS),
    Kernel("dpl_table_s16__armv7em", op="Table", act="s16", order=BY_ELEMENTS),
    Kernel("dpl_rescale_s8__armv7em", op="Rescale", order=BY_ELEMENTS),
    Kernel("dpl_rescale_s16__armv7em", op="Rescale", act="s16", order=BY_ELEMENTS),
    Kernel("dpl_rescale_s8_s16__armv7em", op="Rescale", out_act="s16", order=BY_ELEMENTS),
    Kernel("dpl_rescale_s16_s8__armv7em", op="Rescale", act="s16", out_act="s8", order=BY_ELEMENTS),
    Kernel("dpl_prelu_s8__armv7em", op="PRelu", order=BY_ELEMENTS),
    Kernel("dpl_prelu_s16__armv7em", op="PRelu", act="s16", order=BY_ELEMENTS),
    Kernel(
        "dpl_softmax_s8__armv7em_long",
        op="Softmax",
        when=lambda case: case.out_channels >= _MANY_CHANNELS,
        order=BY_PIXELS,
    ),
    Kernel("dpl_softmax_s8__armv7em", op="Softmax", order=BY_PIXELS),
    Kernel("dpl_concat_s8__armv7em", op="Concat", order=BY_PARTS),
    Kernel("dpl_concat_s16__armv7em", op="Concat", act="s16", order=BY_PARTS),
    Kernel("dpl_matmul_s8__armv7em", op="MatMul", scratch=_packed),
    Kernel("dpl_layer_norm_s8__armv7em", op="LayerNorm", order=BY_PIXELS),
    Kernel("dpl_group_norm_s8__armv7em", op="GroupNorm"),
)
