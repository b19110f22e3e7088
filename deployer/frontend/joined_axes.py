"""Arithmetic on more axes than the device has, with axes joined that it leaves alone.

YOLOv5 computes boxes of (1, anchors, height, width, numbers): Slices and a Concat along the last
axis, and products of single elements. Seen as (1, anchors * height * width, numbers) it is the
same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from deployer.frontend.attributes import concat_axis, slice_ranges
from deployer.frontend.growing import Growing
from deployer.frontend.limits import MAX_AXES
from deployer.frontend.lowering.curves import CURVES
from deployer.frontend.net import Net, Op, Shape

_PAIRS = frozenset({"Add", "Div", "Max", "Min", "Mul", "Sub"})
_SINGLE = frozenset({"Clip", "Gelu", "Neg", "Pow", "Relu", *CURVES})
_ALONG = frozenset({"Concat", "Slice", "Softmax"})


@dataclass(frozen=True)
class _Group:
    """Operators that more than MAX_AXES axes connect; ``axes``: which become one."""

    ops: frozenset[str]
    axes: tuple[tuple[int, ...], ...]

    def joined(self, shape: Shape) -> Shape:
        return tuple(math.prod(shape[axis] for axis in some) for some in self.axes)

    def place(self, axis: int) -> int:
        return next(i for i, some in enumerate(self.axes) if axis in some)


def join_axes(net: Net) -> Net:
    """``net`` with such arithmetic between Reshapes."""
    groups = {name: group for group in _groups(net) for name in group.ops}
    if not groups:
        return net
    more = Growing.of(net)
    names: dict[str, str] = {}  # of values that have joined axes, too
    return more.with_ops(new for op in net.ops for new in _rewritten(more, op, groups, names))


def _groups(net: Net) -> Iterator[_Group]:
    """Those whose axes are few enough once they are joined."""
    inside = [op for op in net.ops if _among_many(net, op) and _able(net, op)]
    for ops in _connected(net, inside):
        rank = len(net.shapes[ops[0].output])
        axes = _runs(rank, {axis for op in ops for axis in _axes_used(net, op)})
        if len(axes) <= MAX_AXES and all(len(net.shapes[op.output]) == rank for op in ops):
            yield _Group(frozenset(op.name for op in ops), axes)


def _runs(rank: int, alone: set[int]) -> tuple[tuple[int, ...], ...]:
    """Axes that lie side by side, but for those that stay alone."""
    runs: list[tuple[int, ...]] = []
    for axis in range(rank):
        if axis and not {axis, axis - 1} & alone:
            runs[-1] += (axis,)
        else:
            runs.append((axis,))
    return tuple(runs)


def _many(net: Net, name: str) -> bool:
    shape = net.shapes.get(name, ())
    return len(shape) > MAX_AXES and shape[0] == 1 and name not in net.constants


def _among_many(net: Net, op: Op) -> bool:
    return all(_many(net, name) for name in (*net.activations(op), op.output))


def _able(net: Net, op: Op) -> bool:
    """Whether ``op`` works on single elements, or along axes that are known."""
    if op.domain or not net.known(op):
        return False
    if op.type == "Slice":
        return slice_ranges(net, op) is not None and not op.input(4)
    reads = [net.shapes[name] for name in net.activations(op)]
    if op.type in _SINGLE:
        return len(reads) == 1 and _scalars(net, op)
    alike = all(shape == net.shapes[op.output] for shape in reads)
    return op.type in _ALONG or (op.type in _PAIRS and alike)


def _scalars(net: Net, op: Op) -> bool:
    return all(net.constants[name].size == 1 for name in op.inputs if name in net.constants)


def _connected(net: Net, ops: Iterable[Op]) -> Iterator[list[Op]]:
    """Operators in sets that share values of many axes."""
    sets: list[tuple[list[Op], set[str]]] = []
    for op in ops:
        values = {name for name in (*op.inputs, *op.outputs) if _many(net, name)}
        near = [each for each in sets if each[1] & values]
        sets = [each for each in sets if not each[1] & values]
        merged = [*(one for each in near for one in each[0]), op]
        sets.append((merged, values.union(*(each[1] for each in near))))
    yield from (each for each, _ in sets)


def _axes_used(net: Net, op: Op) -> set[int]:
    """The batch, and axes along which ``op`` works."""
    if op.type in ("Concat", "Softmax"):
        return {0, concat_axis(net, op)}
    if op.type != "Slice":
        return {0}
    before, after = net.shapes[op.first], net.shapes[op.output]
    return {0, *(axis for axis, size in enumerate(before) if after[axis] != size)}


def _rewritten(
    more: Growing, op: Op, groups: dict[str, _Group], names: dict[str, str]
) -> Iterator[Op]:
    group = groups.get(op.name)
    if group is None:
        yield op
        return
    for name in op.inputs:
        if _many(more.net, name) and name not in names:
            names[name] = more.value(op, "joined", group.joined(more.net.shapes[name]))
            yield more.reshape(op, name, names[name])
    made = more.value(op, "joined", group.joined(more.net.shapes[op.output]))
    names[op.output] = made
    yield _as_joined(more, op, group, names)
    readers = more.net.readers.get(op.output, ())
    if op.output in more.net.outputs or any(reader.name not in groups for reader in readers):
        yield more.reshape(op, made, op.output)


def _as_joined(more: Growing, op: Op, group: _Group, names: dict[str, str]) -> Op:
    """``op`` on joined axes."""
    attrs, output = dict(op.attrs), names[op.output]
    if op.type == "Slice":
        inputs = (names[op.first], *_bounds(more, op, group))
    else:
        inputs = tuple(names.get(name) or _operand(more, op, group, name) for name in op.inputs)
    if op.type in ("Concat", "Softmax"):
        attrs["axis"] = group.place(concat_axis(more.net, op))
    return replace(op, inputs=inputs, outputs=(output,), attrs=attrs)


def _bounds(more: Growing, op: Op, group: _Group) -> Iterator[str]:
    """Begins, ends and axes of a Slice."""
    ranges = slice_ranges(more.net, op)
    assert ranges is not None
    axes = sorted(_axes_used(more.net, op) - {0})
    begins, ends = ([each[axis] for axis in axes] for each in ranges[:2])
    for numbers in (begins, ends, [group.place(axis) for axis in axes]):
        yield more.numbers(op, "bound", numbers)


def _operand(more: Growing, op: Op, group: _Group, name: str) -> str:
    """A constant with joined axes: repeated along those of which it has one, not all."""
    constant = more.net.constants.get(name)
    if constant is None or constant.ndim == 0:
        return name
    shape = more.net.shapes[op.output]
    own = (1,) * (len(shape) - constant.ndim) + constant.shape
    varies = [any(own[axis] != 1 for axis in some) for some in group.axes]
    wide = [shape[axis] if varies[group.place(axis)] else 1 for axis in range(len(shape))]
    whole = np.broadcast_to(constant.reshape(own), wide)
    made = more.value(op, "operand", group.joined(tuple(wide)))
    more.constants[made] = np.ascontiguousarray(whole).reshape(more.shapes[made])
    return made
