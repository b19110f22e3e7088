"""A network's quantization with what is still open: methods, corrections and widths."""

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
from deployer.quantize.tune import Choice
from deployer.quantize.widths import Typed, typed


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything decided but the method, the two corrections and, in a search, the widths.

    ``methods`` are those that may find the scales, the default first. ``wide`` names the nodes and
    inputs that are int16, ``locked`` those that must stay int8.
    """

    graph: Graph
    scheme: Scheme
    methods: tuple[Method, ...]
    wide: frozenset[str]
    locked: frozenset[str] = frozenset()

    def observe(
        self, choice: Choice, arrays: Mapping[str, np.ndarray], progress: Progress = no_progress
    ) -> Observed:
        """The float graph as ``choice`` has it, and what it does on ``arrays``."""
        real = equalize(self.graph) if choice.equalize else self.graph
        return observe(real, arrays, self.scheme, (choice.method,), progress=progress)

    def trial(
        self, evened: bool, methods: tuple[Method, ...], arrays: Mapping[str, np.ndarray]
    ) -> Callable[[Choice], Graph]:
        """The integer graph of a choice by one of ``methods``, by the float graph with channels
        evened out or not."""
        real = equalize(self.graph) if evened else self.graph
        seen = observe(real, arrays, self.scheme, methods, progress=no_progress)
        target = typed(seen.graph, self.wide)

        def made(choice: Choice) -> Graph:
            return integers(seen.by(choice.method), target, choice.bias_correction).graph

        return made


def integers(
    seen: Observed, target: Typed, corrected: bool, rounder: Rounder | None = None
) -> IntegerGraph:
    """The integer graph of ``target``, with or without bias correction."""
    means = seen.means(target) if corrected else {}
    return assemble(target.graph, seen.scales(target), seen.scheme, means, rounder=rounder)


def rounder_of(graph: Graph, arrays: Mapping[str, np.ndarray], corrected: bool) -> Rounder:
    """How weights beside int16 are rounded, by what the layers of float ``graph`` read."""
    return Rounder(input_moments(graph, arrays), corrected)
