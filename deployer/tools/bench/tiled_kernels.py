"""Kernels that work on tiles of an inner memory: how fast with data there, on all cores and on one,
and what it adds to cut a layer, fetch its tiles and store them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from deployer.analysis import node_macs
from deployer.bundle_facts import ToolchainFacts
from deployer.choices import Sharing
from deployer.errors import DeployerError, FitError, MismatchError
from deployer.pipeline import Job, make_job
from deployer.tools.bench.reference import with_noise
from deployer.tools.bench.row import DIFFERS, EXACT, FAILED, NO_FIT
from deployer.tools.bench.tiled_kernels_image import measure, on_one_core
from deployer.tools.bench.tiled_kernels_layers import INPUT, MAC, KernelLayer
from deployer.tools.bench.tiled_kernels_plan import Planned, plan_layer
from deployer.tools.zoo import Network


@dataclass(frozen=True)
class Inside:
    """A layer with its data in the inner memory. ``work``: what a rate counts; ``cycles`` of a warm
    call of the kernel, from barrier to barrier; ``kind``: how they came about; ``tool`` ran
    it; ``toolchain``: compiler and flags."""

    geometry: str
    kernel: str
    rule: str
    work: int
    cycles: int
    kind: str
    tool: str
    toolchain: ToolchainFacts


@dataclass(frozen=True)
class InTiles:
    """A layer with its data in the memory behind. ``cycles``: the step in the second inference;
    ``inside``: of these a warm call of the kernel on each of its ``tiles``, summed up."""

    geometry: str
    work: int
    tiles: int
    cycles: int
    inside: int

    @property
    def overhead(self) -> float:
        """What the step takes beyond its kernel, as a share of what that takes."""
        return self.cycles / self.inside - 1


@dataclass(frozen=True)
class Found:
    """``one_core``: cycles of ``inside`` there."""

    inside: Inside
    one_core: int
    in_tiles: InTiles

    @property
    def speed_up(self) -> float:
        return self.one_core / self.inside.cycles


@dataclass(frozen=True)
class KernelRow:
    """What one runner took. ``counts``: the unit of work. ``outcome``: EXACT where every output was
    golden, then there is something ``found``; else DIFFERS, NO_FIT or FAILED (bench/row.py), of
    which ``detail`` says more."""

    layer: str
    runner: str
    counts: str
    outcome: str
    detail: str = ""
    found: Found | None = None

    @property
    def said(self) -> str:
        """What came of it, in a line."""
        found = f"{self.found.inside.cycles:,} cycles" if self.found else self.detail
        return f"{self.outcome}, {found}"


@dataclass(frozen=True)
class KernelBench:
    """One-layer networks on ``board`` in ``runner``. All methods but ``row`` raise MismatchError
    where an output is not golden, FitError where a layer does not fit, and what stages and runners
    raise."""

    board: str
    runner: str
    board_dir: Path | None = None

    def row(self, name: str, layer: KernelLayer) -> KernelRow:
        row = partial(KernelRow, name, self.runner, layer.counts)
        try:
            found = Found(self.inside(layer), self.one_core(layer), self.in_tiles(layer))
        except DeployerError as error:
            kinds = {MismatchError: DIFFERS, FitError: NO_FIT}
            outcome = kinds.get(type(error), FAILED)
            return row(outcome, detail="; ".join([error.what, *error.why[:1]]))
        return row(EXACT, found=found)

    def inside(self, layer: KernelLayer) -> Inside:
        with TemporaryDirectory() as folder:
            plan = plan_layer(self._job(layer.inner, folder), blocked=layer.blocked, whole=True)
            found = measure(plan)
        requant = plan.node.requant
        return Inside(
            geometry=plan.geometry,
            kernel=plan.kernel,
            rule=requant.rule if requant else "",
            work=_work(plan, layer.counts),
            cycles=found.kernel,
            kind=found.kind,
            tool=found.tool,
            toolchain=found.toolchain,
        )

    def one_core(self, layer: KernelLayer) -> int:
        """Cycles of ``inside`` on one core."""
        with TemporaryDirectory() as folder:
            job = on_one_core(self._job(layer.inner, folder))
            return measure(plan_layer(job, blocked=layer.blocked, whole=True)).kernel

    def in_tiles(self, layer: KernelLayer) -> InTiles:
        with TemporaryDirectory() as folder:
            plan = plan_layer(self._job(layer.tiled, folder), blocked=layer.blocked)
            found = measure(plan)
        work = _work(plan, layer.counts)
        return InTiles(plan.geometry, work, plan.tiles, cycles=found.step, inside=found.kernel)

    def _job(self, network: Network, folder: str) -> Job:
        """Outputs never share bytes with inputs, since a kernel is called again on the same."""
        path, options = with_noise(network, "kernel", Path(folder))
        return make_job(
            path,
            self.board,
            options=replace(options, share=Sharing.OFF),
            runner=self.runner,
            output=Path(folder),
            board_dir=self.board_dir,
        )


def _work(plan: Planned, counts: str) -> int:
    graph, node = plan.graph, plan.node
    if counts == MAC:
        return node_macs(graph, node)
    name = node.inputs[0] if counts == INPUT else node.output
    return math.prod(graph.values[name].shape)
