"""JSON types of what a board or a meter measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from deployer_hil import EnergyFacts, EnergyFigures, ThroughputFacts


class LayerCyclesFacts(TypedDict):
    """In the table's unit: the first inference after a reset, and a later one."""

    name: str
    kernel: str
    geometry: str
    macs: int
    elements: int
    cold: int
    warm: int


class CyclesFacts(TypedDict):
    cold: int
    warm: int


class BoardTimeKinds(TypedDict):
    """``counts``: of layers, inferences and times; ``energy`` is None where there is none."""

    counts: str
    energy: str | None


class BoardTimeTable(TypedDict):
    """``unit``: of the counts. ``caps``: what the device reads back. ``mac_cycles``: the least that
    a MAC takes, None where no model of the core tells. ``point``: "" is the board's own."""

    schema: int
    deployer: str
    kinds: BoardTimeKinds
    unit: str
    name: str
    sha256: str
    board: str
    clock_hz: int
    macs: int
    mac_cycles: float | None
    layers: list[LayerCyclesFacts]
    compiler: str
    flags: Sequence[str]
    tool: str
    caps: dict[str, str]
    total: CyclesFacts
    throughput: ThroughputFacts
    energy: EnergyFacts | None
    point: str


class BoardPointsTable(TypedDict):
    """One table an operating point, in the order asked for."""

    schema: int
    deployer: str
    points: list[BoardTimeTable]


class EnergyKinds(TypedDict):
    energy: str
    seconds: str


class EnergyWindowFacts(TypedDict):
    """``net_microjoules``: of one inference, less idle; None where idle was not recorded."""

    seconds: float
    joules: float
    watts: float
    microjoules: float
    net_microjoules: float | None


class EnergyTable(EnergyFigures):
    """Figures of one inference are medians of the windows. ``edge_error``: the part of the energy
    that may lie beyond an edge, None where there was no meter. ``caps``: what the device said."""

    schema: int
    deployer: str
    kinds: EnergyKinds
    name: str
    sha256: str
    board: str
    windows: list[EnergyWindowFacts]
    caps: dict[str, str]
