"""The network: values, nodes in topological order, constants. Frozen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from deployer.ir.attrs import ConcatAttrs, SliceAttrs
from deployer.ir.region import Region
from deployer.ir.rules import RequantRule
from deployer.ir.share import Share
from deployer.ir.tie import Tie
from deployer.ir.types import Value


@dataclass(frozen=True)
class Requant:
    """How a node's int32 accumulator becomes its output integer.

    ``multiplier``, ``rounding`` and ``shift`` name constants of the graph, one entry per output
    channel (Add: see numerics.integer). ``low`` and ``high`` bound the result: the type's range cut
    by the fused activation.
    """

    rule: RequantRule
    multiplier: str
    rounding: str
    shift: str
    low: int
    high: int


@dataclass(frozen=True)
class Node:
    """One operator. ``inputs``: activations first, then constants (weights, bias).

    ``kernel``: symbol of the one that a board's choice gave it, "" for the first that takes it;
    ``stored``: bytes of its weights in the order which that one wants, 0 for those of the graph.
    """

    name: str
    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attrs: Any  # of the class that ir.ops.OPS names for the operator
    requant: Requant | None = None
    origin: tuple[str, ...] = ()
    kernel: str = ""
    stored: int = 0

    @property
    def first(self) -> str:
        """The first input: of most operators the only activation."""
        return self.inputs[0]

    @property
    def output(self) -> str:
        return self.outputs[0]

    @property
    def rq(self) -> Requant:
        """The requantization of a node of an integer graph."""
        if self.requant is None:
            raise ValueError(f"{self.name} is not quantized")
        return self.requant


@dataclass(frozen=True, eq=False)
class Graph:
    """``nodes`` are in execution order; ``inputs`` and ``outputs`` name values.

    ``notes`` records decisions a user should read (batch fixed, softmax left to the host).
    ``regions`` names runs of nodes that execute piece by piece, in the nodes' order; ``shares`` the
    values that lie in each other's bytes; ``ties`` those of a float graph that take one
    quantization.
    """

    name: str
    values: Mapping[str, Value]
    nodes: tuple[Node, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    constants: Mapping[str, np.ndarray]
    notes: tuple[str, ...] = ()
    meta: Mapping[str, str] = field(default_factory=dict)
    regions: tuple[Region, ...] = ()
    shares: tuple[Share, ...] = ()
    ties: tuple[Tie, ...] = ()

    @cached_property
    def producer(self) -> dict[str, Node]:
        """The node that writes each value."""
        return {out: node for node in self.nodes for out in node.outputs}

    @cached_property
    def consumers(self) -> dict[str, tuple[Node, ...]]:
        """The nodes that read each value."""
        readers: dict[str, list[Node]] = {}
        for node in self.nodes:
            for name in dict.fromkeys(node.inputs):
                readers.setdefault(name, []).append(node)
        return {name: tuple(nodes) for name, nodes in readers.items()}

    @cached_property
    def outside(self) -> frozenset[str]:
        """Values that are not in the arena: inputs of the network of which Slices fetch rows, and
        what is spilled."""
        slices = (node for node in self.nodes if isinstance(node.attrs, SliceAttrs))
        return self.spilled.union(node.inputs[0] for node in slices if node.attrs.fetched)

    @cached_property
    def spilled(self) -> frozenset[str]:
        """Values that lie in the memory behind the arena's, and Concats of them, which lie where
        their parts do."""
        found: set[str] = set()
        for node in self.nodes:
            spills = isinstance(node.attrs, SliceAttrs) and node.attrs.spilled
            joins = isinstance(node.attrs, ConcatAttrs) and node.inputs[0] in found
            found |= {node.output} if spills or joins else set()
        return frozenset(found)

    @cached_property
    def by_rows(self) -> frozenset[str]:
        """Inputs that are not resident."""
        inputs = self.outside - self.spilled
        return inputs.union(*(region.fetch for region in self.regions))

    def activations(self, node: Node) -> tuple[str, ...]:
        """The node's inputs that are not constants."""
        return tuple(name for name in node.inputs if name not in self.constants)

    def shapes(self, names: Iterable[str]) -> tuple[tuple[int, ...], ...]:
        return tuple(self.values[name].shape for name in names)
