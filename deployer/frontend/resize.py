"""Resize as magnification by whole factors, or as a choice of rows and columns, where that is
exactly what it computes."""

from __future__ import annotations

import math

import numpy as np

from deployer.frontend.express import MAX_MAP_ELEMENTS
from deployer.frontend.net import Net, Op, Shape
from deployer.frontend.windows import pair
from deployer.ir import ResizeAttrs, ResizeMode

_WHOLE = 1e-5  # of an element, within which a place is one of an element
_NEARLY = (-1e-4, 1e-4)  # of an element: more than float32 is off
_PARTS = 64  # of an element, in which steps between places are exact in float32
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
    places = output_places(net, op)
    if places is None:
        return None
    if _mode(op) != ResizeMode.NEAREST:
        if any(np.any(np.abs(place - np.rint(place)) > _WHOLE) for place in places):
            return None
        places = [np.rint(place) for place in places]
    axes = zip(_scales(net, op), places, net.shapes[op.first][2:], strict=True)
    if not all(_sure(op, *axis) for axis in axes):
        return None
    pairs = zip(places, net.shapes[op.first][2:], strict=True)
    return tuple(_rounded(op, place, extent) for place, extent in pairs)


def _sure(op: Op, scale: float | None, place: np.ndarray, extent: int) -> bool:
    """Whether other arithmetic chooses alike: by a scale such as 1.2, which no float is, an output
    that lies between two inputs goes to one or the other."""
    if scale is None or _transform(op) == "align_corners" or _exact(scale) or _exact(1 / scale):
        return True
    found = _rounded(op, place, extent)
    return all(np.array_equal(_rounded(op, place + off, extent), found) for off in _NEARLY)


def _exact(scale: float) -> bool:
    return abs(scale * _PARTS - round(scale * _PARTS)) < _WHOLE


def halved(net: Net, op: Op) -> tuple[int, int] | None:
    """The window whose means a linear Resize takes, two where an axis is halved; None where the
    outputs are other means."""
    places = output_places(net, op)
    if places is None or _mode(op) != ResizeMode.LINEAR:
        return None
    pairs = zip(places, net.shapes[op.first][2:], strict=True)
    found = tuple(_window(place, extent) for place, extent in pairs)
    return pair(found, fill=1) if all(found) else None


def _window(place: np.ndarray, extent: int) -> int:
    """2 where each output lies in the middle of two inputs of its own, 1 of as many, else 0."""
    out = np.arange(place.size)
    if np.allclose(place, 2 * out + 0.5, rtol=0, atol=_WHOLE) and 2 * out[-1] + 1 < extent:
        return 2
    return int(place.size == extent and np.allclose(place, out, rtol=0, atol=_WHOLE))


def output_places(net: Net, op: Op) -> list[np.ndarray] | None:
    """Where the outputs of each spatial axis lie; None as of ``picked``."""
    source, target = net.shapes[op.first], net.shapes[op.output]
    if _beyond(net, op, source, target) or _kept_ratio(op):
        return None
    if max(*source, *target) > MAX_MAP_ELEMENTS:
        return None
    axes = list(zip(source[2:], target[2:], _scales(net, op), strict=True))
    if not all(_agreed(*axis) for axis in axes):
        return None
    return [_place(op, extent, out, scale or out / extent) for extent, out, scale in axes]


def _scales(net: Net, op: Op) -> list[float | None]:
    """Of each spatial axis as given, None where sizes are."""
    scales, count = net.constant(op, 2), len(net.shapes[op.first]) - 2
    return [None] * count if scales is None or not scales.size else scales.ravel()[2:].tolist()


def _agreed(extent: int, count: int, scale: float | None) -> bool:
    """Whether every implementation makes ``count`` outputs, by places of that scale."""
    if scale is None:
        return True
    sizes = int(np.float32(extent) * np.float32(scale)), int(extent * float(scale))
    return sizes == (count, count) and (extent != count or scale == 1)


def _mode(op: Op) -> str:
    return str(op.attrs.get("mode", ResizeMode.NEAREST))


def _kept_ratio(op: Op) -> bool:
    return str(op.attrs.get("keep_aspect_ratio_policy", "stretch")) != "stretch"


def _unusual(net: Net, op: Op, source: Shape, target: Shape) -> str:
    """What neither mode can do: other axes, other factors, other regions, smoothing."""
    trouble = _beyond(net, op, source, target)
    if trouble:
        return trouble
    if any(out % extent for out, extent in zip(target, source, strict=False)):
        return f"{list(source)} to {list(target)}"
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
    """Where each of ``count`` outputs of one axis lies among ``extent`` inputs: in float32, as ONNX
    Runtime has it, since a place that is nearly whole decides."""
    out, by, half = np.arange(count, dtype=np.float32), np.float32(scale), np.float32(0.5)
    transform = _transform(op)
    middle: np.ndarray = (out + half) / by - half
    if transform == "pytorch_half_pixel" and count == 1:
        return np.zeros(1, np.float32)
    if transform == "half_pixel_symmetric":
        return np.float32(extent / 2) * (1 - np.float32(count) / (by * np.float32(extent))) + middle
    return {
        "asymmetric": out / by,
        "align_corners": out * np.float32(extent - 1) / np.float32(max(count - 1, 1)),
        "tf_half_pixel_for_nn": (out + half) / by,
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
