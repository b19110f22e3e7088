"""What ``bench sweep`` tells, as JSON types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict


class SweepRowFacts(TypedDict):
    """A layer of a sweep. ``taps``: elements of a pool's windows. ``per``: what ``rate`` divides
    by, "MAC", "tap", "element" written or "output" of few products; ``small``: less work than a
    call costs; ``core``: ``cycles`` without memory; ``above``: longer than the core's bar allows.
    Counts are None where nothing tells them; ``against``: cycles of CMSIS-NN. ``moved``: cycles
    that transfers of its tiles take at the least, ``stalled``: that it is estimated to wait for
    weights of an outer memory."""

    operator: str
    bits: int
    geometry: str
    macs: int
    taps: int
    elements: int
    per: str
    small: bool
    outcome: str
    detail: str
    kernels: list[str]
    kernel: str
    fallback_macs: int
    falls_back: bool
    instructions: int | None
    cycles: float | None
    rate: float | None
    core: float | None
    above: bool
    against: float | None
    moved: float
    stalled: int


class SweepOperatorFacts(TypedDict):
    """``layers`` that have figures, of them those in ``fallback`` kernels; MACs likewise. Median
    and worst rate of those that are not small."""

    operator: str
    layers: int
    fallback: int
    macs: int
    fallback_macs: int
    median_mac: float | None
    worst_mac: float | None
    median_tap: float | None
    worst_tap: float | None
    median_element: float | None
    worst_element: float | None
    median_output: float | None
    worst_output: float | None


class SweepRateFacts(TypedDict):
    """``layers`` that are judged so and not small; ``above``: those of them beyond ``rate``."""

    rate: float
    layers: int
    above: int


class SweepBarFacts(TypedDict):
    """``layers`` that it holds for, which have at least ``macs`` MACs and ``products`` an output;
    ``above``: those of them beyond ``rate``. ``core``: without memory; ``listed``: a table has
    them; ``parallel``: told in MACs a cycle. ``tap`` and ``element``: those of pools and of
    elementwise operators, which convolutions have no part in."""

    rate: float
    macs: int
    products: int
    core: bool
    listed: bool
    parallel: bool
    layers: int
    above: int
    tap: SweepRateFacts
    element: SweepRateFacts


class SweepTable(TypedDict):
    """``kind`` and ``unit`` of the rates; ``error`` as a share, 0 where they are exact."""

    schema: int
    deployer: str
    board: str
    seed: int
    kind: str
    unit: str
    error: float
    issue_rules: str
    credits_pld: bool
    tool: str
    compiler: str
    flags: Sequence[str]
    bar: SweepBarFacts
    rows: list[SweepRowFacts]
    operators: list[SweepOperatorFacts]
