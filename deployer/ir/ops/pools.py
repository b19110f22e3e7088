"""Operators that reduce the window of each channel to one number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deployer.ir.attrs import PoolAttrs
from deployer.ir.ops import access
from deployer.ir.ops.shapes import window_output
from deployer.ir.ops.spec import Entries, Family, OpSpec, Quantization, Shape


def _pool_shape(attrs: PoolAttrs, shapes: Sequence[Shape]) -> Shape:
    batch, height, width, channels = shapes[0]
    return (batch, *window_output(attrs.window, height, width), channels)


SPECS: Mapping[str, OpSpec] = {
    "AveragePool": OpSpec(
        attrs=PoolAttrs,
        shape=_pool_shape,
        family=Family.POOL,
        quantization=Quantization.RANGE,
        entries=Entries.TAPS,
        arguments="pool",
        access=access.windowed,
        spatial=True,
        channelwise=True,
        homogeneous=True,
        int16=True,
        trains=True,
    ),
    "MaxPool": OpSpec(
        attrs=PoolAttrs,
        shape=_pool_shape,
        family=Family.POOL,
        quantization=Quantization.INPUT,
        entries=Entries.CHANNELS,
        arguments="pool",
        access=access.windowed,
        spatial=True,
        channelwise=True,
        homogeneous=True,
        int16=True,
        trains=True,
    ),
    "MinPool": OpSpec(
        attrs=PoolAttrs,
        shape=_pool_shape,
        family=Family.POOL,
        quantization=Quantization.INPUT,
        entries=Entries.CHANNELS,
        arguments="pool",
        access=access.windowed,
        spatial=True,
        channelwise=True,
        homogeneous=True,
    ),
}
