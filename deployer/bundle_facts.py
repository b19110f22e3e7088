"""What the manifest of a bundle tells, as JSON (docs/bundle.md).

The keys are those of the file, in the order in which they are made. Sizes are bytes; of counts that
are estimated ``kind`` says so. ``bundle_table`` checks what is read back.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class ModelFacts(TypedDict):
    name: str
    cname: str
    file: str
    sha256: str
    parameters: int
    macs: int


class CalibrationFacts(TypedDict):
    """Samples, and what was decided by them."""

    source: str
    sha256: str
    synthetic: bool
    calibrate: str
    percentile: float | None
    equalize: bool
    bias_correction: bool


class OptionFacts(TypedDict):
    """Options that shaped the result. ``effort``: where it is not normal; ``library``: hash of the
    user's; ``tuned``: of a fine-tuned network."""

    scheme: str
    requant: str
    bits: int
    bits_of: dict[str, int]
    mixed: str | None
    softmax: str
    seed: int
    calibration: CalibrationFacts
    restructure: str
    ram: int | None
    flash: int | None
    kernel_code: int | None
    optimize: str
    stream_input: bool
    share: str
    choose: str
    place: str
    hot_code: str
    tiler: str
    kernels: str
    effort: NotRequired[str]
    library: NotRequired[str]
    tuned: NotRequired[str]


class ToolchainFacts(TypedDict):
    compiler: str
    flags: list[str]


class TensorFacts(TypedDict):
    """An input or output. ``shape`` is the device's; without ``dtype`` it is int8."""

    name: str
    shape: list[int]
    layout: str
    model_shape: str
    dtype: NotRequired[str]
    bytes: int
    scale: float
    zero_point: int


class TilingFacts(TypedDict):
    """Of a step in tiles: bytes of the inner memory, and moved into it and out of it; cycles."""

    memory: str
    tile: list[int]
    counts: list[int]
    count: int
    channels_inner: bool
    bytes: int
    cycles: int
    compute: int
    waiting: int
    bytes_in: int
    bytes_out: int
    early: bool
    kind: str


class StepRow(TypedDict):
    """A kernel of the schedule."""

    index: int
    name: str
    op: str
    bits: int
    shape: list[int]
    macs: int
    kernel: str
    weight_layout: str
    scratch: int
    rule: str
    output_bytes: int
    weight_bytes: int


class LaunchRow(StepRow):
    """All that a probe can tell apart: a kernel call or a region."""

    copied_bytes: int
    tiles: TilingFacts | None


class WaitFacts(TypedDict):
    cycles: int
    lowest: int
    proven: bool


class CopiedFacts(TypedDict):
    """Constants that start-up copies, and the cycles that saves."""

    by_memory: dict[str, int]
    arrays: int
    saves: int
    misses_left: int
    kind: str


class FetchedFacts(TypedDict):
    """Weights that are fetched in every inference."""

    memory: str
    bytes: int
    fetches: int
    resident: int
    stalls: dict[str, int]
    stalled: int
    cycles: int
    kind: str


class SpilledFacts(TypedDict):
    """Activations that lie in the memory behind the arena's for a time: ``moved`` bytes of them are
    written and fetched in an inference."""

    memory: str
    bytes: int
    values: int
    moved: int


class CodeFacts(TypedDict):
    """Code that start-up copies."""

    memory: str
    bytes: int
    functions: list[str]


class MemoryFacts(TypedDict):
    """An image's bytes by what they hold, and the plan's figures."""

    arena: int
    arena_by_memory: dict[str, int]
    bound: int
    status: str
    solver: str
    waits: WaitFacts | None
    weights: int
    code: int
    static: int
    stack: int
    copied_weights: CopiedFacts | None
    streamed: FetchedFacts | None
    spilled: NotRequired[SpilledFacts | None]
    input_copy: int
    input_copy_in: str
    limits: dict[str, int]
    hot_code: NotRequired[CodeFacts | None]


class CostFacts(TypedDict):
    """Cycles without regions, and what these add."""

    before: int
    added: int
    unit: str
    kind: str
    board: str
    counts: str | None


class RegionFacts(TypedDict):
    step: int
    first: str
    last: str
    nodes: int
    mode: str
    title: str
    calls: int
    table_bytes: int


class RestructureFacts(TypedDict):
    arena_before: int
    arena: int
    macs_before: int
    added_macs: int
    cost: CostFacts
    regions: list[RegionFacts]


class ShareFacts(TypedDict):
    """How many values share bytes in which way."""

    arena_before: int
    arena: int
    in_place: int
    overlaps: int
    views: int
    inside: int
    copies_saved: int


class InferenceFacts(TypedDict):
    """What an inference takes by the cost of its kernels, all steps one after the other."""

    cycles: int
    kind: str


class PlannedManifest(TypedDict):
    """What is known before the image has an id. ``runners``: options of the target's board file."""

    board: str
    target: str
    port: str
    core: str
    clock_hz: int
    cores: int
    model: ModelFacts
    options: OptionFacts
    toolchain: ToolchainFacts
    inputs: list[TensorFacts]
    outputs: list[TensorFacts]
    softmax_on_host: bool
    steps: list[LaunchRow]
    memory: MemoryFacts
    inference: NotRequired[InferenceFacts]
    restructured: NotRequired[RestructureFacts | None]
    shared: NotRequired[ShareFacts | None]
    runners: dict[str, dict[str, Any]]


class BuiltManifest(PlannedManifest):
    """``id``: hash of the generated sources; ``firmware``: name of the image."""

    id: str
    firmware: str


class Manifest(PlannedManifest):
    """``files``: name to SHA-256."""

    schema: int
    id: str
    firmware: str
    files: dict[str, str]
