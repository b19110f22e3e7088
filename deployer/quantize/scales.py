"""What samples told of a float graph, and the scales that follow for activations of any width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from deployer.choices import Calibration
from deployer.ir import Graph, QuantParams
from deployer.quantize.calibrate import Progress, Spread, calibrate
from deployer.quantize.histogram import Histogram, histograms, joined
from deployer.quantize.scheme import Scheme, known
from deployer.quantize.share import shared, tied, with_pad_values
from deployer.quantize.stated import owners, stated_quantization
from deployer.quantize.thresholds import Method, chosen
from deployer.quantize.widths import Typed


@dataclass(frozen=True, eq=False)
class Observed:
    """``spreads`` of every activation of ``graph``; ``histograms`` where a method needs them."""

    graph: Graph
    scheme: Scheme
    method: Method
    spreads: Mapping[str, Spread]
    histograms: Mapping[str, Histogram]
    _chosen: dict[tuple[str, int], QuantParams] = field(default_factory=dict)

    def by(self, method: Method) -> Observed:
        """The same with scales by another of the methods that it was observed for."""
        return replace(self, method=method, _chosen={})

    @cached_property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """By tied activation, all that are tied with it and have a scale of their own."""
        return tied(self.graph)

    def scales(self, target: Typed) -> dict[str, QuantParams]:
        """Of every activation of ``target`` with a quantization of its own."""
        graph, bits = target.graph, target.bits
        spreads = {name: self.spreads[target.copies.get(name, name)] for name in bits}
        stated = stated_quantization(graph)
        fixed = {**known(self.scheme, graph, bits), **stated}
        padded = with_pad_values(graph, spreads)
        owned = owners(graph)
        for name in owned:
            wider, own = padded[name], spreads[name]
            if (wider.low, wider.high) != (own.low, own.high):
                fixed.setdefault(name, self.scheme.fit(wider.low, wider.high, bits[name]))
        free = owned - set(fixed)
        found = {name: self._scale(target.copies.get(name, name), bits[name]) for name in free}
        return shared(graph, {**found, **fixed}, stated)

    def means(self, target: Typed) -> dict[str, np.ndarray]:
        """Per channel of every activation; of tied ones those of all that have as many."""
        return {name: self._mean(target.copies.get(name, name)) for name in target.bits}

    def _mean(self, name: str) -> np.ndarray:
        own = self.spreads[name].mean
        means = (self.spreads[each].mean for each in self.groups.get(name, (name,)))
        return np.asarray(np.mean([mean for mean in means if mean.shape == own.shape], axis=0))

    def _scale(self, name: str, bits: int) -> QuantParams:
        if (name, bits) not in self._chosen:
            self._chosen[name, bits] = self._choose(name, bits)
        return self._chosen[name, bits]

    def _choose(self, name: str, bits: int) -> QuantParams:
        group = self.groups.get(name, (name,))
        low = min(self.spreads[each].low for each in group)
        high = max(self.spreads[each].high for each in group)
        if self.method.name == Calibration.MINMAX:
            return self.scheme.fit(low, high, bits)
        found = [self.histograms[each] for each in group if each in self.histograms]
        if not any(histogram.counts.any() for histogram in found):
            return self.scheme.fit(low, high, bits)
        return chosen(joined(found), self.scheme, self.method, bits)


def observe(
    graph: Graph,
    arrays: Mapping[str, np.ndarray],
    scheme: Scheme,
    methods: Sequence[Method],
    *,
    progress: Progress,
) -> Observed:
    """Run the float graph over the samples once, twice where one of ``methods``, the first of which
    finds the scales, needs histograms."""
    spreads = calibrate(graph, arrays, progress=progress)
    if all(method.name == Calibration.MINMAX for method in methods):
        return Observed(graph, scheme, methods[0], spreads, {})
    missing = set(stated_quantization(graph))
    free = {name: spread for name, spread in spreads.items() if name not in missing}
    found = histograms(graph, arrays, free, progress=progress) if free else {}
    return Observed(graph, scheme, methods[0], spreads, found)
