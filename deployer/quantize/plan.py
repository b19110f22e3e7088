"""A network's quantization with what is still open: the two corrections and the widths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from deployer.ir import Graph
from deployer.quantize.calibrate import Progress, no_progress
from deployer.quantize.equalize import equalize
from deployer.quantize.integer_graph import IntegerGraph, assemble
from deployer.quantize.rounding import Rounder, input_moments
from deployer.quantize.scales import Observed, observe
from deployer.quantize.scheme import Scheme
from deployer.quantize.thresholds import Method
from deployer.quantize.widths import Typed, typed


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything decided but the two corrections and, in a search, the widths.

    ``wide`` names the nodes and inputs that are int16, ``locked`` those that must stay int8.
    """

    graph: Graph
    scheme: Scheme
    method: Method
    wide: frozenset[str]
    locked: frozenset[str] = frozenset()

    def observe(
        self, evened: bool, arrays: Mapping[str, np.ndarray], progress: Progress = no_progress
    ) -> Observed:
        """The float graph, its channels evened out or not, and what it does on ``arrays``."""
        real = equalize(self.graph) if evened else self.graph
        return observe(real, arrays, self.scheme, self.method, progress=progress)

    def trial(self, evened: bool, arrays: Mapping[str, np.ndarray]) -> Callable[[bool], Graph]:
        seen = self.observe(evened, arrays)
        target = typed(seen.graph, self.wide)
        return lambda corrected: integers(seen, target, corrected).graph


def integers(
    seen: Observed, target: Typed, corrected: bool, rounder: Rounder | None = None
) -> IntegerGraph:
    """The integer graph of ``target``, with or without bias correction."""
    means = seen.means(target) if corrected else {}
    return assemble(target.graph, seen.scales(target), seen.scheme, means, rounder=rounder)


def rounder_of(graph: Graph, arrays: Mapping[str, np.ndarray], corrected: bool) -> Rounder:
    """How weights beside int16 are rounded, by what the layers of float ``graph`` read."""
    return Rounder(input_moments(graph, arrays), corrected)
