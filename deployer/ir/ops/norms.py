"""Normalizations: numbers less their mean, over their standard deviation, by a scale and an offset
of each channel."""

from __future__ import annotations

from collections.abc import Mapping

from deployer.ir.attrs import NormAttrs
from deployer.ir.ops import access
from deployer.ir.ops.shapes import same_shape
from deployer.ir.ops.spec import Entries, Family, OpSpec, Quantization

SPECS: Mapping[str, OpSpec] = {
    "LayerNorm": OpSpec(
        attrs=NormAttrs,
        shape=same_shape,
        family=Family.ACTIVATION,
        quantization=Quantization.RANGE,
        entries=Entries.CHANNELS,
        arguments="norm",
        access=access.same,
        constants=2,
    ),
    "GroupNorm": OpSpec(
        attrs=NormAttrs,
        shape=same_shape,
        family=Family.ACTIVATION,
        quantization=Quantization.RANGE,
        entries=Entries.CHANNELS,
        arguments="norm",
        access=access.whole,
        constants=2,
    ),
}
