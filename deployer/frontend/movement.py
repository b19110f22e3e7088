"""Constraints of the operators that move elements; written like those of supported.py."""

from __future__ import annotations

import numpy as np

from deployer.frontend.attributes import concat_axis, padding, slice_ranges
from deployer.frontend.net import Net, Op
from deployer.frontend.resample import taps_of
from deployer.frontend.resize import halved, magnification


def real_constants(net: Net, op: Op) -> str:
    """constants among its inputs only where they are real numbers, and one that is none

    Try: join the constants before QuantizeLinear, or add them on the host
    """
    constant = [name for name in op.inputs if name in net.constants]
    if constant and (op.output in net.quants or not net.activations(op)):
        return f"{constant[0]} is constant"
    return ""


def axis_behind_batch(net: Net, op: Op) -> str:
    """an axis behind the batch

    Try: keep the batch of 1 in axis 0 out of it
    """
    return "" if concat_axis(net, op) else "axis=0"


def fixed_parts(net: Net, op: Op) -> str:
    """parts of constant size that add up to the axis

    Try: sizes as plain numbers
    """
    if op.input(1) and net.constant(op, 1) is None:
        return f"computed sizes {op.input(1)}"
    if any(name not in net.shapes for name in op.outputs):
        return "an output of unknown shape"
    axis = concat_axis(net, op)
    sizes = [net.shapes[name][axis] for name in op.outputs]
    whole = net.shapes[op.first][axis]
    return "" if sum(sizes) == whole and min(sizes) > 0 else f"{sizes} of {whole}"


def fixed_range(net: Net, op: Op) -> str:
    """constant starts and ends in steps of 1, the batch whole

    Try: other steps are taken where the batch is whole and the sizes are not huge
    """
    if net.constant(op, 1) is None or net.constant(op, 2) is None:
        return "computed starts or ends"
    sizes = [net.constant(op, i) for i in range(1, 5)]
    if len({number.size for number in sizes if number is not None}) != 1:
        return "starts, ends, axes and steps of different lengths"
    ranges = slice_ranges(net, op)
    if ranges is None:
        return "computed axes or steps"
    if set(ranges[2]) != {1}:
        return f"steps={list(ranges[2])}"
    found = tuple(end - begin for begin, end in zip(*ranges[:2], strict=True))
    return "" if found == net.shapes[op.output] else f"{list(found)}"


def constant_border(net: Net, op: Op) -> str:
    """a border of one finite number, or reflect, edge or wrap of an order that few moves make, as
    Gather; all pads negative or none; none of the batch

    Try: a border of zeros; crop with Slice
    """
    if op.attrs.get("mode", "constant") != "constant":
        return f"mode={op.attrs['mode']}"
    value = net.constant(op, 2)
    if op.input(2) and (value is None or value.size != 1 or not np.isfinite(value).all()):
        return f"constant_value={'computed' if value is None else value.tolist()}"
    sides = padding(net, op)
    if sides is None:
        return f"computed pads {op.input(1)}"
    bad = min(*sides[0], *sides[1]) < 0 or sides[0][0] or sides[1][0]
    return f"pads={[list(side) for side in sides]}" if bad else ""


def constant_moves(net: Net, op: Op) -> str:
    """constant indices or sizes, the batch whole, of an order that few moves make: loops, ranges,
    flips, repeats, up to 32 pieces of one axis

    Try: end the network before it (--cut NAME) and do this step on the host; where the order does
    not matter, train with one that is regular
    """
    if "moves" in op.attrs:
        return ""
    computed = [name for name in op.inputs[1:] if name and name not in net.constants]
    if computed or op.first in net.constants:
        return f"{(computed or op.inputs)[0]}, {'computed' if computed else 'constant'}"
    return f"{list(net.shapes[op.first])} to {list(net.shapes[op.output])}, in another order"


def regular_resize(net: Net, op: Op) -> str:
    """nearest by whole factors, or to any size in an order that few moves make, as Gather; linear
    and cubic to any size, without antialias, crops and kept ratios; sizes that all implementations
    agree on

    Try: sizes in place of scales, or nearest with asymmetric, or linear with half_pixel
    """
    found = magnification(net, op)
    if not isinstance(found, str) or halved(net, op) or taps_of(net, op):
        return ""
    return found


def whole_blocks(net: Net, op: Op) -> str:
    """a positive block size that divides the image

    Try: check the exporter; this is not valid ONNX
    """
    block, shape = op.attrs.get("blocksize", 0), net.shapes[op.first]
    sizes = shape[2:] if op.type == "SpaceToDepth" else shape[1:2]
    step = block if op.type == "SpaceToDepth" else block**2
    fits = block > 0 and all(size % step == 0 for size in sizes)
    mode = op.attrs.get("mode", "DCR")
    return "" if fits and mode in ("DCR", "CRD") else f"blocksize={block} for {list(shape)}"
