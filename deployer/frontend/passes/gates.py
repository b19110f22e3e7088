"""Activations spelled as a value times a function of it: hard-swish, swish, GELU, Mish.

The pieces are followed upwards from the product: constants for all channels, bounds and tables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from deployer.frontend.net import real
from deployer.frontend.passes.affine import is_uniform, join, scale_and_offset
from deployer.frontend.passes.aliases import alias_value
from deployer.frontend.passes.draft import Draft
from deployer.frontend.passes.edit import Edit, fresh, origins, states
from deployer.ir import (
    Clamp,
    ConvAttrs,
    DType,
    Layout,
    Node,
    ReshapeAttrs,
    TableAttrs,
    Value,
    Window,
)

_MAX_PIECES = 8
_TOLERANCE = 1e-5


@dataclass(frozen=True)
class Piece:
    """``scale·x + offset``, clamped; or a table."""

    scale: float = 1.0
    offset: float = 0.0
    clamp: Clamp = field(default_factory=Clamp)
    table: TableAttrs | None = None


def join_gate(graph: Draft, node: Node) -> Edit | None:
    """``s·x · f(x)`` as one Table, with a factor behind it where one is left."""
    if node.op != "Mul" or node.attrs.clamp.active:
        return None
    if len({graph.values[name].shape for name in node.inputs}) != 1:
        return None
    for linear, gate in (node.inputs, node.inputs[::-1]):
        found = _gate(graph, linear, gate)
        if found is not None:
            source, table, factor, passed = found
            return _as_table(
                graph, replace(node, origin=origins(*passed, node)), source, table, factor
            )
    return None


def _gate(graph: Draft, linear: str, gate: str) -> tuple[str, TableAttrs, float, list[Node]] | None:
    """Where x stands, the function, and its factor."""
    factors = dict(_scaled_sources(graph, linear))
    pieces: list[Piece] = []
    passed: list[Node] = []
    name = gate
    for _ in range(_MAX_PIECES):
        node = graph.producer.get(name)
        piece = None if node is None else _piece(graph, node)
        if node is None or piece is None:
            return None
        passed.insert(0, node)
        pieces.insert(0, piece)
        name = node.first
        known = _known(pieces)
        if name in factors and known is not None:
            return name, known[0], known[1] * factors[name], passed
    return None


def _scaled_sources(graph: Draft, name: str) -> list[tuple[str, float]]:
    """The value itself, and the values it is a multiple of."""
    found, factor = [(name, 1.0)], 1.0
    for _ in range(_MAX_PIECES):
        node = graph.producer.get(name)
        piece = None if node is None else _piece(graph, node)
        if node is None or piece is None or piece.table or piece.offset or piece.clamp.active:
            break
        name, factor = node.first, factor * piece.scale
        found.append((name, factor))
    return found


def _piece(graph: Draft, node: Node) -> Piece | None:
    """What a node does to every single element; None when it does more."""
    if states(graph, node.output):
        return None
    if node.op == "Reshape":
        return Piece()
    if node.op == "Rescale":
        return Piece(clamp=node.attrs.clamp)
    if node.op == "Table":
        return Piece(table=node.attrs)
    if not is_uniform(graph, node):
        return None
    scale, offset = scale_and_offset(graph, node)
    return Piece(float(scale[0]), float(offset[0]), node.attrs.clamp)


def _known(pieces: Sequence[Piece]) -> tuple[TableAttrs, float] | None:
    """``x`` times the pieces as a table and a factor."""
    parts = _simple([piece for piece in pieces if piece != Piece()])
    tables = [part.table for part in parts if part.table]
    if not tables:
        return _hard_swish(parts)
    names = tuple(table.function for table in tables)
    behind = parts[-1] if not parts[-1].table else Piece()
    before = parts[0] if not parts[0].table else Piece()
    if len(parts) != len(tables) + (behind != Piece()) + (before != Piece()):
        return None
    if before.clamp.active or behind.clamp.active or before.offset:
        return None
    if names == ("erf",):
        half = math.isclose(before.scale, math.sqrt(0.5), rel_tol=_TOLERANCE)
        even = math.isclose(behind.scale, behind.offset, rel_tol=_TOLERANCE)
        return (TableAttrs("gelu"), 2 * behind.scale) if half and even else None
    if before != Piece() or behind.offset:
        return None
    return _product(tables, names, behind.scale)


def _product(
    tables: Sequence[TableAttrs], names: tuple[str, ...], factor: float
) -> tuple[TableAttrs, float] | None:
    if names == ("sigmoid",):
        return TableAttrs("swish"), factor
    if names == ("softplus", "tanh"):
        return TableAttrs("mish"), factor
    sixth = math.isclose(tables[0].alpha, 1 / 6, rel_tol=_TOLERANCE)
    if names == ("hard_sigmoid",) and sixth and math.isclose(tables[0].beta, 0.5):
        return TableAttrs("hard_swish"), factor
    return None


def _hard_swish(parts: Sequence[Piece]) -> tuple[TableAttrs, float] | None:
    """``x · clamp(k·(x / 6 + 1 / 2), 0, k)`` for any positive k."""
    if len(parts) != 1:
        return None
    (part,) = parts
    factor = part.clamp.high
    if part.clamp.low is None or factor is None or factor <= 0:
        return None
    found = (part.scale * 6 / factor, part.offset * 2 / factor, part.clamp.low / factor + 1)
    exact = all(math.isclose(number, 1, rel_tol=_TOLERANCE) for number in found)
    return (TableAttrs("hard_swish"), factor) if exact else None


def _simple(pieces: Sequence[Piece]) -> list[Piece]:
    """Neighbours that are scales, offsets and bounds joined into one."""
    parts: list[Piece] = []
    for piece in pieces:
        last = parts[-1] if parts and not parts[-1].table else None
        if last is None or piece.table or (last.clamp.active and piece.scale <= 0):
            parts.append(piece)
            continue
        bounds = (
            None if bound is None else bound * piece.scale + piece.offset
            for bound in (last.clamp.low, last.clamp.high)
        )
        scale, offset = last.scale * piece.scale, last.offset * piece.scale + piece.offset
        parts[-1] = Piece(scale, offset, join(Clamp(*bounds), piece.clamp))
    return parts


def _as_table(graph: Draft, node: Node, source: str, table: TableAttrs, factor: float) -> Edit:
    """The table in place of the product, its factor as a constant for all channels behind it."""
    shape, out = graph.values[source].shape, graph.values[node.output].shape
    gate = fresh(graph, f"{node.name}/table")
    edit = Edit(values={gate: replace(graph.values[source], name=gate, quant=None)})
    first = replace(node, op="Table", inputs=(source,), outputs=(gate,), attrs=table)
    image = shape if len(shape) == 4 else (1, 1, math.prod(shape[1:-1]), shape[-1])
    weights, bias = fresh(graph, f"{node.name}/factor"), fresh(graph, f"{node.name}/offset")
    flat, scaled = fresh(graph, f"{node.name}/image"), fresh(graph, f"{node.name}/scaled")
    _constant(edit, weights, np.full((1, 1, shape[-1]), factor), Layout.HWC)
    _constant(edit, bias, np.zeros(shape[-1]), Layout.VECTOR)
    attrs = ConvAttrs(Window((1, 1)), groups=shape[-1])
    edit.values |= {name: alias_value(name, image) for name in (flat, scaled)}
    edit.nodes[node.name] = (
        first,
        _step(node, flat, "Reshape", (gate,), ReshapeAttrs(image)),
        _step(node, scaled, "DepthwiseConv2d", (flat, weights, bias), attrs),
        replace(
            _step(
                node, fresh(graph, f"{node.name}/reshape"), "Reshape", (scaled,), ReshapeAttrs(out)
            ),
            outputs=node.outputs,
        ),
    )
    return edit


def _step(node: Node, name: str, op: str, inputs: tuple[str, ...], attrs: object) -> Node:
    return Node(name, op, inputs, (name,), attrs, origin=node.origin)


def _constant(edit: Edit, name: str, array: np.ndarray, layout: Layout) -> None:
    edit.constants[name] = real(array)
    edit.values[name] = Value(name, array.shape, DType.F32, layout)
