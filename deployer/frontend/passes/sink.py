"""Transposes moved behind the operators that work on single elements, until they meet others."""

from __future__ import annotations

from dataclasses import replace

from deployer.frontend.limits import MAX_AXES
from deployer.frontend.passes.affine import is_affine, is_uniform, with_channels
from deployer.frontend.passes.aliases import alias_value
from deployer.frontend.passes.draft import Draft
from deployer.frontend.passes.edit import Edit, fresh, only_reader
from deployer.ir import OPS, ConcatAttrs, Graph, Node, PadAttrs, SliceAttrs

Shape = tuple[int, ...]


def sink(graph: Draft, node: Node) -> Edit | None:
    """``op(T(x), T(y))`` as ``T(op(x, y))``."""
    sources = [name for name in node.inputs if name not in graph.constants]
    transposes = [graph.producer.get(name) for name in sources]
    first = transposes[0] if transposes else None
    if first is None or any(t is None or t.op != "Transpose" for t in transposes):
        return None
    perm: Shape = first.attrs.perm
    if len(perm) > MAX_AXES or any(t is not None and t.attrs.perm != perm for t in transposes):
        return None
    edit = Edit()
    moved = _before_transpose(graph, edit, node, perm)
    if moved is None:
        return None
    name = fresh(graph, f"{node.name}/straight")
    shape = _before(graph.values[node.output].shape, perm)
    result = graph.values[node.output]
    edit.values[name] = replace(alias_value(name, shape), quant=result.quant)
    edit.values[node.output] = replace(result, quant=None)
    inputs = [transpose.first for transpose in transposes if transpose is not None]
    constants = [item for item in node.inputs if item in graph.constants]
    moved = replace(moved, inputs=(*inputs, *constants), outputs=(name,))
    after = fresh(graph, f"{node.name}/turned")
    edit.nodes[node.name] = (
        moved,
        replace(first, name=after, inputs=(name,), outputs=node.outputs),
    )
    return edit


def lift(graph: Draft, node: Node) -> Edit | None:
    """``T(op(x))`` as ``op(T(x))`` on the way from an input that nothing else reads.

    At the input the transpose is the host's.
    """
    before = graph.producer.get(node.first)
    if node.op != "Transpose" or before is None or not _from_input(graph, before):
        return None
    back = tuple(node.attrs.perm.index(axis) for axis in range(len(node.attrs.perm)))
    edit = Edit()
    moved = _before_transpose(graph, edit, before, back)
    if moved is None:
        return None
    name = fresh(graph, f"{before.name}/turned")
    source = graph.values[before.first].shape
    edit.values[name] = alias_value(name, tuple(source[i] for i in node.attrs.perm))
    stated = graph.values[before.output].quant
    edit.values[node.output] = replace(graph.values[node.output], quant=stated)
    transpose = replace(node, inputs=before.inputs[:1], outputs=(name,))
    moved = replace(moved, inputs=(name, *before.inputs[1:]), outputs=node.outputs)
    edit.nodes |= {before.name: (transpose, moved), node.name: ()}
    return edit


def _from_input(graph: Draft, node: Node) -> bool:
    """Whether a chain of single readers leads from an input to ``node`` and its only reader."""
    current: Node | None = node
    while current is not None and len(graph.activations(current)) == 1:
        if not only_reader(graph, current.output) or not only_reader(graph, current.first):
            return False
        if current.first in graph.inputs:
            return True
        current = graph.producer.get(current.first)
    return False


def _before_transpose(graph: Draft, edit: Edit, node: Node, perm: Shape) -> Node | None:
    """``node`` as it works before a transpose; None when it depends on the order of the axes."""
    attrs = node.attrs
    if node.op == "Concat":
        return replace(node, attrs=ConcatAttrs(perm[attrs.axis]))
    if node.op == "Slice":
        begin, end = (_before(side, perm) for side in (attrs.begin, attrs.end))
        return replace(node, attrs=SliceAttrs(begin, end))
    if node.op == "Pad":
        before, after = (_before(side, perm) for side in (attrs.before, attrs.after))
        return replace(node, attrs=PadAttrs(before, after, attrs.value))
    if OPS[node.op].elementwise:
        return node if len({graph.values[name].shape for name in node.inputs}) == 1 else None
    if not is_affine(graph, node) or len(perm) != 4:
        return None
    if perm[-1] == 3:
        return node
    channels = _before(graph.values[node.output].shape, perm)[-1]
    return with_channels(graph, edit, node, channels) if is_uniform(graph, node) else None


def _before(numbers: Shape, perm: Shape) -> Shape:
    """One number per axis behind a transpose, in the order of the axes before it."""
    return tuple(numbers[perm.index(axis)] for axis in range(len(perm)))


def moved(graph: Graph) -> int:
    """How many elements the transposes of a graph move."""
    transposes = [node for node in graph.nodes if node.op == "Transpose"]
    return sum(graph.values[transpose.output].elements for transpose in transposes)
