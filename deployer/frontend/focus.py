"""Slices with steps that a Concat joins again: YOLOv5's Focus, a SpaceToDepth in many pieces.

The pieces may come in any order: a Conv behind takes it up in its weights, else a Gather does.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace

import numpy as np

from deployer.frontend.attributes import concat_axis, slice_ranges, transpose_perm
from deployer.frontend.net import Net, Op, Shape

_MAX_SLICES = 8  # one for each axis is enough
_TO_NCHW, _TO_NHWC = (0, 3, 1, 2), (0, 2, 3, 1)


@dataclass(frozen=True)
class _Picture:
    """The elements of ``root`` from ``begin`` on, in ``steps`` along every axis."""

    root: str
    begin: Shape
    steps: Shape


@dataclass
class _Text:
    """What takes the place of some operators, with the tensors that it needs."""

    ops: dict[str, list[Op]] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    grids: dict[str, np.ndarray] = field(default_factory=dict)
    elements: dict[str, int] = field(default_factory=dict)


def join_blocks(net: Net) -> Net:
    """``net`` with each such Concat as a SpaceToDepth."""
    for op in net.ops:
        found = _blocks(net, op) if op.type == "Concat" else None
        if found is not None:
            net = _rewritten(net, op, *found)
    return net


def _blocks(net: Net, op: Op) -> tuple[str, int, tuple[int, ...]] | None:
    """The image that a Concat joins the pieces of, the block, and the number of each piece in a
    SpaceToDepth; None when it does something else."""
    shape = net.shapes.get(op.output, ())
    if op.domain or len(shape) != 4 or len(op.inputs) < 4 or concat_axis(net, op) not in (1, 3):
        return None
    pictures = [_picture(net, name) for name in op.inputs]
    channel = concat_axis(net, op)
    rows, columns = (2, 3) if channel == 1 else (1, 2)
    root, block = pictures[0].root, pictures[0].steps[rows]
    steps = tuple(block if axis in (rows, columns) else 1 for axis in range(4))
    places = [(p.begin[rows], p.begin[columns]) for p in pictures]
    alike = all((p.root, p.steps, p.begin[channel]) == (root, steps, 0) for p in pictures)
    whole = sorted(places) == list(itertools.product(range(block), repeat=2))
    source = net.shapes.get(root, ())
    sized = len(source) == 4 and source[0] == 1 and shape[channel] == source[channel] * block**2
    divided = sized and all(shape[axis] * block == source[axis] for axis in (rows, columns))
    if not (alike and whole and divided) or root in net.constants:
        return None
    return root, block, tuple(row * block + column for row, column in places)


def _picture(net: Net, name: str) -> _Picture:
    """Where the elements of a value lie, through the few Slices that lead to it."""
    rank = len(net.shapes.get(name, ()))
    picture = _Picture(name, (0,) * rank, (1,) * rank)
    for _ in range(_MAX_SLICES):
        op = net.producer.get(picture.root)
        ranges = slice_ranges(net, op) if op is not None and _is_slice(net, op) else None
        if op is None or ranges is None or min(ranges[2]) < 1:
            break
        axes = list(zip(picture.begin, picture.steps, ranges[0], ranges[2], strict=True))
        begin = tuple(start + step * first for first, _, start, step in axes)
        picture = _Picture(op.first, begin, tuple(own * step for _, own, _, step in axes))
    return picture


def _is_slice(net: Net, op: Op | None) -> bool:
    """A Slice by constant numbers, one of each for every axis it names."""
    if op is None or op.type != "Slice" or op.domain or not net.known(op):
        return False
    numbers = [net.constant(op, index) for index in range(1, len(op.inputs)) if op.input(index)]
    return len({-1 if number is None else number.size for number in numbers}) == 1


def _rewritten(net: Net, op: Op, root: str, block: int, order: tuple[int, ...]) -> Net:
    channel = concat_axis(net, op)
    size = net.shapes[root][channel]
    source = np.concatenate([np.arange(size) + piece * size for piece in order])
    text = _Text()
    ordered = order == tuple(range(block**2))
    convs = [] if ordered else _convs(net, op.output, channel)
    if convs:
        for conv in convs:
            _take_order(net, text, conv, source)
    gathered = not ordered and not convs
    joined = _fresh(net, f"{op.name}/blocks") if gathered else op.output
    text.ops[op.name] = _space_to_depth(net, text, op, root, joined, block)
    if gathered:
        text.ops[op.name].append(_gather(net, text, op, joined, channel, source))
    return _with(net, text)


def _space_to_depth(net: Net, text: _Text, op: Op, root: str, output: str, block: int) -> list[Op]:
    """The operator, of NHWC between two Transposes."""
    element, attrs = net.elements.get(op.output, 0), {"blocksize": block}
    shape = net.shapes[op.output]
    text.shapes[output], text.elements[output] = shape, element
    make = replace(op, type="SpaceToDepth", inputs=(root,), outputs=(output,), attrs=attrs)
    if concat_axis(net, op) == 1:
        return [make]
    before, behind = (_fresh(net, f"{op.name}/{name}") for name in ("planes", "depths"))
    source = net.shapes[root]
    text.shapes |= {
        before: tuple(source[axis] for axis in _TO_NCHW),
        behind: tuple(shape[axis] for axis in _TO_NCHW),
    }
    text.elements |= dict.fromkeys((before, behind), element)
    turn = replace(op, type="Transpose")
    return [
        replace(turn, name=before, inputs=(root,), outputs=(before,), attrs={"perm": _TO_NCHW}),
        replace(make, inputs=(before,), outputs=(behind,)),
        replace(turn, name=behind, inputs=(behind,), outputs=(output,), attrs={"perm": _TO_NHWC}),
    ]


def _gather(net: Net, text: _Text, op: Op, joined: str, channel: int, source: np.ndarray) -> Op:
    """The pieces in the order of the Concat."""
    indices = _fresh(net, f"{op.name}/order")
    text.constants[indices], text.shapes[indices] = source, source.shape
    inputs, attrs = (joined, indices), {"axis": channel}
    return replace(op, name=indices, type="Gather", inputs=inputs, attrs=attrs)


def _convs(net: Net, name: str, channel: int) -> list[Op]:
    """The Convs of one group that alone read a value, maybe through a Transpose to NCHW; none where
    something else does."""
    found: list[Op] = []
    for reader in net.readers.get(name, ()):
        turned = reader.type == "Transpose" and transpose_perm(net, reader)[1] == channel
        convs = _convs(net, reader.output, 1) if turned and channel != 1 else [reader]
        if not convs or not all(_takes_order(net, conv) for conv in convs):
            return []
        found += convs
    return [] if name in net.outputs else found


def _takes_order(net: Net, op: Op) -> bool:
    weights = net.constant(op, 1)
    alone = op.type == "Conv" and not op.domain and op.attrs.get("group", 1) == 1
    return alone and weights is not None and weights.ndim == 4 and op.first not in op.inputs[1:]


def _take_order(net: Net, text: _Text, op: Op, source: np.ndarray) -> None:
    """``op`` for channels as a SpaceToDepth leaves them; ``source`` says which of them each was."""
    given, name = op.input(1), _fresh(net, f"{op.name}/ordered")
    back = np.argsort(source)
    text.constants[name] = net.constants[given][:, back]
    text.shapes[name], text.elements[name] = net.shapes[given], net.elements.get(given, 0)
    if given in net.grids:
        text.grids[name] = net.grids[given][:, back]
    text.ops[op.name] = [replace(op, inputs=(op.first, name, *op.inputs[2:]))]


def _fresh(net: Net, stem: str) -> str:
    taken = {*net.shapes, *(op.name for op in net.ops)}
    names = itertools.chain([stem], (f"{stem}_{count}" for count in itertools.count(2)))
    return next(name for name in names if name not in taken)


def _with(net: Net, text: _Text) -> Net:
    ops = [new for op in net.ops for new in text.ops.get(op.name, [op])]
    changed = replace(
        net,
        ops=tuple(ops),
        shapes={**net.shapes, **text.shapes},
        elements={**net.elements, **text.elements},
        constants={**net.constants, **text.constants},
        grids={**net.grids, **text.grids},
    )
    return changed.pruned()
