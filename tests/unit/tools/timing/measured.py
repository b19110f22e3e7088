"""Records of boards that never were, whose cycles follow from known costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from deployer.board.model import Cache, Costs
from deployer.tools.timing.machine import Machine
from deployer_hil.record import GoldenRecord, LayerRecord, RunRecord

GUESSED = Costs(misprediction=7.0, data_miss=12.0, fetch_miss=12.0)
MACHINE = Machine(
    name="nucleo-f767zi",
    clock_hz=216_000_000,
    data=Cache(16384, 4, 32),
    code=Cache(16384, 2, 32),
    tight=(0x2000_0000, 0x2002_0000),
    costs=GUESSED,
    error=0.15,
    ratio_error=0.08,
    source="board file",
    tight_code=(0, 0),
)
Row = tuple[float, int, int, int]  # core cycles, mispredictions, data misses, fetch misses
LAYERS: tuple[Row, ...] = (
    (500_000.0, 1_000, 9_000, 30),
    (90_000.0, 4_000, 200, 90),
    (1_200_000.0, 700, 30_000, 20),
    (40_000.0, 10, 4_000, 400),
    (250_000.0, 9_000, 5_000, 5),
    (7_000.0, 80, 10, 120),
)


def network(rows: Sequence[Row] = LAYERS, name: str = "net") -> dict[str, Any]:
    """As bench model --json has it."""
    keys = ("core", "mispredicted", "data_misses", "fetch_misses")
    layers = [
        {"name": f"layer {i}", **dict(zip(keys, row, strict=True))} for i, row in enumerate(rows)
    ]
    return {"name": name, "sha256": f"hash of {name}", "layers": layers}


def cycles(row: Row, costs: Costs) -> int:
    core, mispredicted, data, fetch = row
    memory = costs.misprediction * mispredicted + costs.data_miss * data
    return round(core + memory + costs.fetch_miss * fetch)


def record(
    costs: Costs,
    rows: Sequence[Row] = LAYERS,
    *,
    name: str = "net",
    **changes: Any,
) -> RunRecord:
    """What a board with these costs would leave, cold run first."""
    counts = [cycles(row, costs) for row in rows]
    layers = tuple(
        LayerRecord(i, f"layer {i}", True, (count + 1000, count)) for i, count in enumerate(counts)
    )
    caps = {"clock_hz": "216000000", "icache": "on", "dcache": "on"}
    plain = RunRecord(
        runner="pyocd",
        tool="",
        board="nucleo-f767zi",
        target="nucleo-f767zi",
        bundle="ab",
        model=name,
        model_sha256=f"hash of {name}",
        kind="measured",
        counter="cycles",
        counts_agree=False,
        caps={**caps, **changes.pop("caps", {})},
        mem={},
        layers=layers,
        golden=GoldenRecord(True, 1, 1, 10, 0),
        host={},
    )
    return replace(plain, **changes)
