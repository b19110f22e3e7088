"""Resize as magnification by whole factors, or as a choice of rows and columns, where that is
exactly what it computes."""

from __future__ import annotations

import math

import numpy as np

from deployer.frontend.net import Net, Op, Shape
from deployer.frontend.windows import pair
from deployer.ir import ResizeAttrs, ResizeMode

_WHOLE = 1e-9  # of an element, within which a place is one of an element
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


def picked(net: Net, op: Op) -> tuple[np.ndarray, ...] | None:
    """For each spatial axis the input that each output is; None where outputs lie between inputs,
    or of other axes, regions and scales that are computed."""
    source, target = net.shapes[op.first], net.shapes[op.output]
    scales = net.constant(op, 2)
    if _beyond(net, op, source, target) or _kept_ratio(op):
        return None
    given = [None] * len(target) if scales is None or not scales.size else list(scales.ravel())
    axes = list(zip(source, target, given, strict=True))[2:]
    places = [_place(op, extent, out, scale or out / extent) for extent, out, scale in axes]
    if op.attrs.get("mode", ResizeMode.NEAREST) != ResizeMode.NEAREST:
        if any(np.any(np.abs(place - np.rint(place)) > _WHOLE) for place in places):
            return None
        places = [np.rint(place) for place in places]
    pairs = zip(places, source[2:], strict=True)
    return tuple(_rounded(op, place, extent) for place, extent in pairs)


def _kept_ratio(op: Op) -> bool:
    return str(op.attrs.get("keep_aspect_ratio_policy", "stretch")) != "stretch"


def _unusual(net: Net, op: Op, source: Shape, target: Shape) -> str:
    """What neither mode can do: other axes, other factors, other regions, smoothing."""
    if any(out % extent for out, extent in zip(target, source, strict=False)):
        return f"{list(source)} to {list(target)}"
    trouble = _beyond(net, op, source, target)
    if trouble:
        return trouble
    stated = net.constant(op, 2)
    exact = {out / extent for out, extent in zip(target, source, strict=True)} | {1.0}
    if stated is not None and any(float(scale) not in exact for scale in stated.ravel()):
        return f"scales={[round(float(scale), 4) for scale in stated.ravel()]}"
    return ""


def _beyond(net: Net, op: Op, source: Shape, target: Shape) -> str:
    """Other axes, other regions, smoothing."""
    if len(source) not in (3, 4) or source[:2] != target[:2]:
        return f"{list(source)} to {list(target)}"
    if op.attrs.get("antialias", 0):
        return "antialias=1"
    if _transform(op) == "tf_crop_and_resize":
        return "coordinate_transformation_mode=tf_crop_and_resize"
    stated = net.constant(op, 2)
    if op.input(2) and stated is None:
        return f"computed scales {op.input(2)}"
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
    out = np.arange(extent * factor)
    reads = _rounded(op, _place(op, extent, extent * factor, factor), extent)
    for start in sorted(range(-factor, factor + 1), key=abs):
        if np.array_equal(reads, np.clip((out + start) // factor, 0, extent - 1)):
            return start
    return None


def _place(op: Op, extent: int, count: int, scale: float) -> np.ndarray:
    """Where each of ``count`` outputs of one axis lies among ``extent`` inputs."""
    out, transform = np.arange(count, dtype=np.float64), _transform(op)
    middle = (out + 0.5) / scale - 0.5
    if transform == "pytorch_half_pixel" and count == 1:
        return np.zeros(1)
    if transform == "half_pixel_symmetric":
        return extent / 2 * (1 - count / (scale * extent)) + middle
    return {
        "asymmetric": out / scale,
        "align_corners": out * (extent - 1) / max(count - 1, 1),
        "tf_half_pixel_for_nn": (out + 0.5) / scale,
    }.get(transform, middle)


def _rounded(op: Op, place: np.ndarray, extent: int) -> np.ndarray:
    """The input that each output takes, nearest to its place."""
    rounded: np.ndarray = {
        "floor": np.floor(place),
        "ceil": np.ceil(place),
        "round_prefer_ceil": np.floor(place + 0.5),
    }.get(op.attrs.get("nearest_mode", "round_prefer_floor"), np.ceil(place - 0.5))
    chosen: np.ndarray = np.clip(rounded, 0, extent - 1).astype(int)
    return chosen
