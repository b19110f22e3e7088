"""Tables and functions of a region: what kernels/include/dpl/region.h runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from deployer.analysis.regions import RegionLayout
from deployer.analysis.spatial import Reach
from deployer.codegen.arguments import arguments
from deployer.codegen.call import Call, CallContext, Struct, Tensor
from deployer.codegen.layout import ArenaMap
from deployer.codegen.names import plain_text
from deployer.codegen.region_parts import parts_to_make
from deployer.errors import ModelError
from deployer.ir.graph import Graph, Node
from deployer.ir.plan import Step

SOURCES = tuple(
    f"kernels/runtime/region_{part}.c"
    for part in ("need", "boxes", "call", "fetch", "patch", "stream")
)
HEADER = "dpl/region.h"
_LARGEST = 32767  # rows or columns: the tables have int16


@dataclass(frozen=True)
class PieceView:
    """One kernel of a region: its arguments but for the windows, and the lines that set those.

    ``inputs``: of a Concat, those that are not in their place yet. Without any there is no
    ``function`` to call: the name is "0".
    """

    function: str
    title: str
    kernel: str
    call: Call
    setting: tuple[str, ...]
    inputs: str = ""


@dataclass(frozen=True)
class FetchView:
    """An input that arrives by rows: its number, where its ring lies."""

    function: str
    name: str
    input: int
    row_bytes: int
    address: str


@dataclass(frozen=True)
class RegionView:
    """A region's table; rows are initializers without their braces."""

    runtime: str
    fetches: tuple[FetchView, ...]
    pieces: tuple[PieceView, ...]
    reads: tuple[str, ...]
    nodes: tuple[str, ...]
    outputs: str
    rows: str
    columns: str
    row_pieces: int
    column_pieces: int
    chunk: int
    reverse: int
    buffers: tuple[tuple[str, int], ...]

    @property
    def count(self) -> int:
        return len(self.nodes)

    @property
    def output_count(self) -> int:
        return self.outputs.count(",") + 1


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
        runtime="stream" if layout.streams else "patch",
        fetches=fetches,
        pieces=pieces,
        reads=tuple(row for node in layout.scope.nodes for row in _reads(layout, node)),
        nodes=(*_sources(layout, fetches), *_nodes(layout, pieces, prefix)),
        outputs=", ".join(str(position[name]) for name in _outputs(layout)),
        rows=_numbers(region.rows),
        columns=_numbers(region.columns),
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


def _sources(layout: RegionLayout, fetches: Sequence[FetchView]) -> Iterator[str]:
    """Inputs that arrive by rows: nodes that read nothing, their buffers as wide as the input."""
    for name, fetch in zip(layout.region.fetch, fetches, strict=True):
        extents = (layout.scope.extent(name, axis) for axis in (0, 1))
        place = ", ".join(map(str, (*extents, -1, _buffer(layout, name)[1])))
        yield f"{fetch.function}, 0, 0, {place}"


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
    setting = list(_settings(call.graph, node, built.fields, "a"))
    window = built.fields.get("window")
    if isinstance(window, dict):
        window.pop("pads")
        setting.append("a.window.pads = dpl_region_pads(call);")
    if "top" in built.fields:
        setting += _start(call, node, built.fields)
    title = f"{plain_text(node.name)}: {node.op}"
    return PieceView(call.function, title, step.kernel, built, tuple(setting))


def _joined(layout: RegionLayout, node: Node, step: Step, function: str, built: Call) -> PieceView:
    """A Concat, one part at a time: all of them could be more than a core's stack."""
    made = parts_to_make(layout, node)
    kind = layout.scope.graph.values[node.output].dtype.name.lower()
    setting = (
        f"dpl_region_read_{kind}(call, inputs[i], &part.input);",
        f"dpl_region_write_{kind}(call, &part.output);",
        "const int32_t entry = inputs[i] * a.requant.channel_step;",
        *(
            f"a.requant.{table} = {function}_args.requant.{table} + entry;"
            for table in ("multiplier", "rounding", "shift")
        ),
    )
    call = replace(
        built, fields={**built.fields, "count": "1"}, parts=tuple(built.parts[i] for i in made)
    )
    title = f"{plain_text(node.name)}: {node.op}"
    return PieceView(
        function if made else "0", title, step.kernel, call, setting, inputs=_numbers(made)
    )


def _start(call: CallContext, node: Node, fields: Struct) -> Iterator[str]:
    """Where the output begins: in the magnified input, or a Pad's before it."""
    assert call.layout is not None
    _, down, across = call.layout.rules[call.layout.scope.writer[node.output]][0]
    yield "const dpl_pads pads = dpl_region_pads(call);"
    for field, reach in (("top", down), ("left", across)):
        del fields[field]
        cropped = f" - {reach.pad}" if reach.up and reach.pad else ""
        yield f"a.{field} = pads.{field}{cropped};"


def _settings(graph: Graph, node: Node, fields: Struct, where: str) -> Iterator[str]:
    """A line for every tensor of the struct ``where``."""
    names = graph.activations(node)
    for field, value in fields.items():
        if not isinstance(value, Tensor):
            continue
        kind, place = graph.values[value.value].dtype.name.lower(), f"&{where}.{field}"
        if value.value == node.output:
            yield f"dpl_region_write_{kind}(call, {place});"
        else:
            yield f"dpl_region_read_{kind}(call, {names.index(value.value)}, {place});"


def _reads(layout: RegionLayout, node: Node) -> Iterator[str]:
    """extent, stride, span, pad, up of rows and of columns; the rows' pad from the other end; the
    maker."""
    position = _positions(layout)
    for name, down, across in layout.rules[layout.scope.writer[node.output]]:
        turned = 0 if down.fixed else down.mirrored().pad
        yield f"{_reach(down)}, {_reach(across)}, {turned}, {position.get(name, -1)}"


def _reach(reach: Reach) -> str:
    if reach.fixed:
        return f"{{{reach.extent}, 0, {reach.extent}, 0, 0}}"
    numbers = reach.extent, reach.stride, reach.span, reach.pad, int(reach.up)
    return f"{{{', '.join(map(str, numbers))}}}"


def _nodes(layout: RegionLayout, pieces: Sequence[PieceView], prefix: str) -> Iterator[str]:
    """Function, reads and how many, height, width, owner of the buffer, rows of the ring."""
    first = 0
    for node, piece in zip(layout.scope.nodes, pieces, strict=True):
        count = len(layout.rules[layout.scope.writer[node.output]])
        extents = (layout.scope.extent(node.output, axis) for axis in (0, 1))
        place = ", ".join(map(str, (*extents, *_buffer(layout, node.output))))
        yield f"{piece.function}, {prefix}_reads + {first}, {count}, {place}"
        first += count


def _buffer(layout: RegionLayout, value: str) -> tuple[int, int]:
    owner = layout.slots[value].owner
    stored = layout.stored.get(owner)
    if stored is None:
        return -1, 0
    whole = not layout.streams or stored.rows >= layout.scope.extent(owner, 0)
    return _positions(layout)[owner], 0 if whole else stored.rows


def _numbers(points: Sequence[int]) -> str:
    return ", ".join(map(str, points))
