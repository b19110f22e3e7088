"""Nodes among more axes than the device has, in forms that chains of moves and Reshapes take up.

A Split of what is no tensor of the device, as torch.unbind writes it behind queries, keys and
values of an attention, is a Slice for each output. A Pad of five axes of which some have one
element, as Paddle writes it, is a Pad of the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from deployer.frontend.attributes import concat_axis, split_ranges
from deployer.frontend.growing import Growing
from deployer.frontend.limits import MAX_AXES
from deployer.frontend.net import Net, Op, Shape

_BATCH = 0


def without_many_axes(net: Net) -> Net:
    """``net`` with those nodes rewritten."""
    if not any(_splits(net, op) or _pads(net, op) for op in net.ops):
        return net
    more = Growing.of(net)
    return more.with_ops(new for op in net.ops for new in _rewritten(more, op))


def _rewritten(more: Growing, op: Op) -> Iterator[Op]:
    if _splits(more.net, op):
        yield from _slices(more, op)
    elif _pads(more.net, op):
        yield from _narrow_pad(more, op)
    else:
        yield op


def _splits(net: Net, op: Op) -> bool:
    """Whether ``op`` splits what is no tensor of the device."""
    if op.type != "Split" or op.domain or not net.known(op):
        return False
    if not all(name in net.shapes for name in op.outputs if name):
        return False
    shape, axis = net.shapes[op.first], concat_axis(net, op)
    return not (2 <= len(shape) <= MAX_AXES and shape[_BATCH] == 1 and axis != _BATCH)


def _slices(more: Growing, op: Op) -> Iterator[Op]:
    axis = concat_axis(more.net, op)
    for output, (first, end) in zip(op.outputs, split_ranges(more.net, op), strict=True):
        if output:
            bounds = (more.numbers(op, "bound", [number]) for number in (first, end, axis))
            inputs = (op.first, *bounds)
            name = f"{op.name}/{output}"
            yield replace(op, name=name, type="Slice", inputs=inputs, outputs=(output,), attrs={})


def _pads(net: Net, op: Op) -> bool:
    """Whether ``op`` pads few of more axes than the device has."""
    if op.type != "Pad" or op.domain or not net.known(op) or op.input(3):
        return False
    shape, pads = net.shapes[op.first], net.constant(op, 1)
    if len(shape) <= MAX_AXES or pads is None or pads.size != 2 * len(shape):
        return False
    return len(_kept(shape, pads)) <= MAX_AXES


def _kept(shape: Shape, pads: np.ndarray) -> list[int]:
    """The axes that are more than one element that stays alone, and the batch."""
    begins, ends = pads.reshape(2, -1)
    alone = (
        size == 1 and not begin and not end
        for size, begin, end in zip(shape, begins, ends, strict=True)
    )
    return [axis for axis, idle in enumerate(alone) if axis == _BATCH or not idle]


def _narrow_pad(more: Growing, op: Op) -> Iterator[Op]:
    """Between two Reshapes, which the nodes around it undo."""
    shape, pads = more.shapes[op.first], more.net.constants[op.input(1)].reshape(2, -1)
    kept = _kept(shape, more.net.constants[op.input(1)])
    few, padded = (tuple(of[axis] for axis in kept) for of in (shape, more.shapes[op.output]))
    source, inner = more.value(op, "few", few), more.value(op, "padded", padded)
    counts = more.numbers(op, "pads", pads[:, kept].ravel().tolist())
    yield more.reshape(op, op.first, source)
    yield replace(op, name=inner, inputs=(source, counts, *op.inputs[2:]), outputs=(inner,))
    yield more.reshape(op, inner, op.output)
