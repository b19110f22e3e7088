"""Do the artifacts of a job go together? Those of earlier stages may come from edited files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from deployer.allocate import violations
from deployer.analysis import lifetimes, step_nodes
from deployer.build import FAMILY as LIBRARY
from deployer.errors import UsageError
from deployer.ir import CHANNELS, Graph, MemoryPlan, Node, Schedule, Step, StepTiles
from deployer.kernelset import FALLBACK, Kernel, by_symbol, case_of
from deployer.pipeline.artifacts import ALLOCATE, GENERATE, QUANTIZE, SCHEDULE, TILE, Generated
from deployer.pipeline.edited_artifacts import edited
from deployer.pipeline.job import Job
from deployer.pipeline.kernel_set import library_in
from deployer.pipeline.store import STAGES, Store
from deployer.schedule import needs_no_kernel, region_scratch
from deployer.tile import buffers_of, room_of, tiled_layer, tiling_of

_MAX_SHOWN = 8  # faults
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def require_consistent(job: Job, store: Store, first: str) -> None:
    """The stages before ``first``, which come from files, are what they could have made of one
    another. Raises UsageError naming the stage to run again."""
    for name, check in _CHECKS.items():
        if STAGES.index(name) < STAGES.index(first):
            with edited(store, first, first):
                wrong = list(check(job, store))
            _refuse(store, name, wrong)


def require_own_sources(store: Store, wanted: Generated) -> None:
    """C that was edited by hand proves nothing of the plans. Comments may differ: they name
    options."""
    found = store.get(GENERATE)
    wrong = [f"no {name}" for name in wanted.files.keys() - found.files.keys()]
    for name, content in found.files.items():
        if _code(content) != _code(wanted.files.get(name, "")):
            wrong.append(f"{name} is not what the plans give")
    _refuse(store, GENERATE, wrong)


def _code(content: str) -> str:
    return _COMMENT.sub("", content)


def _refuse(store: Store, name: str, wrong: list[str]) -> None:
    if wrong:
        raise UsageError(
            f"{store.path(name)} does not go with the stages before it",
            why=wrong[:_MAX_SHOWN],
            hints=[f"run from stage {name} again: --from {name}"],
        )


def _schedule_faults(job: Job, store: Store) -> Iterator[str]:
    schedule = store.get(SCHEDULE)
    graph: Graph = schedule.graph
    if [step.node for step in schedule.steps] != [node.name for node in step_nodes(graph)]:
        yield "its steps are not the nodes of its graph, in order"
        return
    yield from _other_network(store.get(QUANTIZE).graph, graph)
    nodes = {node.name: node for node in graph.nodes}
    cases = _Cases(job, graph)
    for step in schedule.steps:
        faults = _step_faults(cases, nodes[step.node], step)
        yield from (f"{step.node}: {fault}" for fault in faults)


def _other_network(before: Graph, after: Graph) -> Iterator[str]:
    """Inputs and outputs are those of the quantized network."""
    for key in ("inputs", "outputs"):
        names = getattr(before, key)
        if names != getattr(after, key):
            yield f"{key} are {getattr(after, key)}, not {names}"
            return
        for name in names:
            if before.values[name] != after.values[name]:
                yield f"{name} is not as it was quantized"


class _Cases:
    """What the steps of ``graph`` may be on the board of ``job``."""

    def __init__(self, job: Job, graph: Graph):
        self.graph = graph
        self.families = [*job.target.kernels, FALLBACK]
        if library_in(job.options):
            self.families.insert(0, LIBRARY)
        self.room = room_of(job.target)
        self.modes = {name: region.mode for region in graph.regions for name in region.nodes}
        self.pieces = region_scratch(self.families, graph)

    def scratch(self, node: Node, kernel: Kernel) -> int:
        """Bytes in the arena that it needs at least."""
        if node.name in self.pieces:
            return self.pieces[node.name]
        if tiled_layer(self.graph, node, kernel.symbol, self.room):
            return 0
        return kernel.scratch(case_of(self.graph, node))


def _step_faults(cases: _Cases, node: Node, step: Step) -> Iterator[str]:
    if not step.kernel:
        if not needs_no_kernel(cases.graph, node):
            yield "it has no kernel"
        return
    try:
        kernel = by_symbol(step.kernel)
    except UsageError as error:
        yield error.what
        return
    yield from _kernel_faults(cases, node, step, kernel)
    if node.kernel and node.kernel != step.kernel:
        yield f"it is to be computed by {node.kernel}, not {step.kernel}"


def _kernel_faults(cases: _Cases, node: Node, step: Step, kernel: Kernel) -> Iterator[str]:
    mode = cases.modes.get(node.name)
    if kernel.family not in cases.families:
        yield f"{step.kernel} is not for this board"
    elif not kernel.takes(case_of(cases.graph, node)):
        yield f"{step.kernel} does not compute {node.op} as it is there"
    elif (mode and kernel.contiguous) or (mode == CHANNELS and kernel.weight_layout):
        yield f"{step.kernel} does not compute pieces"
    elif step.scratch < cases.scratch(node, kernel):
        yield f"{step.scratch} bytes of scratch are too few"


def _plan_faults(job: Job, store: Store) -> Iterator[str]:
    schedule, plan = store.get(SCHEDULE), store.get(ALLOCATE)
    scratch = {step.node: step.scratch for step in schedule.steps}
    buffers = list(lifetimes(schedule.graph, scratch))
    if plan.prefetch is not None:
        yield from _prefetch_faults(schedule, plan, job)
        wanted = {fetch.buffer for fetch in plan.prefetch.fetches}
        buffers += [p.buffer for p in plan.placements if p.buffer.id in wanted]
    yield from _spill_faults(schedule, plan, job)
    yield from violations(plan, buffers=buffers)
    arenas = job.board.place.arena
    yield from (f"{name} holds no arena" for name, _ in plan.heights if name not in arenas)
    known = {memory.name for memory in job.board.memories}
    for place in plan.constants:
        if place.memory not in known or place.home not in known:
            yield f"{place.name} lies in {place.memory}, its image in {place.home}"


def _prefetch_faults(schedule: Schedule, plan: MemoryPlan, job: Job) -> Iterator[str]:
    assert plan.prefetch is not None
    steps = {step.node: step.index for step in schedule.steps}
    if plan.prefetch.memory not in {memory.name for memory in job.board.memories}:
        yield f"weights are fetched from {plan.prefetch.memory}, which the board lacks"
    for fetch in plan.prefetch.fetches:
        if steps.get(fetch.node) != fetch.step:
            yield f"weights of {fetch.node} are fetched for step {fetch.step}"


def _spill_faults(schedule: Schedule, plan: MemoryPlan, job: Job) -> Iterator[str]:
    """Places of spilled values that a plan from a file lacks, or has nowhere."""
    there = plan.spills.offsets if plan.spills else {}
    yield from (f"no place for {name}" for name in sorted(schedule.graph.spilled - there.keys()))
    if plan.spills is None:
        return
    sizes = {memory.name: memory.size for memory in job.board.memories}
    for spill in plan.spills.spills:
        if not 0 <= spill.offset <= sizes.get(plan.spills.memory, -1) - spill.bytes:
            yield f"{spill.value} at {spill.offset} of {plan.spills.memory}"
        elif spill.value in schedule.graph.spilled:
            wanted = schedule.graph.values[spill.value].bytes
            yield from [f"{spill.value} has {spill.bytes} bytes"] * (spill.bytes != wanted)


def _tile_faults(job: Job, store: Store) -> Iterator[str]:
    schedule = store.get(SCHEDULE)
    plan = store.get(TILE)
    if [cut.node for cut in plan.steps] != [step.node for step in schedule.steps]:
        yield "its steps are not those of the schedule, in order"
        return
    for step, cut in zip(schedule.steps, plan.steps, strict=True):
        yield from (f"{cut.node}: {fault}" for fault in _cut_faults(job, schedule, step, cut))


def _cut_faults(job: Job, schedule: Schedule, step: Step, cut: StepTiles) -> Iterator[str]:
    """Tiles as the tiler could have cut them: of its axes only the length is a choice."""
    tiling, room = cut.tiling, room_of(job.target)
    if tiling is None:
        return
    node = next(node for node in schedule.graph.nodes if node.name == step.node)
    layer = tiled_layer(schedule.graph, node, step.kernel, room)
    if layer is None or room is None:
        yield "it cannot be cut into tiles on this board"
        return
    layer = replace(layer, serial=tiling.serial)
    axes = tiling.rows, tiling.columns, tiling.channels
    makers = layer.rows, layer.columns, layer.channels
    if axes != tuple(make(axis.tile) for make, axis in zip(makers, axes, strict=True)):
        yield "its axes are not those of the layer"
        return
    made = tiling_of(layer, room, axes, tiling.channels_inner, tiling.costs)
    facts = ("sliced", "group_bytes", "memory", "unit", "depth", "border_padding", "serial")
    differ = [name for name in facts if getattr(tiling, name) != getattr(made, name)]
    if differ or cut.count != tiling.count:
        yield "its tiles are not those of the layer"
    if cut.tile != (1, *(axis.tile for axis in axes)) or tiling.end > room.size:
        yield f"tiles {cut.tile} of {tiling.end} bytes"
    needed = {b.id: b for b in buffers_of(layer, axes, channels_inner=tiling.channels_inner)}
    for buffer in tiling.buffers:
        wanted = needed.pop(buffer.id, None)
        if wanted is None or (buffer.size, buffer.sides) != (wanted.size, wanted.sides):
            yield f"an array {buffer.id} of {buffer.sides} x {buffer.size} bytes"
    yield from (f"no array {name}" for name in needed)


_CHECKS: dict[str, Callable[[Job, Store], Iterator[str]]] = {
    SCHEDULE: _schedule_faults,
    ALLOCATE: _plan_faults,
    TILE: _tile_faults,
}
