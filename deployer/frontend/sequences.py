"""Recurrent operators over sequences whose batch stands in front, as all other activations have it.

ONNX puts the steps in front of the batch, and the directions between. With a batch of 1 these are
the same elements in the same order: Reshapes around an operator that reads (1, steps, features) and
gives (1, steps, hidden) and (1, hidden), the directions side by side.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from deployer.frontend.attributes import concat_axis
from deployer.frontend.growing import Growing
from deployer.frontend.net import Net, Op, Shape
from deployer.frontend.recurrences import RECURRENT, batch_axis, direction_count, hidden_size


@dataclass
class _Drawn:
    """``states``: what final states, (directions, 1, hidden), are reshaped from."""

    more: Growing
    states: dict[str, str] = field(default_factory=dict)


def batch_in_front(net: Net) -> Net:
    """``net`` with recurrent operators whose steps stand behind the batch, and inputs and outputs
    of the network of the same form."""
    if not any(_recurrent(net, op) for op in net.ops):
        return net
    net = _with_ordered_inputs(net)
    drawn = _Drawn(Growing.of(net))
    ops = (new for op in net.ops for new in _rewritten(drawn, op))
    return _with_whole_outputs(drawn.more.with_ops(ops))


def _recurrent(net: Net, op: Op) -> bool:
    """Whether it is one over a batch of 1."""
    if op.type not in RECURRENT or op.domain or not op.first:
        return False
    shape = net.shapes.get(op.first, ())
    return len(shape) == 3 and shape[batch_axis(op)] == 1 and op.input(2) in net.shapes


def _rewritten(drawn: _Drawn, op: Op) -> Iterator[Op]:
    if _recurrent(drawn.more.net, op):
        yield from _whole(drawn, op)
    elif op.type == "Concat" and not op.domain and drawn.states.keys() >= set(op.inputs):
        yield from _joined(drawn, op)
    else:
        yield op


def _whole(drawn: _Drawn, op: Op) -> Iterator[Op]:
    more = drawn.more
    batch = batch_axis(op)
    steps, features = more.shapes[op.first][1 - batch], more.shapes[op.first][2]
    count, hidden = direction_count(op), hidden_size(more.net, op)
    element = more.elements.get(op.first, 0)
    x = _named(more, op, "sequence", (1, steps, features), element)
    shapes: dict[str, Shape] = {"steps": (1, steps, count * hidden)}
    for kind in ("hidden", "cell") if op.type == "LSTM" else ("hidden",):
        shapes[kind] = (1, count * hidden)
    made = [_named(more, op, kind, shape, element) for kind, shape in shapes.items()]
    yield more.reshape(op, op.first, x)
    attrs = {name: value for name, value in op.attrs.items() if name != "layout"}
    yield replace(op, inputs=(x, *op.inputs[1:]), outputs=tuple(made), attrs={**attrs, "layout": 1})
    for name, inner in zip(op.outputs, made, strict=False):
        if name:
            yield more.reshape(op, inner, name)
    if batch:
        drawn.states.update(zip(filter(None, op.outputs[1:]), made[1:], strict=False))


def _joined(drawn: _Drawn, op: Op) -> Iterator[Op]:
    """Final states of several layers along their axis of directions: side by side."""
    more, net = drawn.more, drawn.more.net
    if concat_axis(net, op) != 0:
        yield op
        return
    parts = [drawn.states[name] for name in op.inputs]
    size = sum(more.shapes[part][1] for part in parts)
    joined = _named(more, op, "states", (1, size), more.elements.get(op.output, 0))
    yield replace(op, name=joined, inputs=tuple(parts), outputs=(joined,), attrs={"axis": 1})
    yield more.reshape(op, joined, op.output)


def _named(more: Growing, op: Op, kind: str, shape: Shape, element: int) -> str:
    name = more.value(op, kind, shape)
    more.elements[name] = element
    return name


def _with_ordered_inputs(net: Net) -> Net:
    """``net`` with inputs that have a batch of 1 first where the model has it behind the steps."""
    more, views = Growing.of(net), dict[str, str]()
    for name in net.inputs:
        shape = net.shapes[name]
        if len(shape) == 3 and shape[0] > 1 and shape[1] == 1:
            op = Op(name, "Reshape", "", (name,), (name,), {})
            views[name] = _named(more, op, "steps", shape, net.elements.get(name, 0))
            more.shapes[name] = (1, shape[0], shape[2])
    entries = [
        more.reshape(Op(name, "Reshape", "", (name,), (view,), {}), name, view)
        for name, view in views.items()
    ]
    ops = (replace(op, inputs=tuple(views.get(n, n) for n in op.inputs)) for op in net.ops)
    return more.with_ops([*entries, *ops])


def _with_whole_outputs(net: Net) -> Net:
    """``net`` with a batch of 1 in front of what it returns."""
    odd = [
        name
        for name in net.outputs
        if name in net.producer and len(net.shapes.get(name, ())) > 1 and net.shapes[name][0] > 1
    ]
    more = Growing.of(net)
    names: dict[str, str] = {}
    for name in odd:
        names[name] = _named(
            more, net.producer[name], "returned", net.shapes[name], net.elements.get(name, 0)
        )
        steps, *rest = net.shapes[name]
        more.shapes[name] = (1, steps, math.prod(rest))
    ops = [_renamed(op, names) for op in net.ops]
    ends = [more.reshape(net.producer[name], names[name], name) for name in odd]
    notes = (f"output {name} has the shape {list(more.shapes[name])}, batch first" for name in odd)
    return replace(more.with_ops([*ops, *ends]), notes=(*net.notes, *notes))


def _renamed(op: Op, names: dict[str, str]) -> Op:
    inputs, outputs = (tuple(names.get(n, n) for n in each) for each in (op.inputs, op.outputs))
    return replace(op, inputs=inputs, outputs=outputs)
