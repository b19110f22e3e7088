"""Meters: what records volts, amps and the trigger, by name. How to add one: docs/energy.md."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import entry_points
from typing import Any

from deployer.errors import UsageError, near_hints
from deployer_hil.energy.timed import CALL_SECONDS, Meter, TimedMeter, stuck, within
from deployer_hil.runner import load_object

RECORDING, ASSUMED = "replay", "assumed"  # those that measure nothing now
GROUP = "deployer.meters"
BUILTIN: Mapping[str, str] = {
    RECORDING: "deployer_hil.energy.meters.replay:create",
    "joulescope": "deployer_hil.energy.meters.joulescope:create",
    "ppk2": "deployer_hil.energy.meters.ppk2:create",
    "lpm01a": "deployer_hil.energy.meters.lpm01a:create",
    "visa": "deployer_hil.energy.meters.visa:create",
    ASSUMED: "deployer_hil.energy.meter:assumed",
}


@dataclass(frozen=True)
class AssumedPower:
    """No meter: somebody's word for the power, ``watts``, while the board works."""

    watts: float

    @property
    def name(self) -> str:
        return f"assumed power of {self.watts:g} W"

    def close(self) -> None:
        """There is nothing to free."""


def assumed(target: str) -> AssumedPower:
    """``target``: watts while the board works, such as 3.5W of a data sheet."""
    return AssumedPower(number("power", target, "W"))


Source = Meter | AssumedPower


def create_meter(spec: str) -> Source:
    """``NAME[:TARGET][,KEY=VALUE…]``, as the user types it. Raises UsageError for an unknown meter
    or option, BenchError for one that does not answer. Calls of what records now end in time."""
    name, _, rest = spec.partition(":")
    factory = _factory(name)
    options = _options(name, rest)
    parameters = inspect.signature(factory).parameters
    for key in options:
        if key not in parameters:
            raise UsageError(f"meter {name} has no {key!r}", hints=near_hints(key, parameters))
    for key, parameter in parameters.items():
        if parameter.default is inspect.Parameter.empty and key not in options:
            raise UsageError(f"meter {name} needs {key}: {name}:{key.upper()}")
    if name in (RECORDING, ASSUMED):
        found: Source = factory(**options)
        return found
    try:
        return TimedMeter(within(CALL_SECONDS, partial(factory, **options)))
    except TimeoutError:
        raise stuck(f"meter {spec}", "does not open", CALL_SECONDS) from None


def meter_names() -> list[str]:
    return sorted({*BUILTIN, *(point.name for point in entry_points(group=GROUP))})


def number(name: str, text: str, unit: str = "") -> float:
    """``text`` with or without its unit. Raises UsageError naming the option ``name``."""
    try:
        value = float(text.strip().removesuffix(unit))
    except ValueError:
        value = -1.0
    if not 0 < value < float("inf"):
        raise UsageError(f"{name} {text!r} is no positive number{unit and f' of {unit}'}")
    return value


def _factory(name: str) -> Callable[..., Any]:
    points = {point.name: point.value for point in entry_points(group=GROUP)}
    known = {**points, **BUILTIN}
    if name not in known:
        raise UsageError(f"unknown meter {name!r}", hints=near_hints(name, meter_names()))
    factory: Callable[..., Any] = load_object(known[name])
    return factory


def _options(name: str, rest: str) -> dict[str, str]:
    """The words behind the name; the first may stand without a key and is then ``target``."""
    found: dict[str, str] = {}
    for index, word in enumerate(rest.split(",") if rest else []):
        key, equals, value = word.partition("=")
        if not equals and index == 0:
            key, value = "target", word
        if not value or key in found:
            raise UsageError(f"meter {name}: {word!r} is no KEY=VALUE")
        found[key] = value
    return found
