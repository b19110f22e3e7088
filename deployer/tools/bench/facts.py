"""What tables of benchmarks tell, as JSON.

The keys are those of the files, in their order. Sizes are bytes; ``kind`` says what a count is
worth. ``Ratio``: of cycles, and of which layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

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
    clock_hz: int
    memories: MemoryNames
    stacks: int
    rows: list[TilesRowFacts]
    kinds: list[TilesKindFacts]
    against: list[TilersFacts]
