"""Normalizations as exporters write them out: means, differences, squares, a root.

Those of torch before opset 17, of Keras by way of tf2onnx, and GroupNorm as an
InstanceNormalization of another shape. Each becomes one operator. Scales and offsets that are not
one number a channel become products and sums behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from deployer.frontend.attributes import normalized_axes, reduced_axes
from deployer.frontend.growing import Growing
from deployer.frontend.net import Net, Op
from deployer.frontend.norm_constraints import GROUP, INSTANCE, LAYER


@dataclass(frozen=True)
class _Root:
    """The standard deviation of ``x``, which is ``mean`` on average, along ``axes``."""

    x: str
    mean: str
    axes: tuple[int, ...]
    epsilon: float


def join_norms(net: Net) -> Net:
    """``net`` with each such normalization as one operator."""
    if not any(op.type in (LAYER, INSTANCE, "Sqrt", "Pow") for op in net.ops):
        return net
    more = Growing.of(net)
    return more.with_ops(new for op in net.ops for new in _joined(more, op)).pruned()


def _joined(more: Growing, op: Op) -> list[Op]:
    join = _OF_LAST.get(op.type)
    found = join(more, op) if join and not op.domain and more.net.known(op) else None
    return [op] if found is None else found


def _vectors_apart(more: Growing, op: Op) -> list[Op] | None:
    """A LayerNormalization of several axes: its scale and offset as operators of their own."""
    if len(normalized_axes(more.net, op)) == 1 or not (op.input(1) or op.input(2)):
        return None
    ops = [replace(op, inputs=op.inputs[:1], outputs=op.outputs[:1])]
    for index, kind in ((1, "Mul"), (2, "Add")):
        if op.input(index):
            ops = _then(more, ops, kind, op.input(index))
    return ops


def _then(more: Growing, ops: list[Op], kind: str, operand: str) -> list[Op]:
    """``ops``, the last with an operator behind it that takes its output's name."""
    last = ops[-1]
    inner = more.value(last, "normal", more.shapes[last.output])
    behind = replace(last, name=inner, type=kind, inputs=(inner, operand), attrs={})
    return [*ops[:-1], replace(last, outputs=(inner,)), behind]


# What a chain ends with: a quotient or a product of a difference, a sum of products.


def _quotient(more: Growing, op: Op) -> list[Op] | None:
    """(x - mean) / root"""
    net = more.net
    root = _root(net, op.input(1))
    return _normal(net, op, root) if root and _is_difference(net, op.first, root) else None


def _product(more: Growing, op: Op) -> list[Op] | None:
    """(x - mean) * (1 / root)"""
    for difference, other in _either_way(op):
        root = _inverse_root(more.net, other)
        if root and _is_difference(more.net, difference, root):
            return _normal(more.net, op, root)
    return None


def _sum(more: Growing, op: Op) -> list[Op] | None:
    """x * factor + rest, where factor is scale / root and rest is offset - mean * factor."""
    for left, right in _either_way(op) if op.type == "Add" else [(op.first, op.input(1))]:
        found = _shifted(more, op, left, right)
        if found is not None:
            return found
    return None


def _shifted(more: Growing, op: Op, product: str, rest: str) -> list[Op] | None:
    net = more.net
    made = _made(net, product, "Mul")
    for x, factor in _either_way(made) if made else ():
        root, scale = _scaled_root(net, factor)
        offset = _offset(net, op.type, rest, root.mean, factor) if root else None
        ops = _normal(net, op, root) if root and root.x == x and offset is not None else None
        if ops is None:
            continue
        for kind, name in (("Mul", scale), ("Add", offset)):
            ops = _then(more, ops, kind, name) if name else ops
        return ops
    return None


def _scaled_root(net: Net, factor: str) -> tuple[_Root | None, str]:
    """The root that ``factor`` divides by, and the constant that it multiplies with, or ""."""
    root = _inverse_root(net, factor)
    made = None if root else _made(net, factor, "Mul")
    for inverse, scale in _either_way(made) if made else ():
        found = _inverse_root(net, inverse)
        if found and scale in net.constants:
            return found, scale
    return root, ""


def _offset(net: Net, kind: str, rest: str, mean: str, factor: str) -> str | None:
    """The constant in ``rest``, "" for none; None where it is no such thing."""
    if kind == "Sub":
        return "" if _is_product(net, rest, mean, factor) else None
    made = net.producer.get(rest)
    if made is None:
        return None
    if made.type == "Sub" and made.first in net.constants:
        return made.first if _is_product(net, made.input(1), mean, factor) else None
    if made.type == "Add":
        for negative, offset in _either_way(made):
            if offset in net.constants and _is_negative(net, negative, mean, factor):
                return offset
    return "" if _is_negative(net, rest, mean, factor) else None


def _is_negative(net: Net, name: str, mean: str, factor: str) -> bool:
    """Whether ``name`` is -mean * factor."""
    made = _made(net, name, "Neg")
    if made:
        return _is_product(net, made.first, mean, factor)
    made = _made(net, name, "Mul")
    for negative, other in _either_way(made) if made else ():
        turned = _made(net, negative, "Neg")
        if turned and turned.first == mean and other == factor:
            return True
    return False


def _is_product(net: Net, name: str, left: str, right: str) -> bool:
    made = _made(net, name, "Mul")
    return made is not None and {left, right} == set(made.inputs)


def _normal(net: Net, op: Op, root: _Root) -> list[Op] | None:
    if net.shapes[root.x] != net.shapes[op.output]:
        return None
    attrs = {"axes": root.axes, "epsilon": root.epsilon}
    return [replace(op, type=LAYER, inputs=(root.x,), attrs=attrs)]


# The root


def _inverse_root(net: Net, name: str) -> _Root | None:
    made = net.producer.get(name)
    if made is None or made.domain:
        return None
    if made.type == "Reciprocal":
        return _root(net, made.first)
    if made.type == "Div" and _number(net, made.first) == 1.0:
        return _root(net, made.input(1))
    return _of_variance(net, made.first) if _power(net, made) == -0.5 else None


def _root(net: Net, name: str) -> _Root | None:
    made = net.producer.get(name)
    if made is None or made.domain or not (made.type == "Sqrt" or _power(net, made) == 0.5):
        return None
    return _of_variance(net, made.first)


def _of_variance(net: Net, name: str) -> _Root | None:
    """The root of a variance and an epsilon."""
    added = _made(net, name, "Add")
    for variance, other in _either_way(added) if added else ():
        epsilon, made = _number(net, other), _made(net, variance, "ReduceMean")
        if epsilon is not None and epsilon >= 0 and made:
            return _of_squares(net, made, epsilon)
    return None


def _of_squares(net: Net, reduced: Op, epsilon: float) -> _Root | None:
    axes, squares = _kept(net, reduced), net.producer.get(reduced.first)
    if axes is None or squares is None:
        return None
    squared = _power(net, squares) == 2.0
    twice = squares.type == "Mul" and squares.first == squares.input(1)
    difference = _made(net, squares.first, "Sub") if squared or twice else None
    for x, mean in _either_way(difference) if difference else ():
        made = _made(net, mean, "ReduceMean")
        if made and made.first == x and _kept(net, made) == axes:
            return _Root(x, mean, axes, epsilon)
    return None


def _kept(net: Net, op: Op) -> tuple[int, ...] | None:
    """The axes of a mean that stay with a size of 1, those that ``layer_norm`` takes."""
    axes = reduced_axes(net, op) if op.attrs.get("keepdims", 1) else None
    return axes if axes and min(axes) > 0 else None


def _is_difference(net: Net, name: str, root: _Root) -> bool:
    made = _made(net, name, "Sub")
    return made is not None and made.inputs == (root.x, root.mean)


def _power(net: Net, op: Op) -> float | None:
    return _number(net, op.input(1)) if op.type == "Pow" else None


def _number(net: Net, name: str) -> float | None:
    constant = net.constants.get(name)
    return float(constant.item()) if constant is not None and constant.size == 1 else None


def _made(net: Net, name: str, kind: str) -> Op | None:
    """What makes a value, if it is of that kind."""
    op = net.producer.get(name)
    return op if op is not None and op.type == kind and not op.domain else None


def _either_way(op: Op) -> Iterator[tuple[str, str]]:
    """The operands in either order."""
    yield op.first, op.input(1)
    yield op.input(1), op.first


def _instance(more: Growing, op: Op) -> list[Op] | None:
    """An InstanceNormalization of an image whose channels a Reshape joined to groups, if another
    one parts them behind it."""
    net, readers = more.net, more.net.readers.get(op.output, ())
    before = _made(net, op.first, "Reshape")
    if before is None or len(readers) != 1 or op.output in net.outputs:
        return None
    behind, shape, groups = readers[0], net.shapes[before.first], net.shapes[op.first][1]
    back = behind.type == "Reshape" and net.shapes.get(behind.output) == shape
    if not back or len(shape) not in (3, 4) or shape[0] != 1 or shape[1] % groups:
        return None
    vectors = [_of_channels(more, op, index, shape[1]) for index in (1, 2)]
    if not all(vectors):
        return None
    attrs = {"num_groups": groups, "epsilon": op.attrs.get("epsilon", 1e-5)}
    more.shapes[op.output] = shape
    return [replace(op, type=GROUP, inputs=(before.first, *vectors), attrs=attrs)]


def _of_channels(more: Growing, op: Op, index: int, channels: int) -> str:
    """A constant of a number a group as one of a number a channel; "" where it is none."""
    given = more.net.constant(op, index)
    if given is None or channels % max(given.size, 1):
        return ""
    name = more.value(op, "channels", (channels,))
    more.constants[name] = np.repeat(given.reshape(-1), channels // given.size)
    return name


# By the operator that a normalization ends with.
_OF_LAST: Mapping[str, Callable[[Growing, Op], list[Op] | None]] = {
    "Add": _sum,
    "Div": _quotient,
    "Mul": _product,
    "Sub": _sum,
    LAYER: _vectors_apart,
    INSTANCE: _instance,
}
