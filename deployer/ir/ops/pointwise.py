"""Operators on single elements, of one activation or of two."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from deployer.ir.attrs import PointAttrs, TableAttrs
from deployer.ir.ops import access
from deployer.ir.ops.shapes import same_shape
from deployer.ir.ops.spec import Entries, Family, OpSpec, Quantization, Shape
from deployer.ir.types import DType


def _larger_shape(attrs: Any, shapes: Sequence[Shape]) -> Shape:
    """Of the larger input: the other may be one pixel, broadcast over height and width."""
    return max(shapes[:2], key=math.prod)


def _sum() -> OpSpec:
    return OpSpec(
        attrs=PointAttrs,
        shape=same_shape,
        family=Family.ARITHMETIC,
        quantization=Quantization.RANGE,
        entries=Entries.PAIR,
        arguments="add",
        access=access.same,
        activations=2,
        elementwise=True,
        spatial=True,
        channelwise=True,
        int16=True,
        trains=True,
    )


SPECS: Mapping[str, OpSpec] = {
    "Add": _sum(),
    "Sub": _sum(),
    "Mul": OpSpec(
        attrs=PointAttrs,
        shape=_larger_shape,
        family=Family.ARITHMETIC,
        quantization=Quantization.RANGE,
        entries=Entries.CHANNELS,
        arguments="mul",
        access=access.same,
        activations=2,
        elementwise=True,
        spatial=True,
        channelwise=True,
        int16=True,
        trains=True,
    ),
    "Maximum": OpSpec(
        attrs=PointAttrs,
        shape=same_shape,
        family=Family.ARITHMETIC,
        quantization=Quantization.RANGE,
        entries=Entries.INPUTS,
        arguments="mul",
        access=access.same,
        activations=2,
        elementwise=True,
        spatial=True,
        channelwise=True,
    ),
    "PRelu": OpSpec(
        attrs=PointAttrs,
        shape=same_shape,
        family=Family.ACTIVATION,
        quantization=Quantization.RANGE,
        entries=Entries.SLOPES,
        arguments="prelu",
        access=access.same,
        elementwise=True,
        spatial=True,
        channelwise=True,
        homogeneous=True,
        int16=True,
        trains=True,
    ),
    "Table": OpSpec(
        attrs=TableAttrs,
        shape=same_shape,
        family=Family.ACTIVATION,
        quantization=Quantization.RANGE,
        entries=Entries.NONE,
        arguments="table",
        access=access.same,
        constants=1,
        lookup={DType.S8: ((256,), DType.S8), DType.S16: ((513,), DType.S16)},  # int16 interpolates
        elementwise=True,
        spatial=True,
        channelwise=True,
        homogeneous=True,
        int16=True,
        trains=True,
    ),
    "Rescale": OpSpec(
        attrs=PointAttrs,
        shape=same_shape,
        family=Family.ACTIVATION,
        quantization=Quantization.RANGE,
        entries=Entries.CHANNELS,
        arguments="rescale",
        access=access.same,
        elementwise=True,
        spatial=True,
        channelwise=True,
        homogeneous=True,
        int16=True,
        changes_type=True,
        trains=True,
    ),
}
