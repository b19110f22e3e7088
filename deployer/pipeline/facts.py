"""What manifests, reports and checks tell, as JSON (docs/report.md, docs/bundle.md).

The keys are those of the files, in their order. Sizes are bytes; of counts that are estimated,
measured or simulated ``kind`` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from deployer.bundle_facts import (
    CalibrationFacts,
    CopiedFacts,
    FetchedFacts,
    MemoryFacts,
    ModelFacts,
    OptionFacts,
    RestructureFacts,
    ShareFacts,
    SpilledFacts,
    StepRow,
    TilingFacts,
    ToolchainFacts,
    WaitFacts,
)

Share = float | None  # of 1


class RanRow(StepRow):
    """A launch that ran. ``count``: None where the runner counts nothing."""

    copied_bytes: int
    tiles: TilingFacts | None
    count: int | None
    kind: str
    match: bool
    sqnr_db: float | None


class SurveyRow(StepRow):
    """A step with its share of all products, and the bytes alive at it."""

    macs_share: float
    alive_bytes: int
    peak: bool


class UsedMemory(MemoryFacts):
    """``ram_network``: the part of ``ram`` that a program without the harness needs too; ``spare``:
    bytes of RAM beside it that would be idle and hold copies of weights;
    ``stack_used``: what a run painted over, None where nobody looked."""

    stack_used: int | None
    ram_network: int
    ram: int
    spare: int
    flash: int


class ImageFacts(TypedDict):
    """``of``: "board" or "twin"."""

    of: str
    note: str


class CounterFacts(TypedDict):
    kind: str
    unit: str
    clock_hz: int


class GoldenFacts(TypedDict):
    match: bool
    samples: int
    elements: int
    differing: int
    first_differing_layer: str | None
    weights: str | None


class FloatFacts(TypedDict):
    """How the integer network agrees with the float one."""

    samples: int
    sqnr_db: float | None
    max_abs_error: float
    top1_agreement: float
    synthetic: bool


class AccuracyFacts(TypedDict):
    """Shares of top-1 are None without labels."""

    dataset: str
    samples: int
    differing_samples: int
    agreement: float
    float: Share
    host_integer: Share
    device: Share
    warnings: list[str]


class ErrorFacts(TypedDict):
    sqnr_db: float | None


class OutputErrorFacts(TypedDict):
    sqnr_db: float | None
    max_abs_error: float
    top1_agreement: float


class LayerErrorFacts(TypedDict):
    node: str
    output: ErrorFacts


class QuantFacts(TypedDict):
    """What the quantizer reports, as far as later stages read it."""

    calibration: CalibrationFacts
    layers: list[LayerErrorFacts]
    outputs: list[OutputErrorFacts]
    samples: int
    warnings: NotRequired[list[str]]


class Report(TypedDict):
    """Of one run: what the compiler planned with what the rig saw."""

    deployer: str
    board: str
    target: str
    image: ImageFacts
    runner: str
    bundle: str
    model: ModelFacts
    options: OptionFacts
    widths: str
    toolchain: ToolchainFacts
    device: dict[str, str]
    counter: CounterFacts
    golden: GoldenFacts
    float: FloatFacts
    accuracy: AccuracyFacts | None
    warnings: list[str]
    memory: UsedMemory
    restructured: RestructureFacts | None
    shared: ShareFacts | None
    layers: list[RanRow]


class PeakFacts(TypedDict):
    step: int
    bytes: int
    alive: dict[str, int]


class CurveFacts(TypedDict):
    what: str
    alive_bytes: Sequence[int]
    peak: PeakFacts


class ProfileFacts(TypedDict):
    """Bytes alive at every step; ``in_pieces``: first and last steps of regions."""

    room: int
    steps: Sequence[str]
    before: CurveFacts
    after: CurveFacts | None
    in_pieces: Sequence[tuple[int, int]]


class MemoryRow(TypedDict):
    memory: str
    used: int
    size: int
    kind: str
    holds: str
    excess: int


class NearestFacts(TypedDict):
    """The plan that lacks least, and the options that reach it."""

    options: str
    fits: bool
    arena: int
    memories: list[MemoryRow]


class RefusalFacts(TypedDict):
    exit_status: int
    what: str
    why: Sequence[str]
    hints: Sequence[str]
    reasons: list[dict[str, str]]


class ByteFacts(TypedDict):
    weights: int
    requantization: int
    activations: int
    largest_activation: int


class ArenaPeakFacts(TypedDict):
    step: int
    layer: str
    alive: dict[str, int]


class ArenaFacts(TypedDict):
    bytes: int
    by_memory: dict[str, int]
    bound: int
    status: str
    waits: WaitFacts | None
    room: dict[str, int]
    peak: ArenaPeakFacts


class TileFacts(TypedDict):
    """Steps in tiles, names of those that are not, and bytes with which all could be."""

    memory: str
    steps: int
    whole: list[str]
    smallest: int


class FlashPointFacts(TypedDict):
    """As ``plan.FlashPoint``."""

    bytes: int
    cycles: int
    kernel: str
    layers: int


class FlashFacts(TypedDict):
    """What constants take in this plan, and could; cycles are ``kind``."""

    constants: int
    kind: str
    points: list[FlashPointFacts]


class KernelCodeFacts(TypedDict):
    """Bytes of code of the plan's kernels, and those that they may take; null for no limit."""

    bytes: int
    limit: int | None


class JudgedFacts(TypedDict):
    """What a check says of a network on a board."""

    fits: bool
    operators: dict[str, int]
    bytes: ByteFacts
    arena: ArenaFacts
    flash: FlashFacts
    kernel_code: KernelCodeFacts | None
    tiles: TileFacts | None
    copied_weights: CopiedFacts | None
    streamed: FetchedFacts | None
    spilled: SpilledFacts | None
    restructured: RestructureFacts | None
    shared: ShareFacts | None
    memories: list[MemoryRow]
    layers: list[SurveyRow]
    refusal: RefusalFacts | None
    nearest: NearestFacts | None
    other_boards: Sequence[str]


class FrontRow(TypedDict):
    """A plan that no other beats: bytes of the arena and of constants in flash; cycles and, at the
    board's clock, milliseconds are estimated."""

    arena: int
    flash: int
    cycles: int
    ms: float
    regions: int
    balanced: bool


class FasterFacts(TypedDict):
    """Beside the smallest arena: a plan of ``arena`` bytes that is far faster. Cycles are
    estimated."""

    cycles: int
    arena: int
    faster_cycles: int


class SurveyFacts(JudgedFacts):
    schema: int
    board: str
    model: ModelFacts
    profile: ProfileFacts
    smallest: dict[str, int | None] | None
    front: Sequence[FrontRow] | None
    faster: FasterFacts | None
