"""Cycles of every step by a board's own counter: the first run after a reset, and a later one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deployer.bundle import Bundle
from deployer.errors import BenchError, MismatchError, UsageError
from deployer.units import CounterUnit, FigureKind
from deployer_hil.conditions import UNCOUNTED, require_conditions, uncounted
from deployer_hil.measure import connect
from deployer_hil.protocol import Layer
from deployer_hil.runner import Runner
from deployer_hil.session import Timeouts

WARMUPS = 2  # inferences between the first and the warm one


@dataclass(frozen=True)
class Cycles:
    """Measured, a step each. ``caps`` is what the device reads back: clock, caches, placement."""

    cold: tuple[int, ...]
    warm: tuple[int, ...]
    caps: Mapping[str, str]
    tool: str


def measure_cycles(
    bundle: Bundle, runner: Runner, *, clock_hz: int, timeouts: Timeouts | None = None
) -> Cycles:
    """One golden sample. Raises UsageError for a runner that measures no cycles, BenchError for a
    board with a cache off or another clock, MismatchError when a step is not golden."""
    if (runner.caps.kind, runner.caps.timing) != (FigureKind.MEASURED, CounterUnit.CYCLES):
        raise UsageError(
            f"{runner.name} measures no cycles of {bundle.board}",
            hints=["deployer bench model estimates them without a board"],
        )
    with connect(bundle, runner, timeouts=timeouts) as session:
        caps = session.caps()
        require_conditions(bundle.board, caps, clock_hz)
        if caps.get("counter") != CounterUnit.CYCLES:
            raise BenchError(f"{bundle.board} counts {caps.get('counter', 'nothing')}, not cycles")
        session.load(bundle.golden["input"][0].tobytes())
        count = len(bundle.manifest["steps"])
        cold, warm = (session.layers(count, before=before) for before in (0, WARMUPS))
    _require_golden(bundle, cold)
    _require_golden(bundle, warm)
    caps |= runner.surroundings
    _require_counted(bundle, caps, clock_hz, hosted=runner.caps.hosted)
    return Cycles(_counts(cold), _counts(warm), caps, runner.tool)


def _require_counted(
    bundle: Bundle, caps: Mapping[str, str], clock_hz: int, *, hosted: bool
) -> None:
    why = uncounted(caps, clock_hz).get(UNCOUNTED) if hosted else None
    if why:
        raise BenchError(
            f"cycles of {bundle.board} would mislead: {why}",
            hints=["a heat sink, a stronger supply, a fan"],
        )


def _counts(layers: tuple[Layer, ...]) -> tuple[int, ...]:
    return tuple(layer.count for layer in layers)


def _require_golden(bundle: Bundle, layers: tuple[Layer, ...]) -> None:
    if bundle.floats:  # layers of floats have no golden CRCs
        return
    for layer, wanted, step in zip(
        layers, bundle.golden["crc"][0], bundle.manifest["steps"], strict=True
    ):
        if layer.crc != int(wanted):
            raise MismatchError(
                f"{bundle.board} does not compute the golden integers",
                why=[f"first differing layer: {step['name']}"],
                hints=["deployer flash compares every layer of every golden sample"],
            )
