"""What tables of benchmarks tell, as JSON.

The keys are those of the files, in their order. Sizes are bytes; ``kind`` says what a count is
worth. ``Ratio``: of cycles, and of which layer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from deployer.bundle_facts import FetchedFacts, LaunchRow

Ratio = tuple[float, str]


class TilesRunFacts(TypedDict):
    """What one runner counted, by layer and in all; ``tiled``: cycles of the layers in tiles. None
    where it counted no cycles."""

    runner: str
    outcome: str
    detail: str
    kind: str
    unit: str
    tool: str
    counts: Sequence[int]
    cycles: int | None
    tiled: int | None


class TilesEstimate(TypedDict):
    """Of all layers in tiles; ``cycles`` include those ``stalled``, until weights were fetched."""

    cycles: int
    compute: int
    waiting: int
    bytes_in: int
    bytes_out: int
    layers: int
    stalled: int


class TilesRowFacts(TypedDict):
    """A network in one setting."""

    network: str
    tiler: str
    inner: int
    outer: int
    outcome: str
    detail: str
    layers: Sequence[LaunchRow]
    streamed: FetchedFacts | None
    runs: list[TilesRunFacts]
    macs: int
    estimate: TilesEstimate


class TilesKindFacts(TypedDict):
    """Layers of one operator and kernel; ``least`` and ``most``: cycles over the estimate of a
    layer. Without an estimate where the kernel works on the outer memory."""

    op: str
    kernel: str
    layers: int
    macs: int
    cycles: int
    estimated: int | None
    least: NotRequired[Ratio]
    most: NotRequired[Ratio]


class TilersFacts(TypedDict):
    """Cycles of our tiler beside those of ``tiler``. ``layers``: how many they cut otherwise;
    ``worst`` and ``best`` of them: our cycles over theirs, None where all are cut alike;
    ``slower``: how many of them take us longer; ``slower_layers``: which, worst first, and which of
    those that are cut ``alike``, and that are ``fetched``: they take what their weights do to
    come."""

    network: str
    tiler: str
    inner: int
    outer: int
    ours: int
    theirs: int
    layers: int
    slower: int
    slower_layers: dict[str, list[Ratio]]
    best: Ratio | None
    worst: Ratio | None


class MemoryNames(TypedDict):
    inner: str
    outer: str


class TilesTable(TypedDict):
    schema: int
    deployer: str
    board: str
    point: str
    clock_hz: int
    fabric_hz: int
    memories: MemoryNames
    stacks: int
    rows: list[TilesRowFacts]
    kinds: list[TilesKindFacts]
    against: list[TilersFacts]


class LoopFacts(TypedDict):
    """The block in which most of a step's core cycles go."""

    function: str
    cycles: float
    count: int
    lines: Sequence[str]


class WorkFacts(TypedDict):
    """Instructions are counted; ``core``: estimated cycles with ideal memory; ``cycles``: all."""

    instructions: int
    core: float
    cycles: float


class TotalFacts(WorkFacts):
    """``floor``: cycles that the multiplier or the weights take at the least."""

    floor: float


class LayerFacts(TypedDict):
    """One launch. ``floor`` is None where nothing multiplies; ``against``: of CMSIS-NN, None where
    it has not all of the layer."""

    name: str
    op: str
    geometry: str
    kernel: str
    macs: int
    elements: int
    weight_bytes: int
    floor: float | None
    index: int
    instructions: int
    loads: int
    stores: int
    mispredicted: int
    data_misses: int
    fetch_misses: int
    outer_misses: int
    streamed: int
    streamed_misses: int
    core: float
    memory: float
    functions: Sequence[tuple[str, float]]
    loop: LoopFacts
    cycles: float
    against: NotRequired[WorkFacts | None]


_InNetworks = TypedDict("_InNetworks", {"in": dict[str, int]})


class DistinctFacts(LayerFacts, _InNetworks):
    """``in``: network to how often it has the layer."""


class PeerFacts(TypedDict):
    """Sums over the layers that both have, their MACs, and the operators left out."""

    rounding: str
    layers: int
    macs: int
    ours: WorkFacts
    theirs: WorkFacts
    left_out: list[str]


class NetworkFacts(TypedDict):
    """``unknown``: mnemonics the model of the pipeline has no rule for; ``kernel_bytes``: code of
    all kernels."""

    name: str
    sha256: str
    macs: int
    layers: list[LayerFacts]
    compiler: str
    flags: Sequence[str]
    tool: str
    unknown: Sequence[str]
    kernel_bytes: int
    total: TotalFacts
    against: NotRequired[PeerFacts]


class WorkKinds(TypedDict):
    instructions: str
    cycles: str


class OuterFacts(TypedDict):
    """Cycles of a line that the second cache lacks, or that was asked for ahead."""

    miss: float
    streamed: float
    streamed_miss: float
    source: str


class CostsFacts(TypedDict):
    """Cycles an event. ``outer``: None where there is no second cache."""

    misprediction: float
    data_miss: float
    fetch_miss: float
    source: str
    outer: OuterFacts | None


class ModelTimeTable(TypedDict):
    """``error`` and ``ratio_error`` are shares of an estimate. ``distinct``: layers of one
    operator, geometry and kernel, once."""

    schema: int
    deployer: str
    board: str
    clock_hz: int
    kinds: WorkKinds
    costs: CostsFacts
    pipeline: str
    mac_cycles: float
    issue_rules: str
    credits_pld: bool
    error: float
    ratio_error: float
    networks: list[NetworkFacts]
    distinct: NotRequired[list[DistinctFacts]]


class PlanFacts(TypedDict):
    """``added_macs`` and ``added_cost`` are shares; ``over``: memories, and bytes too many."""

    arena: int
    added_macs: float
    added_cost: float
    over: Sequence[tuple[str, int]]
    regions: int


class FitsRowFacts(TypedDict):
    network: str
    width: float
    resolution: int
    macs: int
    flash: int
    plain: PlanFacts
    smallest: PlanFacts
    by_rows: PlanFacts
    fitting: PlanFacts | None
    by_rows_fitting: bool
    emulated: str


class FitsTable(TypedDict):
    schema: int
    deployer: str
    board: str
    rows: list[FitsRowFacts]


class InsideFacts(TypedDict):
    """Data in the inner memory. ``work``: what a rate counts; cycles of all cores and of one."""

    geometry: str
    kernel: str
    rule: str
    work: int
    cycles: int
    one_core: int
    speed_up: float


class InTilesFacts(TypedDict):
    """Data in the memory behind. ``inside``: cycles in the kernel; ``overhead``: what the rest
    takes, as a share of them."""

    geometry: str
    work: int
    tiles: int
    cycles: int
    inside: int
    overhead: float


class KernelRowFacts(TypedDict):
    """A layer by one runner; ``counts``: the unit of work."""

    layer: str
    runner: str
    counts: str
    outcome: str
    detail: str
    tool: str
    inside: InsideFacts | None
    in_tiles: InTilesFacts | None


class TiledKernelsTable(TypedDict):
    """Compiler, flags and kind are "" where no row came to figures."""

    schema: int
    deployer: str
    board: str
    cores: int
    memories: MemoryNames
    kind: str
    compiler: str
    flags: list[str]
    rows: list[KernelRowFacts]


class ZooTable(TypedDict):
    """``rows``: those of ``row.py``; ``counts`` by outcome."""

    schema: int
    deployer: str
    tools: list[str]
    counts: dict[str, int]
    rows: list[dict[str, Any]]


class KernelErrorFacts(TypedDict):
    """Relative errors of the launches of one kernel."""

    kernel: str
    launches: int
    rms: float
    worst: float


class KernelCosts(TypedDict):
    """Instructions per term of every kernel; ``cpi``: cycles an instruction."""

    schema: int
    board: str
    kind: str
    unit: str
    counted_on: str
    tool: str
    compiler: str
    launches: int
    rms_error: float
    worst_error: float
    region: Mapping[str, float]
    kernels: Mapping[str, Mapping[str, float]]
    pipeline: str
    cpi: Mapping[str, float]
    errors: list[KernelErrorFacts]


class SamplesFacts(TypedDict):
    file: str
    sha256: str | None
    samples: int


class CalibratedOn(SamplesFacts):
    """``same``: the samples that are judged by."""

    same: bool


class FloatScore(TypedDict):
    top1: float | None


class AccuracyRowFacts(TypedDict):
    """One way to quantize. Shares of 1; None where they mean nothing or nothing came of it."""

    scheme: str
    calibrate: str
    seconds: float
    equalize: bool | None
    bias_correction: bool | None
    top1: float | None
    agreement: float | None
    sqnr_db: float | None
    error: str


class AccuracyTable(TypedDict):
    schema: int
    model: str
    sha256: str
    data: SamplesFacts
    labelled: int
    calibration: CalibratedOn
    float: FloatScore
    rows: list[AccuracyRowFacts]
