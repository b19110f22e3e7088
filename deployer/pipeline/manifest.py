"""The manifest of a bundle: every fact the rig and the report need (docs/bundle.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from deployer.analysis import Launch, launches, node_macs, node_weight_bytes
from deployer.build import COMMON_FLAGS, ImageSize, Tools
from deployer.bundle import sha256
from deployer.bundle_facts import (
    CopiedFacts,
    FetchedFacts,
    LaunchRow,
    MemoryFacts,
    ModelFacts,
    OptionFacts,
    PlannedManifest,
    SpilledFacts,
    StepRow,
    TensorFacts,
    WaitFacts,
)
from deployer.choices import EffortName
from deployer.codegen import network_cname, plain_text, region_function, region_title
from deployer.ir import Graph, MemoryPlan, Node, Schedule, SliceAttrs, Step, TilePlan
from deployer.kernelset import WeightLayout
from deployer.pipeline.artifacts import Quantized
from deployer.pipeline.facts import QuantFacts
from deployer.pipeline.job import Job
from deployer.pipeline.kernel_set import library_in
from deployer.pipeline.plan_facts import (
    inference_facts,
    launch_macs,
    restructure_facts,
    share_facts,
    tiling_facts,
)
from deployer.pipeline.tuned import digest
from deployer.plan import constant_bytes, copy_memory, input_bytes, spill_buffers
from deployer.schedule import weight_layout
from deployer.units import FigureKind


def make_manifest(
    job: Job,
    schedule: Schedule,
    plan: MemoryPlan,
    tiles: TilePlan,
    quantized: Quantized,
    size: ImageSize,
    tools: Tools,
) -> PlannedManifest:
    """Everything but the id, the firmware's name and the file hashes. The model's figures are those
    of the network, whatever the plan computes twice."""
    graph = schedule.graph
    return {
        "board": job.board.name,
        "target": job.target.name,
        "port": job.target.port,
        "core": job.target.core,
        "clock_hz": job.target.clock_hz,
        "cores": job.target.cores,
        "model": model_facts(quantized.graph),
        "options": _options(job, quantized.report),
        "toolchain": {
            "compiler": tools.version,
            "flags": [*COMMON_FLAGS, *job.target.toolchain.cflags],
        },
        "inputs": [_io(graph, name) for name in graph.inputs],
        "outputs": [_io(graph, name) for name in graph.outputs],
        "softmax_on_host": graph.meta.get("softmax_on_host") == "true",
        "steps": step_rows(schedule, plan, tiles),
        "memory": memory_facts(job, graph, plan, size),
        "inference": inference_facts(graph, tiles, job.board),
        "restructured": restructure_facts(schedule, plan, job.board),
        "shared": share_facts(schedule, plan),
        "runners": {name: dict(table) for name, table in _runners(job).items()},
    }


def model_facts(graph: Graph) -> ModelFacts:
    return {
        "name": graph.name,
        "cname": network_cname(graph),
        "file": graph.meta.get("model_file", ""),
        "sha256": graph.meta.get("model_sha256", ""),
        "parameters": int(graph.meta.get("parameters", 0)),
        "macs": sum(node_macs(graph, node) for node in graph.nodes),
    }


def memory_facts(job: Job, graph: Graph, plan: MemoryPlan, size: ImageSize) -> MemoryFacts:
    """Bytes of the image. A hosted one has no sections for weights, arena and the harness's copy of
    the inputs: they are taken out of code and static data by their planned sizes."""
    board, copied = job.board, input_bytes(graph)
    if not job.target.linker:
        weights = constant_bytes(graph, job.target.kernels)
        static = size.static - plan.arena - copied
        size = replace(size, code=size.code - weights, weights=weights, static=static)
    return {
        "arena": plan.arena,
        "arena_by_memory": dict(plan.heights),
        "bound": plan.bound,
        "status": plan.status,
        "solver": plan.solver,
        "waits": wait_facts(plan),
        "weights": size.weights,
        "code": size.code,
        "static": size.static,
        "stack": board.stack_bytes,
        "copied_weights": copied_facts(plan),
        "streamed": prefetch_facts(plan),
        "spilled": spill_facts(graph, plan),
        "input_copy": copied,
        "input_copy_in": copy_memory(graph, plan.heights, board),
        "limits": {memory.name: memory.size for memory in board.memories},
    }


def wait_facts(plan: MemoryPlan) -> WaitFacts | None:
    """Estimated cycles, None where the board states no costs of its memories."""
    if plan.waits is None:
        return None
    waits = plan.waits
    return {"cycles": waits.cycles, "lowest": waits.lowest, "proven": waits.proven}


def copied_facts(plan: MemoryPlan) -> CopiedFacts | None:
    """Constants that start-up copies, None when there are none. Cycles are estimates."""
    places = [place for place in plan.constants if place.copied]
    if not places:
        return None
    return {
        "by_memory": plan.copies,
        "arrays": len(places),
        "saves": sum(place.saves for place in places),
        "misses_left": sum(p.misses for p in plan.constants if not p.copied),
        "kind": FigureKind.ESTIMATED,
    }


def prefetch_facts(plan: MemoryPlan) -> FetchedFacts | None:
    """Weights that are fetched in every inference, None when there are none. Cycles are
    estimates."""
    if plan.prefetch is None:
        return None
    return {
        "memory": plan.prefetch.memory,
        "bytes": plan.prefetch.bytes,
        "fetches": len(plan.prefetch.fetches),
        "resident": plan.prefetch.resident,
        "stalls": dict(plan.prefetch.stalls),
        "stalled": plan.prefetch.stalled,
        "cycles": plan.prefetch.cycles,
        "kind": FigureKind.ESTIMATED,
    }


def spill_facts(graph: Graph, plan: MemoryPlan) -> SpilledFacts | None:
    """Activations that are spilled in every inference, None when there are none."""
    if plan.spills is None:
        return None
    moves = (node for node in graph.nodes if isinstance(node.attrs, SliceAttrs))
    moved = [
        graph.values[node.output].bytes
        for node in moves
        if not graph.spilled.isdisjoint((node.first, node.output))
    ]
    return {
        "memory": plan.spills.memory,
        "bytes": plan.spills.bytes,
        "values": sum(1 for _ in spill_buffers(graph)),
        "moved": sum(moved),
    }


def _options(job: Job, quant_report: QuantFacts) -> OptionFacts:
    options, library = job.options, library_in(job.options)
    facts: OptionFacts = {
        "scheme": options.scheme,
        "requant": options.requant,
        "bits": options.bits,
        "bits_of": dict(options.bits_of),
        "mixed": str(options.mixed) if options.mixed else None,
        "softmax": options.softmax,
        "seed": options.seed,
        "calibration": {**quant_report["calibration"]},
        "restructure": options.restructure,
        "ram": options.ram,
        "flash": options.flash,
        "kernel_code": options.kernel_code,
        "optimize": options.optimize,
        "stream_input": options.stream_input,
        "share": options.share,
        "choose": options.choose,
        "place": options.place,
        "hot_code": options.hot_code,
        "tiler": options.tiler,
        "kernels": options.kernels,
    }
    if library:
        facts["library"] = sha256(library.archive)
    if options.effort != EffortName.NORMAL:
        facts["effort"] = options.effort
    if options.tuned:
        facts["tuned"] = digest(options.tuned)
    return facts


def _io(graph: Graph, name: str) -> TensorFacts:
    value = graph.values[name]
    return {
        "name": name,
        "shape": list(value.shape),
        "layout": value.layout.value,
        "model_shape": graph.meta.get(f"model_shape/{name}", ""),
        "dtype": value.dtype.value,
        "bytes": value.bytes,
        "scale": value.step,
        "zero_point": value.zero_point,
    }


def step_rows(schedule: Schedule, plan: MemoryPlan, tiles: TilePlan) -> list[LaunchRow]:
    """One row for all that a probe can tell apart, in order: a kernel call or a region."""
    rows: list[LaunchRow] = []
    plain = node_rows(schedule)
    cut = {step.node: step for step in tiles.steps}
    for launch in launches(schedule):
        own = [plain[step.index] for step in launch.steps]
        row = own[0] if launch.region is None else _region_row(schedule.graph, launch, own)
        names = {step.node for step in launch.steps}
        copied = sum(p.bytes for p in plan.constants if p.copied and p.node in names)
        found = None if launch.region else tiling_facts(cut.get(launch.steps[0].node))
        rows.append({**row, "index": launch.index, "copied_bytes": copied, "tiles": found})
    return rows


def _region_row(graph: Graph, launch: Launch, own: list[StepRow]) -> StepRow:
    """The row of the layer that writes the grid, with the costs of all."""
    assert launch.region is not None
    name = plain_text(graph.producer[launch.output].name)
    return {
        **next(row for row in own if row["name"] == name),
        "op": region_title(launch.region),
        "macs": launch_macs(graph, launch),
        "kernel": region_function(launch.region),
        "weight_layout": WeightLayout.IR,
        "scratch": max(row["scratch"] for row in own),
        "rule": "",
        "weight_bytes": sum(row["weight_bytes"] for row in own),
    }


def node_rows(schedule: Schedule) -> list[StepRow]:
    """One row a kernel of the schedule, in order."""
    nodes = {node.name: node for node in schedule.graph.nodes}
    return [_step_row(schedule.graph, step, nodes[step.node]) for step in schedule.steps]


def _step_row(graph: Graph, step: Step, node: Node) -> StepRow:
    output = graph.values[node.output]
    return {
        "index": step.index,
        "name": plain_text(node.name),
        "op": node.op,
        "bits": 8 * output.dtype.bytes,
        "shape": list(output.shape),
        "macs": node_macs(graph, node),
        "kernel": step.kernel,
        "weight_layout": weight_layout(step),
        "scratch": step.scratch,
        "rule": node.requant.rule if node.requant else "",
        "output_bytes": output.bytes,
        "weight_bytes": node_weight_bytes(graph, node),
    }


def _runners(job: Job) -> Mapping[str, Mapping[str, object]]:
    """The board's runner tables, with the twin's own options for the chosen runner."""
    return {**job.board.runners, **job.target.runners}
