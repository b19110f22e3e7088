"""Operators that move, repeat or interpolate elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deployer.ir.attrs import (
    BlockAttrs,
    ConcatAttrs,
    PadAttrs,
    ResampleAttrs,
    ReshapeAttrs,
    ResizeAttrs,
    SliceAttrs,
    TransposeAttrs,
)
from deployer.ir.ops import access
from deployer.ir.ops.spec import Entries, Family, OpSpec, Quantization, Shape


def _concat_shape(attrs: ConcatAttrs, shapes: Sequence[Shape]) -> Shape:
    axis = attrs.axis
    return (*shapes[0][:axis], sum(shape[axis] for shape in shapes), *shapes[0][axis + 1 :])


def _slice_shape(attrs: SliceAttrs, shapes: Sequence[Shape]) -> Shape:
    return tuple(end - begin for begin, end in zip(attrs.begin, attrs.end, strict=True))


def _pad_shape(attrs: PadAttrs, shapes: Sequence[Shape]) -> Shape:
    rows = zip(attrs.before, shapes[0], attrs.after, strict=True)
    return tuple(before + extent + after for before, extent, after in rows)


def _resize_shape(attrs: ResizeAttrs, shapes: Sequence[Shape]) -> Shape:
    batch, height, width, channels = shapes[0]
    return (batch, height * attrs.factors[0], width * attrs.factors[1], channels)


def _to_space_shape(attrs: BlockAttrs, shapes: Sequence[Shape]) -> Shape:
    (batch, height, width, channels), block = shapes[0], attrs.block
    return (batch, height * block, width * block, channels // block**2)


def _to_depth_shape(attrs: BlockAttrs, shapes: Sequence[Shape]) -> Shape:
    (batch, height, width, channels), block = shapes[0], attrs.block
    return (batch, height // block, width // block, channels * block**2)


def _reshape_shape(attrs: ReshapeAttrs, shapes: Sequence[Shape]) -> Shape:
    return attrs.shape


def _transpose_shape(attrs: TransposeAttrs, shapes: Sequence[Shape]) -> Shape:
    return tuple(shapes[0][axis] for axis in attrs.perm)


def _resampled_shape(attrs: ResampleAttrs, shapes: Sequence[Shape]) -> Shape:
    """As many along the axis as the weights have rows."""
    shape: list[Any] = list(shapes[0])
    shape[attrs.axis] = shapes[1][0]
    return tuple(shape)


SPECS: Mapping[str, OpSpec] = {
    "Concat": OpSpec(
        attrs=ConcatAttrs,
        shape=_concat_shape,
        family=Family.MOVE,
        quantization=Quantization.RANGE,
        entries=Entries.INPUTS,
        arguments="concat",
        activations=0,
        spatial=True,
        int16=True,
        trains=True,
    ),
    "Slice": OpSpec(
        attrs=SliceAttrs,
        shape=_slice_shape,
        family=Family.MOVE,
        quantization=Quantization.INPUT,
        entries=Entries.NONE,
        arguments="copy",
        access=access.sliced,
        spatial=True,
        int16=True,
        trains=True,
    ),
    "Pad": OpSpec(
        attrs=PadAttrs,
        shape=_pad_shape,
        family=Family.MOVE,
        quantization=Quantization.INPUT,
        entries=Entries.NONE,
        arguments="pad",
        access=access.padded,
        spatial=True,
        int16=True,
        trains=True,
    ),
    "Resize": OpSpec(
        attrs=ResizeAttrs,
        shape=_resize_shape,
        family=Family.MOVE,
        quantization=Quantization.INPUT,
        entries=Entries.NONE,
        arguments="resize",
        access=access.resized,
        spatial=True,
        homogeneous=True,
        int16=True,
        trains=True,
    ),
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
    "DepthToSpace": OpSpec(
        attrs=BlockAttrs,
        shape=_to_space_shape,
        family=Family.MOVE,
        quantization=Quantization.INPUT,
        entries=Entries.NONE,
        arguments="block",
        access=access.spread,
        spatial=True,
        int16=True,
        trains=True,
    ),
    "SpaceToDepth": OpSpec(
        attrs=BlockAttrs,
        shape=_to_depth_shape,
        family=Family.MOVE,
        quantization=Quantization.INPUT,
        entries=Entries.NONE,
        arguments="block",
        access=access.gathered,
        spatial=True,
        int16=True,
        trains=True,
    ),
    "Reshape": OpSpec(
        attrs=ReshapeAttrs,
        shape=_reshape_shape,
        family=Family.MOVE,
        quantization=Quantization.INPUT,
        entries=Entries.NONE,
        arguments="",
        alias=True,
        homogeneous=True,
        int16=True,
        trains=True,
    ),
    "Transpose": OpSpec(
        attrs=TransposeAttrs,
        shape=_transpose_shape,
        family=Family.MOVE,
        quantization=Quantization.INPUT,
        entries=Entries.NONE,
        arguments="transpose",
        int16=True,
        trains=True,
    ),
}
