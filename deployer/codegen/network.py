"""Generate network.c, network.h, weights.c and weights.h from the plans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from deployer.analysis import ChannelLayout, Launch, Pieces, RegionLayout, launches, layout_of
from deployer.codegen.arguments import arguments
from deployer.codegen.call import CallContext
from deployer.codegen.check import ConstantsView, constants_views, fetched_view
from deployer.codegen.constants import (
    Constants,
    array_names,
    arrays_in_groups,
)
from deployer.codegen.fetches import fetch_views, outer_image, outer_note
from deployer.codegen.layout import Arena, ArenaMap, tile_array
from deployer.codegen.names import network_cname, plain_text, unique_names
from deployer.codegen.region import HEADER, SOURCES, region_view
from deployer.codegen.region_channels import (
    HEADERS,
    SOURCE,
    channel_view,
    kernels_in_groups,
)
from deployer.codegen.region_facts import region_note
from deployer.codegen.small_steps import is_small
from deployer.codegen.statement import Term
from deployer.codegen.templates import rendered
from deployer.codegen.tiles import HEADER as TILES
from deployer.codegen.tiles import SOURCES as TILES_SOURCES
from deployer.codegen.tiles import tiles_view
from deployer.codegen.views import IoView, MoveView, NetworkView, RowsView, StepView
from deployer.ir import (
    DType,
    Graph,
    MemoryPlan,
    Node,
    Schedule,
    SliceAttrs,
    TilePlan,
    Tiling,
    Value,
    copies_nothing,
    scope_of,
)
from deployer.kernelset import Kernel, alignment_of, by_symbol
from deployer.schedule import channel_layouts, step_arrays, weight_layout

TEMPLATES = ("network.h", "network.c", "weights.h", "weights.c")
WHOLE = TilePlan(())
SPILLS = "dpl/spill.h"


def generate(
    schedule: Schedule,
    plan: MemoryPlan,
    *,
    version: str,
    options: tuple[str, ...],
    tiles: TilePlan = WHOLE,
    threads: int = 1,
) -> dict[str, str]:
    """File name to text. The same inputs give the same bytes. Steps that ``tiles`` does not name
    run as a whole. ``threads``: those of an operating system that share steps, but small ones."""
    view = network_view(
        schedule, plan, version=version, options=options, tiles=tiles, threads=threads
    )
    return {name: rendered(f"{name}.j2", net=view) for name in TEMPLATES}


def network_view(
    schedule: Schedule,
    plan: MemoryPlan,
    *,
    version: str,
    options: tuple[str, ...],
    tiles: TilePlan = WHOLE,
    cname: str = "",
    threads: int = 1,
) -> NetworkView:
    """``cname``: what every symbol begins with, "" for the name of the graph."""
    graph, cname = schedule.graph, cname or network_cname(schedule.graph)
    arena = ArenaMap(graph, plan, cname)
    tilings = {step.node: step.tiling for step in tiles.steps if step.tiling}
    names = array_names(schedule, cname)
    copied = {place.name: place.memory for place in plan.constants if place.copied}
    sources = Constants(names, copied)
    views = (
        replace(
            _step(graph, arena, sources, each, tilings),
            alone=threads > 1 and is_small(graph, each),
        )
        for each in launches(schedule)
    )
    steps = _sharing_arguments(_sharing_parts(_prefetching(_without_repeats(views))))
    return NetworkView(
        cname=cname,
        macro=cname.upper(),
        model=plain_text(graph.name),
        sha256=graph.meta.get("model_sha256", "unknown"),
        version=version,
        options=options,
        headers=_headers(schedule, tiled=bool(tilings)),
        arenas=(*arena.arenas, *_tile_arrays(tiles, cname)),
        arena_bytes=plan.arena,
        inputs=tuple(_ios(graph, arena, graph.inputs)),
        outputs=tuple(_ios(graph, arena, graph.outputs)),
        steps=steps,
        fetches=tuple(fetch_views(schedule, arena)),
        outer=outer_note(schedule, plan),
        constants=tuple(_constants(cname, steps, schedule, plan)),
        threads=threads,
    )


def _constants(
    cname: str, steps: Iterable[StepView], schedule: Schedule, plan: MemoryPlan
) -> Iterator[ConstantsView]:
    yield from constants_views(cname, (array for step in steps for array in step.arrays))
    if plan.prefetch is not None:
        yield fetched_view(plan.prefetch.memory, outer_image(schedule, plan))


def _tile_arrays(tiles: TilePlan, cname: str) -> Iterator[Arena]:
    for memory, size in tiles.heights.items():
        yield Arena(memory, tile_array(cname, memory), size)


def kernel_sources(schedule: Schedule, tiles: TilePlan = WHOLE) -> tuple[str, ...]:
    """The kernel files a network needs, those that run regions and tiles among them, relative to
    the data root, sorted."""
    kernels: list[Kernel] = [by_symbol(step.kernel) for step in schedule.steps if step.kernel]
    layouts = channel_layouts(schedule.graph)
    kernels += [by_symbol(name) for layout in layouts for name in kernels_in_groups(layout)]
    pieces = len(layouts) < len(schedule.graph.regions)
    tiled = any(step.tiling for step in tiles.steps)
    runtime = (
        *(SOURCES if pieces else ()),
        *([SOURCE] if layouts else ()),
        *(TILES_SOURCES if tiled else ()),
    )
    return tuple(sorted({*runtime, *(name for kernel in kernels for name in kernel.sources)}))


def _headers(schedule: Schedule, *, tiled: bool) -> tuple[str, ...]:
    found = {by_symbol(step.kernel).header for step in schedule.steps if step.kernel}
    found |= {SPILLS} if schedule.graph.spilled else set()
    return tuple(sorted({*found, *_region_headers(schedule.graph), *([TILES] if tiled else [])}))


def _region_headers(graph: Graph) -> Iterator[str]:
    layouts = channel_layouts(graph)
    yield from [HEADER] if len(layouts) < len(graph.regions) else ()
    yield from HEADERS if layouts else ()


def _without_repeats(steps: Iterable[StepView]) -> tuple[StepView, ...]:
    """A constant that several steps share is written with the first of them."""
    written: set[str] = set()
    views = []
    for step in steps:
        views.append(replace(step, arrays=tuple(a for a in step.arrays if a.name not in written)))
        written.update(array.name for array in step.arrays)
    return tuple(views)


def _prefetching(steps: tuple[StepView, ...]) -> tuple[StepView, ...]:
    """Each step in tiles with the name of the one whose constants it fetches."""
    names, complete, found = "", False, []
    for step in reversed(steps):
        if step.tiles is not None:
            chained = int(complete and bool(step.tiles.late) and not step.tiles.serial)
            found.append(replace(step, tiles=replace(step.tiles, next=names, chained=chained)))
            names = f"{step.function}_tiling" if step.tiles.prefetched else ""
            complete = step.tiles.complete
        else:
            found.append(step)
    return tuple(reversed(found))


def _sharing_parts(steps: tuple[StepView, ...]) -> tuple[StepView, ...]:
    """Steps in tiles with the names of their parts, each written with the first that has it."""
    written: dict[str, str] = {}
    found = []
    for step in steps:
        if step.tiles is not None:
            names = {}
            for kind, content in step.tiles.parts.items():
                names[kind] = written.setdefault(f"{kind} {content!r}", f"{step.function}_{kind}")
            own = frozenset(
                kind for kind, name in names.items() if name == f"{step.function}_{kind}"
            )
            step = replace(step, tiles=replace(step.tiles, names=names, own=own))
        found.append(step)
    return tuple(found)


def _sharing_arguments(steps: tuple[StepView, ...]) -> tuple[StepView, ...]:
    """Steps that call a kernel with the arguments of an earlier step, as alike steps of a
    recurrence in the same places do, with its name."""
    first: dict[str, str] = {}
    found = []
    for step in steps:
        if step.struct:
            function = first.setdefault(repr((step.struct, step.args, step.parts)), step.function)
            step = replace(step, arguments="" if function == step.function else function)
        found.append(step)
    return tuple(found)


def _step(
    graph: Graph,
    arena: ArenaMap,
    sources: Constants,
    launch: Launch,
    tilings: Mapping[str, Tiling],
) -> StepView:
    nodes = {node.name: node for node in graph.nodes}
    own = [nodes[step.node] for step in launch.steps]
    read, written = _whole(graph, launch, own)
    address, runs = _shown(graph, arena, own[-1])
    layout = layout_of(graph, launch.region) if launch.region else None
    arrays = _arrays(graph, launch, own, layout)
    fetched = {arena.prefetched[node.name].array for node in own if node.name in arena.prefetched}
    aligned = alignment_of([by_symbol(step.kernel).family for step in launch.steps if step.kernel])
    view = StepView(
        index=launch.index,
        name=plain_text(graph.producer[launch.output].name),
        title=region_note(layout.region) if layout else "",
        reads=", ".join([*map(arena.range_text, read), *_by_rows(launch)]),
        writes=", ".join(map(arena.range_text, written)),
        function=f"step_{launch.index}",
        output=address,
        runs=runs,
        arrays=tuple(
            sources.packed(key, array, aligned)
            for key, array in arrays.items()
            if key not in fetched
        ),
    )
    read_by = partial(sources.read_by, graph)
    steps = zip(own, launch.steps, _functions(launch, view.function), strict=True)
    calls = [
        CallContext(graph, arena, read_by(node, weight_layout(step)), step, name, layout)
        for node, step, name in steps
    ]
    if layout is None:
        return _single(view, calls[0], own[0], tilings.get(own[0].name))
    if isinstance(layout, ChannelLayout):
        return replace(view, channels=channel_view(layout, launch.steps, calls))
    return replace(view, region=region_view(layout, launch.steps, calls))


def _shown(graph: Graph, arena: ArenaMap, node: Node) -> tuple[Term, Pieces]:
    """Where the output of ``node``, the last of a launch, can be read: what is spilled where it
    still lies, and nothing of what has been for long."""
    if node.output not in graph.spilled:
        return arena.address(node.output), arena.pieces(node.output)
    if isinstance(node.attrs, SliceAttrs):
        return arena.address(node.first), arena.pieces(node.first)
    return "0", Pieces(0, 0, 0)


def _functions(launch: Launch, function: str) -> Iterator[str]:
    """What the C names of each step of a launch begin with."""
    yield from (f"{function}_{i}" if launch.region else function for i in range(len(launch.steps)))


def _arrays(
    graph: Graph, launch: Launch, nodes: Sequence[Node], layout: RegionLayout | None
) -> dict[str, np.ndarray]:
    """The constants a launch reads."""
    if isinstance(layout, ChannelLayout):
        return dict(arrays_in_groups(layout))
    found: dict[str, np.ndarray] = {}
    for node, step in zip(nodes, launch.steps, strict=True):
        if not copies_nothing(graph, node):
            found.update(step_arrays(graph, node, weight_layout(step)))
    return found


def _single(view: StepView, call: CallContext, node: Node, tiling: Tiling | None) -> StepView:
    if not call.graph.outside.isdisjoint((node.first, node.output)):
        return _moved(view, call, node)
    if not call.step.kernel:
        return replace(view, title=f"{_title(call.graph, node)}; in its place")
    if tiling is not None:
        title = f"{_title(call.graph, node)}; {call.step.kernel} in tiles"
        array = tile_array(call.arena.prefix, tiling.memory)
        return replace(view, title=title, tiles=tiles_view(call, node, tiling, array))
    built = arguments(call, node)
    return replace(
        view,
        title=f"{_title(call.graph, node)}; {call.step.kernel}",
        kernel=call.step.kernel,
        struct=built.struct,
        args=built.fields,
        parts=built.parts,
        part=built.part,
    )


def _moved(view: StepView, call: CallContext, node: Node) -> StepView:
    """What comes from outside of the arena or goes there, or lies there."""
    graph, name = call.graph, plain_text(node.first)
    if not isinstance(node.attrs, SliceAttrs):
        return replace(view, title=f"{_title(graph, node)}; where its parts are")
    if node.first in graph.by_rows:
        return replace(view, title=f"rows of {name}", rows=rows_view(graph, call.arena, node))
    what = "spills" if node.output in graph.spilled else "reloads rows of"
    return replace(view, title=f"{what} {name}", move=move_view(graph, call.arena, node))


def _by_rows(launch: Launch) -> Iterator[str]:
    fetched = launch.region.fetch if launch.region else ()
    yield from (f"rows of {plain_text(name)}" for name in fetched)


def rows_view(graph: Graph, arena: ArenaMap, node: Node) -> RowsView:
    """Of a Slice whose rows arrive."""
    name, rows = node.inputs[0], node.attrs
    return RowsView(
        input=graph.inputs.index(name),
        first=rows.begin[1],
        count=rows.end[1] - rows.begin[1],
        row_bytes=graph.values[name].bytes // graph.values[name].shape[1],
        into=arena.address(node.output),
    )


def move_view(graph: Graph, arena: ArenaMap, node: Node) -> MoveView:
    """Of a Slice that writes to the outer memory or reads it."""
    rows = graph.values[node.first].bytes // graph.values[node.first].shape[1]
    skipped, size = node.attrs.begin[1] * rows, graph.values[node.output].bytes
    if node.output in graph.spilled:
        inner = arena.address(node.first, skipped)
        return MoveView("dpl_spill", arena.spilled(node.output), inner, size)
    outer = arena.spilled(node.first) + skipped
    return MoveView("dpl_reload", outer, arena.address(node.output), size)


def _whole(
    graph: Graph, launch: Launch, nodes: Sequence[Node]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The whole tensors a launch reads and writes."""
    if launch.region is None:
        there = (name for name in graph.activations(nodes[0]) if name not in graph.outside)
        written = () if launch.output in graph.spilled else (launch.output,)
        return tuple(there), written
    scope = scope_of(graph, launch.region)
    resident = (name for name in scope.inputs if name not in launch.region.fetch)
    return tuple(resident), scope.outputs


def _title(graph: Graph, node: Node) -> str:
    shapes = graph.shapes(graph.activations(node))
    source = ", ".join(dict.fromkeys(shape_text(shape) for shape in shapes))
    target = shape_text(graph.values[node.output].shape)
    window = getattr(node.attrs, "window", None)
    kernel = f", {window.kernel[0]}x{window.kernel[1]}" if window else ""
    return f"{node.op} {source} -> {target}{kernel}"


def shape_text(shape: tuple[int, ...]) -> str:
    """``(1, 32, 32, 3)`` to ``"32x32x3"``: the batch of one is left out."""
    return "x".join(str(extent) for extent in shape[1:])


def _ios(graph: Graph, arena: ArenaMap, names: tuple[str, ...]) -> Iterator[IoView]:
    macros = unique_names(names)
    for name in names:
        value = graph.values[name]
        yield IoView(
            name=plain_text(name),
            macro=macros[name].upper(),
            address="0" if name in graph.by_rows else arena.address(name),
            bytes=value.bytes,
            element_bytes=value.dtype.bytes,
            scale=_float_text(value.step),
            zero_point=value.zero_point,
            shape=_io_text(value),
        )


def _io_text(value: Value) -> str:
    """The shape, and the element type where it is not the usual int8."""
    shape = shape_text(value.shape)
    return shape if value.dtype is DType.S8 else f"{shape} {value.dtype.value}"


def _float_text(number: float) -> str:
    text = f"{number:.9g}"
    return f"{text}f" if "." in text or "e" in text else f"{text}.0f"
