"""Chains of nodes that only choose and order elements, by constant numbers.

Exporters write more of them than the device has: Gather by a constant, steps backwards, a flat view
and back, six axes. Whatever the nodes are, between two ordinary tensors they are one map; where
moves of the device make it, a single node that holds them takes the chain's place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from deployer.frontend import supported as s
from deployer.frontend.builder import order_of
from deployer.frontend.express import MAX_MAP_ELEMENTS, express, loops_of
from deployer.frontend.limits import MAX_AXES
from deployer.frontend.lowering.curves import CURVES
from deployer.frontend.net import Net, Op, Shape
from deployer.frontend.operators import OPERATORS, PICKING
from deployer.frontend.picks import PICKING_BY_AXES, moves_by_axes
from deployer.frontend.quantized import PAIR
from deployer.frontend.rearrangement import Move

MOVED = "moves"  # attribute of a node that stands for a chain
_MOVING = frozenset(
    {
        *("DepthToSpace", "Flatten", "Identity", "Reshape", "Slice", "SpaceToDepth", "Squeeze"),
        *("Transpose", "Unsqueeze", *PICKING),
    }
)
# They change single elements, the same way wherever those lie.
_POINTWISE = frozenset(
    {
        *("Cast", "Clip", "Gelu", "Pow", "Relu", *CURVES, *PAIR),
    }
)


@dataclass(frozen=True, eq=False)
class _Trail:
    """Where the elements of a value lie in ``root``. ``plain``: every node of the chain is one that
    the device has, maybe with too many axes."""

    root: str
    places: np.ndarray
    plain: bool


def collapse_chains(net: Net) -> Net:
    """``net`` with chains as single nodes where moves make them."""
    ops = [op for op in net.ops if op.type in _MOVING or _picks_by_axes(net, op)]
    if not any(op.type in PICKING or _odd(net, op) for op in ops):
        return net
    shapes, elements = dict(net.shapes), dict(net.elements)
    view = replace(net, shapes=shapes, elements=elements)
    trails: dict[str, _Trail] = {}
    ops = [new for op in net.ops for new in _step(view, shapes, elements, trails, op)]
    return replace(view, ops=tuple(ops)).pruned()


def _step(
    net: Net,
    shapes: dict[str, Shape],
    elements: dict[str, int],
    trails: dict[str, _Trail],
    op: Op,
) -> list[Op]:
    """``op``, or what stands in its place."""
    if _picks_by_axes(net, op) and not _plain(net, op):
        moves = moves_by_axes(net, op)
        return [op if moves is None else _as_moves(op, op.first, moves)]
    before = trails.get(op.first)
    if before is not None and _pointwise(net, op):
        early = _before_chain(op, before.root, shapes)
        shapes[early.output] = shapes[before.root]
        elements[early.output] = elements.get(op.output, 0)
        trails[op.output] = replace(before, root=early.output)
        return [early, op]
    trail = _followed(net, op, before)
    if trail is None:
        return [op]
    places = _stored(net, trail, op.output) if _ordinary(net.shapes[op.output]) else None
    if trail.plain and places is not None and len(loops_of(places)) < MAX_AXES:
        return [op]  # the passes make one Transpose of it, or none
    count = math.prod(net.shapes[trail.root])
    moves = None if places is None else express(count, places)
    if moves is None:
        trails[op.output] = trail
        return [op]
    return [_as_moves(op, trail.root, moves)]


def _picks_by_axes(net: Net, op: Op) -> bool:
    """Whether ``op`` may be one whose elements are few enough to look at."""
    if op.type not in PICKING_BY_AXES or op.domain:
        return False
    shapes = [net.shapes.get(name) for name in (op.first, op.output)]
    return all(shape and 0 < math.prod(shape) <= MAX_MAP_ELEMENTS for shape in shapes)


def _as_moves(op: Op, source: str, moves: tuple[Move, ...]) -> Op:
    return replace(op, type="Gather", domain="", inputs=(source,), attrs={MOVED: moves})


def _pointwise(net: Net, op: Op) -> bool:
    """One activation, and numbers for all its elements."""
    single = all(net.constants[n].size == 1 for n in op.inputs[1:] if n and n in net.constants)
    return op.type in _POINTWISE and len(net.activations(op)) == 1 and single


def _before_chain(op: Op, root: str, shapes: Mapping[str, Shape]) -> Op:
    """``op`` on the chain's source, whose elements are those behind the chain."""
    name, count = f"{op.name}/first", 1
    while name in shapes:
        count += 1
        name = f"{op.name}/first_{count}"
    return replace(op, name=name, inputs=(root, *op.inputs[1:]), outputs=(name,))


def _followed(net: Net, op: Op, before: _Trail | None) -> _Trail | None:
    """The trail of the op's output; None where none leads through it, or none is needed."""
    x, known = op.first, all(name in net.shapes for name in (op.first, op.output))
    if op.type not in _MOVING or op.domain or not known or len(net.activations(op)) != 1:
        return None
    if x in net.constants or any(op.outputs[1:]):
        return None
    plain = _plain(net, op)
    odd = not plain or _odd(net, op)
    sizes = [math.prod(net.shapes[name]) for name in (x, op.output)]
    if (before is None and not odd) or not 0 < min(sizes) <= max(sizes) <= MAX_MAP_ELEMENTS:
        return None
    shape = net.shapes[x]
    if before is None:
        if not _ordinary(shape):
            return None
        before = _Trail(x, np.arange(math.prod(shape)).reshape(shape), True)
    places = _evaluated(net, op, before.places)
    if places is None or places.shape != net.shapes[op.output]:
        return None
    return _Trail(before.root, places, plain and before.plain)


def _plain(net: Net, op: Op) -> bool:
    """Whether the device has ``op`` as it stands, but for the number of axes."""
    if op.type in PICKING:
        return False
    constraints = (*OPERATORS[op.type].constraints, s.batch_first)
    return not any(constraint(net, op) for constraint in constraints)


def _odd(net: Net, op: Op) -> bool:
    """Whether the output is no tensor that the device has."""
    if op.first not in net.shapes or op.output not in net.shapes:
        return False
    return not _plain(net, op) or not _ordinary(net.shapes[op.output])


def _ordinary(shape: Shape | None) -> bool:
    return shape is not None and 2 <= len(shape) <= MAX_AXES and shape[0] == 1


def _evaluated(net: Net, op: Op, places: np.ndarray) -> np.ndarray | None:
    """What ``op`` makes of numbers that stand for places."""
    from onnx import helper
    from onnx.reference import ReferenceEvaluator

    names = list(dict.fromkeys(name for name in op.inputs if name))
    try:
        node = helper.make_node(op.type, list(op.inputs), [op.output], **op.attrs)
        opset = [helper.make_opsetid("", net.opset)]
        function = helper.make_function("chain", "chain", names, [op.output], [node], opset)
        feeds = {name: net.constants.get(name, places) for name in names}
        return np.asarray(next(iter(ReferenceEvaluator(function).run(None, feeds, {}))))
    except Exception:  # indices out of range raise whatever numpy raises
        return None


def _stored(net: Net, trail: _Trail, output: str) -> np.ndarray:
    """The places of the elements of ``output``, both values as the device stores them."""
    source, target = net.shapes[trail.root], order_of(len(net.shapes[output]))
    order = order_of(len(source))
    stored = np.arange(math.prod(source)).reshape([source[axis] for axis in order])
    places = stored.transpose([order.index(axis) for axis in range(len(order))]).reshape(-1)
    return np.asarray(places[trail.places].transpose(target).reshape(-1))
