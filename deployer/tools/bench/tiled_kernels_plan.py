"""A network of one layer up to its generated code: in one tile, or in those of the tiler."""

from __future__ import annotations

from dataclasses import dataclass, replace

from deployer.analysis import launches
from deployer.errors import FitError
from deployer.ir import Graph, Layout, Node, TilePlan, Tiling
from deployer.pipeline import (
    ALLOCATE,
    GENERATE,
    QUANTIZE,
    RESTRUCTURE,
    SCHEDULE,
    TILE,
    Job,
    Store,
    execute,
    open_store,
)
from deployer.tile import Layer, Room, Timeline, candidates, tile, tiling_of
from deployer.tools.bench.markdown import geometry


@dataclass(frozen=True, eq=False)
class Planned:
    """``store`` has all stages up to generate."""

    job: Job
    store: Store

    @property
    def graph(self) -> Graph:
        return self.store.get(SCHEDULE).graph

    @property
    def kernel(self) -> str:
        (step,) = self.store.get(SCHEDULE).steps
        symbol: str = step.kernel
        return symbol

    @property
    def node(self) -> Node:
        (step,) = self.store.get(SCHEDULE).steps
        return next(node for node in self.graph.nodes if node.name == step.node)

    @property
    def geometry(self) -> str:
        schedule = self.store.get(SCHEDULE)
        return geometry(self.graph, launches(schedule)[0])

    @property
    def tiles(self) -> int:
        """0 where the kernel works on the tensors themselves."""
        (step,) = self.store.get(TILE).steps
        return step.count if step.tiling else 0


def plan_layer(job: Job, *, blocked: bool = False, whole: bool = False) -> Planned:
    """Plan the network of ``job``, with transposed blocks of its input where it is ``blocked``.
    With ``whole`` the layer is one tile; raises FitError where the inner memory cannot hold
    that."""
    store = execute(job, last=QUANTIZE)
    if blocked:
        found = store.get(QUANTIZE)
        store.put(QUANTIZE, replace(found, graph=_blocked(found.graph)))
    store = execute(job, first=RESTRUCTURE, last=ALLOCATE if whole else TILE)
    if whole:
        store.put(TILE, _one_tile(job, store))
    execute(job, first=GENERATE, last=GENERATE)
    return Planned(job, open_store(job))


def _blocked(graph: Graph) -> Graph:
    """With transposed blocks of its inputs."""
    blocked = {name: replace(graph.values[name], layout=Layout.BLOCKED) for name in graph.inputs}
    return replace(graph, values={**graph.values, **blocked})


def _one_tile(job: Job, store: Store) -> TilePlan:
    return tile(store.get(SCHEDULE), store.get(ALLOCATE), job.target, tiler=whole_tiling)


def whole_tiling(layer: Layer, room: Room) -> Tiling:
    """The step as one tile. Raises FitError where ``room`` cannot hold it."""
    axes, inner = next(candidates(layer, cores=room.cores))
    costs = Timeline(layer, axes, inner, room.engine).costs
    found = tiling_of(layer, room, axes, inner, costs)
    if found.bytes > room.size:
        raise FitError(
            f"{room.memory} does not hold the layer in one tile",
            why=[f"it takes {found.bytes:,} B of {room.size:,} B"],
        )
    return found
