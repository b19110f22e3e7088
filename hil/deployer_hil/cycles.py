"""Counts of every step by the device's own counter: cold, behind a reset, and warm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from deployer.bundle import Bundle
from deployer.errors import BenchError, MismatchError, UsageError
from deployer.units import CounterUnit, FigureKind
from deployer_hil.conditions import require_conditions, require_unthrottled
from deployer_hil.exchange import Timeouts
from deployer_hil.measure import begin, connect, counts_per_unit
from deployer_hil.protocol import Layer
from deployer_hil.runner import Runner
from deployer_hil.samples import unstable
from deployer_hil.session import Session, through_restarts

WARMUPS = 2  # inferences between the first and the warm one


@dataclass(frozen=True)
class Cycles:
    """A step each, in ``unit``: of a board measured, of an emulator what its ``kind`` says.
    ``caps`` is what the device reads back: clock, caches, placement."""

    cold: tuple[int, ...]
    warm: tuple[int, ...]
    caps: Mapping[str, str]
    tool: str
    kind: FigureKind = FigureKind.MEASURED
    unit: CounterUnit = CounterUnit.CYCLES


def measure_cycles(
    bundle: Bundle, runner: Runner, *, clock_hz: int, timeouts: Timeouts | None = None
) -> Cycles:
    """One golden sample. Raises UsageError for a runner that counts nothing, BenchError for a
    board with a cache off or another clock, MismatchError when a step is not golden."""
    require_counting(bundle, runner)
    with connect(bundle, runner, timeouts=timeouts) as session:
        again = partial(begin, session, bundle, runner)
        caps = through_restarts(session.caps, again)
        require_counter(bundle, runner, caps)
        if runner.caps.kind == FigureKind.MEASURED:
            require_conditions(bundle.board, caps, clock_hz)
        cold, warm = through_restarts(partial(_cold_and_warm, session, bundle), again)
    caps |= runner.surroundings
    if runner.caps.hosted:
        require_unthrottled("cycles", bundle.board, caps, clock_hz)
    per = counts_per_unit(caps)
    return Cycles(
        *(_counts(cold, per), _counts(warm, per), caps, runner.tool),
        kind=runner.caps.kind,
        unit=CounterUnit(caps["counter"]),
    )


def require_counting(bundle: Bundle, runner: Runner) -> None:
    """Raises UsageError for a runner whose counts are worth nothing."""
    if runner.caps.timing == CounterUnit.NONE:
        raise UsageError(
            f"{runner.name} counts nothing of {bundle.board}",
            hints=[
                "a board, or an emulator that counts, such as qemu_system or gap8_sim",
                "deployer bench model estimates cycles without a board",
            ],
        )


def require_counter(bundle: Bundle, runner: Runner, caps: Mapping[str, str]) -> None:
    """Raises BenchError where the device counts something else than its runner says."""
    counter, wanted = caps.get("counter", "nothing"), runner.caps.timing
    if counter != wanted:
        raise BenchError(f"{bundle.board} counts {counter}, not {wanted}")


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


def _counts(layers: tuple[Layer, ...], per_unit: float) -> tuple[int, ...]:
    return tuple(round(layer.count / per_unit) for layer in layers)
