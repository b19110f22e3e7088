"""Tables and functions of a region: what kernels/include/dpl/region.h runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from deployer.analysis import Reach, RegionLayout
from deployer.codegen.arguments import arguments
from deployer.codegen.call import Call, CallContext, Struct, Tensor
from deployer.codegen.layout import ArenaMap
from deployer.codegen.names import plain_text
from deployer.codegen.region_parts import parts_to_make
from deployer.codegen.statement import Statement, statement
from deployer.errors import ModelError
from deployer.ir import Graph, Node, RegionMode, Step

SOURCES = tuple(
    f"kernels/runtime/region_{part}.c"
    for part in ("need", "boxes", "call", "fetch", "patch", "stream")
)
HEADER = "dpl/region.h"
_LARGEST = 32767  # rows or columns: the tables have int16


@dataclass(frozen=True)
class PieceView:
    """One kernel of a region: its arguments but for the windows, and the statements that set those.

    ``inputs``: of a Concat, those that are not in their place yet. Without any there is no
    ``function`` to call: the name is "0".
    """

    function: str
    title: str
    kernel: str
    call: Call
    setting: tuple[Statement, ...]
    inputs: tuple[int, ...] = ()


@dataclass(frozen=True)
class FetchView:
    """An input that arrives by rows: its number, where its ring lies."""

    function: str
    name: str
    input: int
    row_bytes: int
    address: str


@dataclass(frozen=True)
class ReadView:
    """What a node reads. Of rows and of columns: extent, stride, span, pad, up. ``turned``: the
    rows' pad from the other end. ``maker``: the node that made it, -1 for none."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    turned: int
    maker: int


@dataclass(frozen=True)
class NodeView:
    """``first`` of ``count`` reads, None of a node that has none. ``place``: height, width, owner
    of the buffer, rows of the ring."""

    function: str
    first: int | None
    count: int
    place: tuple[int, ...]


@dataclass(frozen=True)
class RegionView:
    """A region's tables."""

    runtime: RegionMode
    fetches: tuple[FetchView, ...]
    pieces: tuple[PieceView, ...]
    reads: tuple[ReadView, ...]
    nodes: tuple[NodeView, ...]
    outputs: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    row_pieces: int
    column_pieces: int
    chunk: int
    reverse: int
    buffers: tuple[tuple[str, int], ...]

    @property
    def count(self) -> int:
        return len(self.nodes)


def region_view(
    layout: RegionLayout, steps: Sequence[Step], contexts: Sequence[CallContext]
) -> RegionView:
    """The region of ``steps``; ``contexts`` are those of its nodes. Raises ModelError when the
    graph has more rows or columns than the tables can name."""
    _check_extents(layout)
    graph, region = layout.scope.graph, layout.region
    pairs = zip(layout.scope.nodes, steps, contexts, strict=True)
    pieces = tuple(_piece(layout, call, node, step) for node, step, call in pairs)
    position = _positions(layout)
    arena, prefix = contexts[0].arena, contexts[0].function.rpartition("_")[0]
    fetches = tuple(_fetch(graph, arena, name, f"{prefix}_rows") for name in region.fetch)
    return RegionView(
        runtime=RegionMode.STREAM if layout.streams else RegionMode.PATCH,
        fetches=fetches,
        pieces=pieces,
        reads=tuple(row for node in layout.scope.nodes for row in _reads(layout, node)),
        nodes=(*_sources(layout, fetches), *_nodes(layout, pieces)),
        outputs=tuple(position[name] for name in _outputs(layout)),
        rows=tuple(region.rows),
        columns=tuple(region.columns),
        row_pieces=max(1, len(region.rows) - 1),
        column_pieces=max(1, len(region.columns) - 1),
        chunk=region.chunk,
        reverse=int(region.reverse),
        buffers=tuple((arena.address(name), s.bytes) for name, s in layout.stored.items()),
    )


def _fetch(graph: Graph, arena: ArenaMap, name: str, prefix: str) -> FetchView:
    value, number = graph.values[name], graph.inputs.index(name)
    row_bytes = value.bytes // value.shape[1]
    return FetchView(f"{prefix}_{number}", plain_text(name), number, row_bytes, arena.address(name))


def _sources(layout: RegionLayout, fetches: Sequence[FetchView]) -> Iterator[NodeView]:
    """Inputs that arrive by rows: nodes that read nothing, their buffers as wide as the input."""
    for name, fetch in zip(layout.region.fetch, fetches, strict=True):
        extents = (layout.scope.extent(name, axis) for axis in (0, 1))
        place = (*extents, -1, _buffer(layout, name)[1])
        yield NodeView(fetch.function, None, 0, place)


def _check_extents(layout: RegionLayout) -> None:
    names = (*layout.scope.inputs, *layout.scope.writer)
    if max(layout.scope.extent(name, axis) for name in names for axis in (0, 1)) > _LARGEST:
        raise ModelError(
            f"{layout.scope.graph.name} has tensors of more than {_LARGEST:,} rows or columns",
            why=["the tables of restructured layers cannot name them"],
            hints=["--restructure off"],
        )


def _positions(layout: RegionLayout) -> dict[str, int]:
    """The row of each value made here in the table of nodes."""
    return {name: i for i, name in enumerate((*layout.region.fetch, *layout.scope.writer))}


def _outputs(layout: RegionLayout) -> Iterator[str]:
    yield layout.region.grid
    yield from (name for name in layout.scope.outputs if name != layout.region.grid)


def _piece(layout: RegionLayout, call: CallContext, node: Node, step: Step) -> PieceView:
    built = arguments(call, node)
    if built.parts:
        return _joined(layout, node, step, call.function, built)
    setting = list(_settings(call.graph, node, built.fields))
    window = built.fields.get("window")
    if isinstance(window, dict):
        window.pop("pads")
        setting.append(statement("region_window_pads"))
    if "top" in built.fields:
        setting += _start(call, node, built.fields)
    title = f"{plain_text(node.name)}: {node.op}"
    return PieceView(call.function, title, step.kernel, built, tuple(setting))


def _joined(layout: RegionLayout, node: Node, step: Step, function: str, built: Call) -> PieceView:
    """A Concat, one part at a time: all of them could be more than a core's stack."""
    made = parts_to_make(layout, node)
    kind = layout.scope.graph.values[node.output].dtype.name.lower()
    setting = (
        statement("part_read", kind),
        statement("part_write", kind),
        statement("part_entry"),
        *(
            statement("part_table", function, table)
            for table in ("multiplier", "rounding", "shift")
        ),
    )
    call = replace(
        built, fields={**built.fields, "count": "1"}, parts=tuple(built.parts[i] for i in made)
    )
    title = f"{plain_text(node.name)}: {node.op}"
    return PieceView(function if made else "0", title, step.kernel, call, setting, inputs=made)


def _start(call: CallContext, node: Node, fields: Struct) -> Iterator[Statement]:
    """Where the output begins: in the magnified input, or a Pad's before it."""
    assert call.layout is not None
    _, down, across = call.layout.rules[call.layout.scope.writer[node.output]][0]
    yield statement("region_pads")
    for field, reach in (("top", down), ("left", across)):
        del fields[field]
        yield statement("region_start", field, reach.pad if reach.up else 0)


def _settings(graph: Graph, node: Node, fields: Struct) -> Iterator[Statement]:
    """One for every tensor of the arguments."""
    names = graph.activations(node)
    for field, value in fields.items():
        if not isinstance(value, Tensor):
            continue
        kind = graph.values[value.value].dtype.name.lower()
        if value.value == node.output:
            yield statement("region_write", kind, field)
        else:
            yield statement("region_read", kind, names.index(value.value), field)


def _reads(layout: RegionLayout, node: Node) -> Iterator[ReadView]:
    position = _positions(layout)
    for name, down, across in layout.rules[layout.scope.writer[node.output]]:
        turned = 0 if down.fixed else down.mirrored().pad
        yield ReadView(_reach(down), _reach(across), turned, position.get(name, -1))


def _reach(reach: Reach) -> tuple[int, ...]:
    if reach.fixed:
        return reach.extent, 0, reach.extent, 0, 0
    return reach.extent, reach.stride, reach.span, reach.pad, int(reach.up)


def _nodes(layout: RegionLayout, pieces: Sequence[PieceView]) -> Iterator[NodeView]:
    first = 0
    for node, piece in zip(layout.scope.nodes, pieces, strict=True):
        count = len(layout.rules[layout.scope.writer[node.output]])
        extents = (layout.scope.extent(node.output, axis) for axis in (0, 1))
        place = (*extents, *_buffer(layout, node.output))
        yield NodeView(piece.function, first, count, place)
        first += count


def _buffer(layout: RegionLayout, value: str) -> tuple[int, int]:
    owner = layout.slots[value].owner
    stored = layout.stored.get(owner)
    if stored is None:
        return -1, 0
    whole = not layout.streams or stored.rows >= layout.scope.extent(owner, 0)
    return _positions(layout)[owner], 0 if whole else stored.rows
