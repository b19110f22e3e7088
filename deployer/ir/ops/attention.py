"""Products of two activations, and normalizations: numbers less their mean, over their standard
deviation, by a scale and an offset of each channel."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from deployer.ir.attrs import MatMulAttrs, NormAttrs
from deployer.ir.ops import access
from deployer.ir.ops.shapes import same_shape
from deployer.ir.ops.spec import Entries, Family, OpSpec, Quantization, Shape


def _product_shape(attrs: Any, shapes: Sequence[Shape]) -> Shape:
    """Rows of pixels of the left (1, H, W, K) times those of the right (1, H, V, K)."""
    left, right = shapes[:2]
    return (*left[:-1], right[-2])


def _product_macs(attrs: Any, shapes: Sequence[Shape]) -> int:
    left, right = shapes[:2]
    return math.prod(left) * right[-2]


def _norm(reads: access.AccessMap) -> OpSpec:
    return OpSpec(
        attrs=NormAttrs,
        shape=same_shape,
        family=Family.ACTIVATION,
        quantization=Quantization.RANGE,
        entries=Entries.CHANNELS,
        arguments="norm",
        access=reads,
        constants=2,
    )


SPECS: Mapping[str, OpSpec] = {
    "MatMul": OpSpec(
        attrs=MatMulAttrs,
        shape=_product_shape,
        family=Family.DENSE,
        quantization=Quantization.RANGE,
        entries=Entries.CHANNELS,
        arguments="matmul",
        macs=_product_macs,
        activations=2,
    ),
    "LayerNorm": _norm(access.same),
    "GroupNorm": _norm(access.whole),
}
