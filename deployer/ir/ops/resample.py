"""Weighted sums of neighbours along one axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deployer.ir.attrs import ResampleAttrs
from deployer.ir.ops.spec import Entries, Family, OpSpec, Quantization, Shape


def _resampled_shape(attrs: ResampleAttrs, shapes: Sequence[Shape]) -> Shape:
    """As many along the axis as the weights have rows."""
    shape: list[Any] = list(shapes[0])
    shape[attrs.axis] = shapes[1][0]
    return tuple(shape)


SPECS: Mapping[str, OpSpec] = {
    "Resample": OpSpec(
        attrs=ResampleAttrs,
        shape=_resampled_shape,
        family=Family.MOVE,
        quantization=Quantization.INPUT,
        entries=Entries.NONE,
        arguments="resample",
        constants=2,
        homogeneous=True,
        int16=True,
    ),
}
