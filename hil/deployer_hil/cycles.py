"""Cycles of every step by a board's own counter: the first run after a reset, and a later one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from deployer.bundle import Bundle
from deployer.errors import BenchError, MismatchError, UsageError
from deployer.units import CounterUnit, FigureKind
from deployer_hil.conditions import UNCOUNTED, require_conditions, uncounted
from deployer_hil.exchange import Timeouts
from deployer_hil.measure import begin, connect
from deployer_hil.protocol import Layer
from deployer_hil.runner import Runner
from deployer_hil.samples import unstable
from deployer_hil.session import Session, through_restarts

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
        again = partial(begin, session, bundle, runner)
        caps = through_restarts(session.caps, again)
        require_conditions(bundle.board, caps, clock_hz)
        if caps.get("counter") != CounterUnit.CYCLES:
            raise BenchError(f"{bundle.board} counts {caps.get('counter', 'nothing')}, not cycles")
        cold, warm = through_restarts(partial(_cold_and_warm, session, bundle), again)
    caps |= runner.surroundings
    _require_counted(bundle, caps, clock_hz, hosted=runner.caps.hosted)
    return Cycles(_counts(cold), _counts(warm), caps, runner.tool)


def _cold_and_warm(session: Session, bundle: Bundle) -> list[tuple[Layer, ...]]:
    """Both of one start, so that a restart takes both."""
    session.load(bundle.golden["input"][0].tobytes())
    return [_golden_layers(session, bundle, before) for before in (0, WARMUPS)]


def _golden_layers(session: Session, bundle: Bundle, before: int) -> tuple[Layer, ...]:
    """A difference is MismatchError when it comes again, with the input loaded anew."""
    layers = session.layers(len(bundle.manifest["steps"]), before=before)
    wrong = _first_wrong(bundle, layers)
    if wrong is None:
        return layers
    session.load(bundle.golden["input"][0].tobytes())
    if _first_wrong(bundle, session.layers(len(layers))) is None:
        raise unstable(bundle, 0, wrong)
    raise MismatchError(
        f"{bundle.board} does not compute the golden integers",
        why=[f"first differing layer: {wrong}"],
        hints=["deployer flash compares every layer of every golden sample"],
    )


def _first_wrong(bundle: Bundle, layers: tuple[Layer, ...]) -> str | None:
    """The name of the first layer that is not golden. Layers of floats have no golden CRCs."""
    if bundle.floats:
        return None
    rows = zip(layers, bundle.golden["crc"][0], bundle.manifest["steps"], strict=True)
    return next((step["name"] for layer, crc, step in rows if layer.crc != int(crc)), None)


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
