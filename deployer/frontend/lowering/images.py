"""Pools and changes of resolution."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from deployer.frontend.attributes import reduced_axes
from deployer.frontend.builder import Builder
from deployer.frontend.limits import MAX_AXES
from deployer.frontend.lowering.shapes import alias, reorder
from deployer.frontend.net import Op, Shape
from deployer.frontend.resample import taps_of
from deployer.frontend.resize import halved, magnification
from deployer.frontend.windows import ceil_extra, pair, pool_window, spatial_size
from deployer.ir import BlockAttrs, Layout, PoolAttrs, ResampleAttrs, Window


def pool(b: Builder, op: Op) -> None:
    # What ceil_mode adds never counts; exact_ceil refuses to mix it with pads that do.
    counted = bool(op.attrs.get("count_include_pad", 0)) and not any(ceil_extra(b.net, op))
    attrs = PoolAttrs(pool_window(b.net, op), count_include_pad=counted)
    b.layer(op, op.type, [op.first], attrs)


def global_pool(b: Builder, op: Op) -> None:
    kind = op.type.removeprefix("Global")
    attrs = PoolAttrs(Window(spatial_size(b.net, op.first)))
    b.layer(op, kind, [op.first], attrs)


def reduced(pool: str) -> Callable[[Builder, Op], None]:
    """What lowers a reduction of images to one window: ``pool`` is the operator of the IR."""
    return partial(_reduce, pool)


def _reduce(pool: str, b: Builder, op: Op) -> None:
    """A pool over the reduced axes, with an axis that stays as the channels."""
    shape = b.net.shapes[op.first]
    axes = tuple(axis for axis in reduced_axes(b.net, op) or () if axis)
    if not axes:
        reorder(b, op, op.first, b.order(op.first))
    elif len(shape) in (3, 4) and len(axes) <= len(shape) - 2:
        _reduce_in_place(pool, b, op, axes)
    elif len(shape) <= MAX_AXES:
        _reduce_together(pool, b, op, axes)
    else:
        _reduce_by_axis(pool, b, op, axes)


def _reduce_in_place(pool: str, b: Builder, op: Op, axes: Shape) -> None:
    """By a window over height, width or both."""
    x = op.first
    shape, order = b.net.shapes[x], b.order(x)
    channel = 1 if 1 not in axes else max(i for i in range(1, len(shape)) if i not in axes)
    view = (*(i for i in range(len(shape)) if i != channel), channel)
    source = b.transpose(op, x, tuple(order.index(axis) for axis in view))
    kernel = pair(tuple(shape[i] if i in axes else 1 for i in view[1:-1]), fill=1)
    inner = b.fresh(f"{op.name}/pool")
    b.emit(op, pool, [b.image(op, source)], PoolAttrs(Window(kernel)), output=inner)
    kept = tuple(1 if axis in axes else shape[axis] for axis in view)
    reorder(b, op, b.reshape(op, inner, kept), view)


def _reduce_together(pool: str, b: Builder, op: Op, axes: Shape) -> None:
    """The reduced axes as the width of an image, those that stay its height and channels."""
    x = op.first
    shape, order = b.net.shapes[x], b.order(x)
    stay = [axis for axis in order if axis and axis not in axes]
    view = (0, *stay[:-1], *(axis for axis in order if axis in axes), *stay[-1:])
    rows, width = math.prod(shape[i] for i in stay[:-1]), math.prod(shape[i] for i in axes)
    source = b.transpose(op, x, tuple(order.index(axis) for axis in view))
    channels = shape[stay[-1]] if stay else 1
    image = b.reshape(op, source, (1, rows, width, channels))
    inner = b.fresh(f"{op.name}/pool")
    b.emit(op, pool, [image], PoolAttrs(Window((1, width))), output=inner)
    kept = tuple(1 if axis in axes else shape[axis] for axis in view)
    reorder(b, op, b.reshape(op, inner, kept), view)


def _reduce_by_axis(pool: str, b: Builder, op: Op, axes: Shape) -> None:
    """One after the other, with what lies behind an axis as channels: of many axes, stored as ONNX
    has them, which no Transpose could bring together."""
    x, sizes = op.first, list(b.net.shapes[op.first])
    for axis in axes:
        before, after = math.prod(sizes[:axis]), math.prod(sizes[axis + 1 :])
        image = b.reshape(op, x, (1, before, sizes[axis], after))
        attrs = PoolAttrs(Window((1, sizes[axis])))
        x, sizes[axis] = b.fresh(f"{op.name}/pool"), 1
        b.emit(op, pool, [image], attrs, output=x, name=x)
    reorder(b, op, b.reshape(op, x, tuple(sizes)), tuple(range(len(sizes))))


def resize(b: Builder, op: Op) -> None:
    attrs = magnification(b.net, op)
    if not isinstance(attrs, str):
        b.layer(op, "Resize", [op.first], attrs)
        return
    window = halved(b.net, op)
    if window is not None:
        b.layer(op, "AveragePool", [op.first], PoolAttrs(Window(window, window)))
        return
    _resampled(b, op)


def _resampled(b: Builder, op: Op) -> None:
    """An axis at a time, the one first that leaves less for the other."""
    taps = taps_of(b.net, op)
    assert taps is not None
    sizes = {axis + 3 - len(taps): each for axis, each in enumerate(taps)}  # of NHWC
    order = sorted(
        (axis for axis, each in sizes.items() if not each.idle),
        key=lambda axis: len(sizes[axis].starts) / sizes[axis].extent,
    )
    if not order:
        alias(b, op)
    x = op.first
    for axis in order:
        each, last = sizes[axis], axis == order[-1]
        weights = b.weight(op, "weights", each.weights, Layout.VECTOR)
        starts = b.weight(op, "starts", each.starts, Layout.VECTOR)
        operands, attrs = [x, weights, starts], ResampleAttrs(axis)
        if last:
            b.layer(op, "Resample", operands, attrs)
        else:
            x = b.fresh(f"{op.name}/first")
            b.emit(op, "Resample", operands, attrs, output=x, name=x)


def blocks(b: Builder, op: Op) -> None:
    """DepthToSpace and SpaceToDepth."""
    column_first = op.attrs.get("mode", "DCR") == "CRD"
    attrs = BlockAttrs(op.attrs["blocksize"], column_first)
    b.emit(op, op.type, [op.first], attrs)
