"""A seeded sample of layers in which every value of every axis appears."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deployer.errors import UsageError, near_hints
from deployer.frontend import WEIGHT_ROWS, imported_window
from deployer.tools.bench.sweep_layers import Part, Shape, SweepLayer, Values
from deployer.tools.bench.sweep_operators import OPERATORS, Axes, Swept

# what every board with an image of some 100 KiB can hold and an emulator runs in a moment
MOST_ELEMENTS, MOST_WEIGHT_BYTES, MOST_MACS = 32 << 10, 264_192, 1_000_000
_TRIES = 120  # candidates of a layer
_RARE = 0.5  # how often a candidate takes a rarest value
_SMALL = 8.0  # how much less welcome a small layer is: as one whose values were drawn so often more


@dataclass(frozen=True)
class SweepRequest:
    """``count``: layers in all, 0 for as many as cover every axis. ``operators``, ``bits``: those
    only, all when empty."""

    count: int = 0
    seed: int = 0
    operators: tuple[str, ...] = ()
    bits: tuple[int, ...] = ()


def draw_layers(request: SweepRequest) -> tuple[SweepLayer, ...]:
    """Layers by operator. Raises UsageError for an operator that is none, or where none of the
    operators has activations of ``bits``."""
    chosen = {name: _of_bits(swept, request.bits) for name, swept in _named(request).items()}
    chosen = {name: swept for name, swept in chosen.items() if swept.axes["bits"]}
    if not chosen:
        raise UsageError("no operator has activations of these bits", hints=["leave --bits out"])
    counts = _counts(request.count, {name: swept.layers for name, swept in chosen.items()})
    return tuple(
        _as_imported(layer)
        for name, swept in chosen.items()
        for layer in _draw(name, swept, counts[name], request.seed)
    )


def _as_imported(layer: SweepLayer) -> SweepLayer:
    """Without the rows and columns of windows that meet padding only: they are no products."""
    shapes = zip(layer.parts, layer.shapes, layer.shapes[1:], strict=False)
    parts = tuple(_imported_part(part, read[0], made[0]) for part, read, made in shapes)
    return layer if parts == layer.parts else replace(layer, parts=parts)


def _imported_part(part: Part, read: Shape, made: Shape) -> Part:
    if part.op not in WEIGHT_ROWS:
        return part
    window = imported_window(part.op, part.attrs.window, read[1:3], made[1:3])
    at = WEIGHT_ROWS[part.op]
    weights = (*part.weights[:at], *window.kernel, *part.weights[at + 2 :])
    return replace(part, attrs=replace(part.attrs, window=window), weights=weights)


def _named(request: SweepRequest) -> Mapping[str, Swept]:
    for name in request.operators:
        if name not in OPERATORS:
            raise UsageError(f"unknown operator {name!r}", hints=near_hints(name, OPERATORS))
    return {
        name: swept
        for name, swept in OPERATORS.items()
        if name in request.operators or not request.operators
    }


def _of_bits(swept: Swept, bits: Sequence[int]) -> Swept:
    left = tuple(each for each in swept.axes["bits"] if each in bits or not bits)
    return Swept({**swept.axes, "bits": left}, swept.make, swept.layers)


def _counts(count: int, shares: Mapping[str, int]) -> dict[str, int]:
    """``count`` divided in proportion, one each where there are as many; the largest remainders
    take what is left."""
    if not count:
        return dict(shares)
    least, whole = int(count >= len(shares)), sum(shares.values())
    rest = count - least * len(shares)
    found = {name: least + rest * share // whole for name, share in shares.items()}
    by_remainder = sorted(shares, key=lambda name: -(rest * shares[name] % whole))
    for name in by_remainder[: count - sum(found.values())]:
        found[name] += 1
    return found


def _draw(operator: str, swept: Swept, count: int, seed: int) -> list[SweepLayer]:
    """Each layer has the value used least so far; of some that do, the one whose other values were
    used least."""
    rng = np.random.default_rng([seed, *operator.encode()])
    usage = Usage(swept.axes)
    found: list[SweepLayer] = []
    for _ in range(count):
        found.append(_next(operator, swept, usage, rng))
        usage.add(found[-1].values)
    return found


class Usage:
    """How often each value was drawn, in relation to how often it should be: an axis that names a
    value twice wants it twice as often."""

    def __init__(self, axes: Axes):
        self._axes = axes
        self._share = {name: Counter(values) for name, values in axes.items()}
        self._counts: dict[str, Counter[Any]] = {name: Counter() for name in axes}

    def add(self, values: Values) -> None:
        for name in self._axes:
            self._counts[name][values[name]] += 1

    def of(self, name: str, value: Any) -> float:
        """Times the value was drawn over the times that are due to it in a round of its axis."""
        return self._counts[name][value] * len(self._axes[name]) / self._share[name][value]

    def of_all(self, values: Values) -> float:
        return sum(self.of(name, values[name]) for name in self._axes)

    def due(self, rng: np.random.Generator) -> list[tuple[str, Any]]:
        """Axes and values, the least used first; of those, one of the axis with most of them."""
        pairs = [(name, value) for name, share in self._share.items() for value in share]
        order = [pairs[index] for index in rng.permutation(len(pairs))]
        unused = {
            name: sum(not self.of(name, value) for value in share)
            for name, share in self._share.items()
        }
        return sorted(order, key=lambda pair: (self.of(*pair), -unused[pair[0]]))

    def rarest(self, name: str, rng: np.random.Generator) -> Any:
        """A value of the axis that no other was drawn less than."""
        least = min(self.of(name, value) for value in self._share[name])
        values = [value for value in self._share[name] if self.of(name, value) == least]
        return _any(values, rng)


def _next(operator: str, swept: Swept, usage: Usage, rng: np.random.Generator) -> SweepLayer:
    """Raises RuntimeError where no layer has any of the values: the axes are wrong then."""
    for axis, value in usage.due(rng):
        tried = ({**_candidate(swept.axes, usage, rng), axis: value} for _ in range(_TRIES))
        layers = [layer for values in tried if (layer := _fitting(operator, swept, values))]
        if layers:
            return min(layers, key=lambda layer: usage.of_all(layer.values) + _SMALL * layer.small)
    raise RuntimeError(f"no layer of {operator} is within the limits")


def _candidate(axes: Axes, usage: Usage, rng: np.random.Generator) -> Values:
    """Some of its values are of the rarest, the others any."""
    return {
        name: usage.rarest(name, rng) if rng.random() < _RARE else _any(values, rng)
        for name, values in axes.items()
    }


def _fitting(operator: str, swept: Swept, values: Values) -> SweepLayer | None:
    layer = swept.layer(operator, values)
    if layer is None or layer.largest > MOST_ELEMENTS or layer.macs > MOST_MACS:
        return None
    return layer if layer.weight_bytes <= MOST_WEIGHT_BYTES else None


def _any(values: Sequence[Any], rng: np.random.Generator) -> Any:
    return values[int(rng.integers(len(values)))]
