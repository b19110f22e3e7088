"""Resize as magnification by whole factors, where that is exactly what it computes."""

from __future__ import annotations

import math

import numpy as np

from deployer.frontend.net import Net, Op, Shape
from deployer.frontend.windows import pair
from deployer.ir import ResizeAttrs, ResizeMode

_HALF_PIXEL = ("half_pixel", "pytorch_half_pixel")


def magnification(net: Net, op: Op) -> ResizeAttrs | str:
    """The attributes, or what stands in the way."""
    source, target = net.shapes[op.first], net.shapes[op.output]
    trouble = _unusual(net, op, source, target)
    if trouble:
        return trouble
    factors = tuple(out // extent for out, extent in zip(target[2:], source[2:], strict=True))
    two = pair(factors, fill=1)
    starts = _starts(op, source[2:], factors)
    if starts is not None:
        return ResizeAttrs(two, start=pair(starts, fill=0))
    mode, where = op.attrs.get("mode", ResizeMode.NEAREST), _transform(op)
    if mode == ResizeMode.NEAREST:
        rounding = op.attrs.get("nearest_mode", "round_prefer_floor")
        return f"nearest, {where}, {rounding}, by {list(factors)}"
    if mode != ResizeMode.LINEAR or where not in (*_HALF_PIXEL, "asymmetric"):
        return f"mode={mode}, coordinate_transformation_mode={where}"
    if any(factor & (factor - 1) for factor in factors):
        return f"linear by {list(factors)}"
    return ResizeAttrs(two, ResizeMode.LINEAR, half_pixel=where in _HALF_PIXEL)


def _unusual(net: Net, op: Op, source: Shape, target: Shape) -> str:
    """What neither mode can do: other axes, other factors, other regions, smoothing."""
    if len(source) not in (3, 4) or source[:2] != target[:2]:
        return f"{list(source)} to {list(target)}"
    if any(out % extent for out, extent in zip(target, source, strict=True)):
        return f"{list(source)} to {list(target)}"
    if op.attrs.get("antialias", 0):
        return "antialias=1"
    if _transform(op) == "tf_crop_and_resize":
        return "coordinate_transformation_mode=tf_crop_and_resize"
    stated = net.constant(op, 2)
    if op.input(2) and stated is None:
        return f"computed scales {op.input(2)}"
    exact = {out / extent for out, extent in zip(target, source, strict=True)} | {1.0}
    if stated is not None and any(float(scale) not in exact for scale in stated.ravel()):
        return f"scales={[round(float(scale), 4) for scale in stated.ravel()]}"
    return ""


def _transform(op: Op) -> str:
    return str(op.attrs.get("coordinate_transformation_mode", "half_pixel"))


def _starts(op: Op, source: Shape, factors: Shape) -> Shape | None:
    """For each axis the start with which output o is input (o + start) // factor; None where one
    has none."""
    if math.prod(source) == 1 or max(factors) == 1:
        known = op.attrs.get("mode", ResizeMode.NEAREST) in tuple(ResizeMode)
        return (0,) * len(factors) if known else None
    if op.attrs.get("mode", ResizeMode.NEAREST) != ResizeMode.NEAREST:
        return None
    starts = [_start(op, *axis) for axis in zip(source, factors, strict=True)]
    found = tuple(start for start in starts if start is not None)
    return found if len(found) == len(starts) else None


def _start(op: Op, extent: int, factor: int) -> int | None:
    """The one nearest to 0: another may serve where the axis is short."""
    reads, out = _nearest(op, extent, factor), np.arange(extent * factor)
    for start in sorted(range(-factor, factor + 1), key=abs):
        if np.array_equal(reads, np.clip((out + start) // factor, 0, extent - 1)):
            return start
    return None


def _nearest(op: Op, extent: int, factor: int) -> np.ndarray:
    """The input that each output of one axis reads."""
    out = np.arange(extent * factor, dtype=np.float64)
    place = {
        "asymmetric": out / factor,
        "align_corners": out * (extent - 1) / max(extent * factor - 1, 1),
        "tf_half_pixel_for_nn": (out + 0.5) / factor,
    }.get(_transform(op), (out + 0.5) / factor - 0.5)
    rounded = {
        "floor": np.floor(place),
        "ceil": np.ceil(place),
        "round_prefer_ceil": np.floor(place + 0.5),
    }.get(op.attrs.get("nearest_mode", "round_prefer_floor"), np.ceil(place - 0.5))
    return np.clip(rounded, 0, extent - 1).astype(int)
