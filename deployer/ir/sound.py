"""Is an artifact that comes from a file one that the stages could have made?"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from deployer.ir.graph import Graph, Node
from deployer.ir.operands import operand_faults
from deployer.ir.plan import MemoryPlan, Schedule, TilePlan
from deployer.ir.tiling import Tiling
from deployer.ir.types import DType, QuantParams, Value
from deployer.ir.verify import verify

_MAX_STEPS = 1_000_000  # more than any schedule has
_MAX_BYTES = 1 << 40
_MAX_ELEMENTS = 1 << 32  # of one tensor
_NUMBERS = re.compile(r"\d{1,9}(,\d{1,9})*")


def faults_of(artifact: Any) -> list[str]:
    """What is wrong with it, a line each; nothing for one that is sound."""
    for kind, view in _VIEWS.items():
        if isinstance(artifact, kind):
            found: list[str] = []
            try:
                for fault in view(artifact):
                    found.append(fault)
            except Exception as error:  # a rule may assume what another one finds wrong
                found.append(f"{type(error).__name__}: {error}")
            return found
    return []


def _graph(graph: Graph) -> Iterator[str]:
    yield from _value_faults(graph)
    verify(graph)
    yield from _meta_faults(graph)
    for node in graph.nodes:
        yield from (f"{node.name}: {fault}" for fault in _node_faults(graph, node))


def _value_faults(graph: Graph) -> Iterator[str]:
    missing = [n for n in (*graph.inputs, *graph.outputs) if n not in graph.values]
    yield from (f"no value {name!r}" for name in missing)
    if not graph.inputs or not graph.outputs or not graph.nodes:
        yield "it has no inputs, outputs or nodes"
    if set(graph.inputs) & set(graph.constants) or len(set(graph.inputs)) < len(graph.inputs):
        yield "an input that is a constant, or twice"
    for name, value in graph.values.items():
        if value.name != name:
            yield f"value {name!r} is called {value.name!r}"
        yield from (f"{name}: {fault}" for fault in _tensor_faults(value, graph.constants))
    for name, array in graph.constants.items():
        if array.dtype.kind == "f" and not bool((abs(array) < math.inf).all()):
            yield f"constant {name} holds NaN or infinity"


def _tensor_faults(value: Value, constants: Mapping[str, Any]) -> Iterator[str]:
    if any(extent < 1 for extent in value.shape) or value.elements > _MAX_ELEMENTS:
        yield f"a shape {value.shape}"
    if value.quant is not None:
        yield from _quant_faults(value.quant)
    if value.name not in constants:
        yield from _activation_faults(value)


def _quant_faults(quant: QuantParams) -> Iterator[str]:
    if quant.bits not in (8, 16) or not quant.low <= quant.zero_point <= quant.high:
        yield f"zero point {quant.zero_point} of {quant.bits} bits"
    if not quant.scale or not all(0 < scale < math.inf for scale in quant.scale):
        yield "a scale that is not positive"


def _activation_faults(value: Value) -> Iterator[str]:
    quant, integer = value.quant, value.dtype is not DType.F32
    if value.shape[:1] != (1,) or not 2 <= len(value.shape) <= 4:
        yield f"an activation of shape {value.shape}"
    if integer and quant is None:
        yield "integers without a quantization"
    if quant is not None and len(quant.scale) != 1:
        yield "an activation of several scales"
    if quant is not None and integer and value.dtype is not quant.dtype:
        yield f"{value.dtype.value} of {quant.bits} bits"


def _meta_faults(graph: Graph) -> Iterator[str]:
    """Texts that are read as numbers."""
    if not _NUMBERS.fullmatch(graph.meta.get("parameters", "0")):
        yield "parameters are no number"
    for name in graph.inputs:
        text = graph.meta.get(f"model_shape/{name}")
        if text is None:
            continue
        shape = tuple(map(int, text.split(","))) if _NUMBERS.fullmatch(text) else ()
        if math.prod(shape) != graph.values[name].elements or not shape:
            yield f"{name} has the shape {text!r} in the model"


def _node_faults(graph: Graph, node: Node) -> Iterator[str]:
    if node.stored < 0:
        yield f"{node.stored} bytes of weights"
    if graph.values[node.output].dtype is not DType.F32:
        yield from operand_faults(graph, node)


def _schedule(schedule: Schedule) -> Iterator[str]:
    yield from _graph(schedule.graph)
    if not schedule.steps:
        yield "it has no steps"
    if [step.index for step in schedule.steps] != list(range(len(schedule.steps))):
        yield "steps are not numbered in order"
    nodes = {node.name for node in schedule.graph.nodes}
    unknown = [step.node for step in schedule.steps if step.node not in nodes]
    yield from (f"a step of {name!r}, which is no node" for name in unknown)
    if any(not 0 <= step.scratch < _MAX_BYTES for step in schedule.steps):
        yield "scratch that cannot be"


def _plan(plan: MemoryPlan) -> Iterator[str]:
    ids = [placement.buffer.id for placement in plan.placements]
    if len(set(ids)) < len(ids) or len(dict(plan.heights)) < len(plan.heights):
        yield "a buffer or a memory twice"
    heights = dict(plan.heights)
    for placement in plan.placements:
        buffer = placement.buffer
        if not 0 <= buffer.lower < buffer.upper <= _MAX_STEPS or not 0 <= buffer.size < _MAX_BYTES:
            yield f"{buffer.id}: {buffer.size} bytes from step {buffer.lower} to {buffer.upper}"
        if not 0 <= placement.offset <= heights.get(placement.memory, -1) - buffer.size:
            yield f"{buffer.id}: offset {placement.offset} in {placement.memory}"
    if any(not 0 <= height < _MAX_BYTES for height in heights.values()) or plan.bound < 0:
        yield "heights that cannot be"
    places = plan.constants
    if any(not 0 <= p.bytes < _MAX_BYTES or p.misses < 0 for p in places):
        yield "constants of sizes that cannot be"
    if plan.prefetch is not None:
        yield from _prefetch_faults(plan)


def _prefetch_faults(plan: MemoryPlan) -> Iterator[str]:
    assert plan.prefetch is not None
    placed = {p.buffer.id: p.buffer for p in plan.placements}
    for fetch in plan.prefetch.fetches:
        buffer = placed.get(fetch.buffer)
        if buffer is None or buffer.size != fetch.bytes or fetch.bytes < 1:
            yield f"{fetch.node}: no room for what is fetched"
        elif not buffer.lower <= fetch.begin <= fetch.step < buffer.upper:
            yield f"{fetch.node}: fetched at step {fetch.begin} for step {fetch.step}"
        if not 0 <= fetch.source < _MAX_BYTES:
            yield f"{fetch.node}: fetched from {fetch.source}"
    if not plan.prefetch.fetches or plan.prefetch.cycles < 1:
        yield "nothing is fetched"


def _tiles(plan: TilePlan) -> Iterator[str]:
    if not plan.steps:
        yield "it has no steps"
    for step in plan.steps:
        if (
            not step.tile
            or any(side < 1 for side in step.tile)
            or not 1 <= step.count <= _MAX_STEPS
        ):
            yield f"{step.node}: {step.count} tiles of {step.tile}"
        if step.tiling is not None:
            yield from (f"{step.node}: {fault}" for fault in _tiling_faults(step.tiling))


def _tiling_faults(tiling: Tiling) -> Iterator[str]:
    for axis in (tiling.rows, tiling.columns, tiling.channels):
        sides = (axis.tile, axis.outputs, axis.inputs, axis.stride, axis.taps)
        if not all(1 <= side < _MAX_STEPS for side in sides) or not 0 <= axis.pad < axis.taps:
            yield f"an axis {axis}"
    ordered = sorted(tiling.buffers, key=lambda buffer: buffer.offset)
    names = [buffer.id for buffer in ordered]
    if not ordered or len(set(names)) < len(names):
        yield "no arrays, or one twice"
    end = 0
    for buffer in ordered:
        if buffer.offset < end or buffer.size < 1 or buffer.sides not in (1, 2):
            yield f"array {buffer.id} at {buffer.offset}"
        end = buffer.end
    if tiling.group_bytes < 0:
        yield f"{tiling.group_bytes} bytes of weights"


_VIEWS: dict[type, Callable[[Any], Iterable[str]]] = {
    Graph: _graph,
    Schedule: _schedule,
    MemoryPlan: _plan,
    TilePlan: _tiles,
}
