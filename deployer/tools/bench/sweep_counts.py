"""What an image's steps take: estimated from its profile, or as the board's runner counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deployer.board import Board
from deployer.bundle import Bundle
from deployer.bundle_facts import TilingFacts
from deployer.errors import BenchError
from deployer.pipeline import Job
from deployer.tile import room_of
from deployer.tools.bench.sweep_row import StepCount
from deployer.tools.timing import Machine, estimate, profile
from deployer.units import CounterUnit, FigureKind
from deployer_hil import RunRecord, create, prove


@dataclass(frozen=True)
class Counted:
    """The steps of an image. ``kind`` and ``unit`` of what rates are made of; ``tool`` ran it."""

    steps: Sequence[StepCount]
    kind: str
    unit: str
    tool: str
    compiler: str
    flags: tuple[str, ...]


NOTHING = Counted((), FigureKind.NONE, CounterUnit.NONE, "", "", ())  # of no image


class Differing(Exception):
    """``steps``, by index, whose outputs are not golden."""

    def __init__(self, steps: frozenset[int]):
        super().__init__(f"{len(steps)} steps differ")
        self.steps = steps


def counted(job: Job, bundle: Bundle, machine: Machine | None) -> Counted:
    """Raises Differing where outputs are not golden, BenchError when tools fail."""
    if machine is None:
        return _by_runner(job, bundle)
    try:
        return _by_profile(job, bundle, machine)
    except BenchError:
        _require_golden(_record(job, bundle))
        raise


def _by_profile(job: Job, bundle: Bundle, machine: Machine) -> Counted:
    found = profile(bundle, machine, prefix=job.target.toolchain.prefix)
    times = estimate(found, machine)
    rows = bundle.manifest["steps"]
    steps = tuple(
        StepCount(row["kernel"], row["macs"], time.instructions, time.cycles, time.core)
        for row, time in zip(rows, times, strict=True)
    )
    return _made(bundle, steps, FigureKind.ESTIMATED, CounterUnit.CYCLES, found.tool)


def _by_runner(job: Job, bundle: Bundle) -> Counted:
    record = _record(job, bundle)
    _require_golden(record)
    in_cycles = record.counter == CounterUnit.CYCLES
    fetched = bundle.manifest["memory"]["streamed"]
    stalls = fetched["stalls"] if fetched else {}
    steps = tuple(
        StepCount(
            row["kernel"],
            row["macs"],
            instructions=None if in_cycles else layer.count,
            cycles=layer.count if in_cycles else None,
            moved=_moved(job.target, row["tiles"]),
            stalled=stalls.get(row["name"], 0),
        )
        for row, layer in zip(bundle.manifest["steps"], record.layers, strict=True)
    )
    return _made(bundle, steps, record.kind, record.counter, record.tool)


def _moved(board: Board, tiles: TilingFacts | None) -> float:
    """Cycles of the direction in which most of a step in tiles moves."""
    room = room_of(board)
    if tiles is None or room is None:
        return 0.0
    into, out = room.engine.into, room.engine.out
    return max(tiles["bytes_in"] / into.bytes_per_cycle, tiles["bytes_out"] / out.bytes_per_cycle)


def _made(bundle: Bundle, steps: Sequence[StepCount], kind: str, unit: str, tool: str) -> Counted:
    toolchain = bundle.manifest["toolchain"]
    return Counted(steps, kind, unit, tool, toolchain["compiler"], tuple(toolchain["flags"]))


def _record(job: Job, bundle: Bundle) -> RunRecord:
    with create(job.runner, bundle) as device:
        return prove(bundle, device)


def _require_golden(record: RunRecord) -> None:
    if not record.golden.match:
        raise Differing(frozenset(one.index for one in record.layers if not one.match))
