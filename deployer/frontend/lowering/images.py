"""Pools and changes of resolution."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from deployer.frontend.attributes import reduced_axes
from deployer.frontend.builder import Builder
from deployer.frontend.lowering.shapes import reorder
from deployer.frontend.net import Op
from deployer.frontend.resize import magnification
from deployer.frontend.windows import ceil_extra, pair, pool_window, spatial_size
from deployer.ir import BlockAttrs, PoolAttrs, Window


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
    x, axes = op.first, reduced_axes(b.net, op) or ()
    shape, order = b.net.shapes[x], b.order(x)
    channel = 1 if 1 not in axes else max(i for i in range(1, len(shape)) if i not in axes)
    view = (*(i for i in range(len(shape)) if i != channel), channel)
    source = b.transpose(op, x, tuple(order.index(axis) for axis in view))
    kernel = pair(tuple(shape[i] if i in axes else 1 for i in view[1:-1]), fill=1)
    inner = b.fresh(f"{op.name}/pool")
    b.emit(op, pool, [b.image(op, source)], PoolAttrs(Window(kernel)), output=inner)
    kept = tuple(1 if axis in axes else shape[axis] for axis in view)
    reorder(b, op, b.reshape(op, inner, kept), view)


def resize(b: Builder, op: Op) -> None:
    attrs = magnification(b.net, op)
    assert not isinstance(attrs, str)
    b.layer(op, "Resize", [op.first], attrs)


def blocks(b: Builder, op: Op) -> None:
    """DepthToSpace and SpaceToDepth."""
    column_first = op.attrs.get("mode", "DCR") == "CRD"
    attrs = BlockAttrs(op.attrs["blocksize"], column_first)
    b.emit(op, op.type, [op.first], attrs)
