"""A graph with the facts that the search for regions reads again and again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from deployer.analysis import Reach, owners, reaches
from deployer.ir import Graph, RegionMode, is_spatial
from deployer.restructure.cost import Coefficients, CostModel, whole_cost


class Candidate(NamedTuple):
    """How to compute a run: ``cost`` beyond the plain run, ``peak`` bytes alive at most.

    ``mode`` is None for the plain run, of whole tensors; pieces are ``split`` rows and columns, or
    groups between the split points ``channels``. With ``over``, the input of that name and the grid
    share ``pair`` bytes, which ``peak`` leaves out. With line buffers a call makes ``chunk`` rows.
    """

    cost: float
    peak: int
    mode: RegionMode | None = None
    split: tuple[int, int] = (1, 1)
    over: str = ""
    pair: int = 0
    fetch: bool = False
    channels: tuple[int, ...] = ()
    chunk: int = 1


@dataclass(frozen=True, eq=False)
class Facts:
    """The graph without its regions; node indices are those of ``graph.nodes``.

    ``cut``: the model of nodes in groups of channels, whose kernels take weights in the IR's order;
    None for ``model``.
    """

    graph: Graph
    model: CostModel
    scratch: Mapping[str, int]
    cut: CostModel | None = None

    @cached_property
    def count(self) -> int:
        return len(self.graph.nodes)

    @cached_property
    def spatial(self) -> list[bool]:
        return [is_spatial(self.graph, node) for node in self.graph.nodes]

    @cached_property
    def rules(self) -> list[tuple[tuple[str, Reach, Reach], ...]]:
        rows = zip(self.graph.nodes, self.spatial, strict=True)
        return [reaches(self.graph, node) if spatial else () for node, spatial in rows]

    @cached_property
    def factors(self) -> list[Coefficients]:
        return [self.model(self.graph, node) for node in self.graph.nodes]

    @cached_property
    def cores(self) -> int:
        """Cores that share a call."""
        return max((each.cores for each in self.factors), default=1)

    @cached_property
    def whole_costs(self) -> list[float]:
        """Of every node in one call."""
        pairs = zip(self.graph.nodes, self.factors, strict=True)
        return [whole_cost(self.graph, node, factors) for node, factors in pairs]

    @cached_property
    def cut_costs(self) -> list[float]:
        """What every node costs beyond ``whole_costs`` by the kernel that takes cut weights."""
        if self.cut is None:
            return [0.0] * self.count
        pairs = zip(self.graph.nodes, self.whole_costs, strict=True)
        return [
            whole_cost(self.graph, node, self.cut(self.graph, node)) - cost for node, cost in pairs
        ]

    @cached_property
    def owner(self) -> dict[str, str]:
        return owners(self.graph)

    @cached_property
    def born(self) -> dict[str, int]:
        """Index of the node that writes each owner; inputs are there from the first."""
        at = {node.output: i for i, node in enumerate(self.graph.nodes)}
        return {name: at.get(name, 0) for name in self.size}

    @cached_property
    def last(self) -> dict[str, int]:
        """Index of the last node that reads each owner, its own if none does; outputs live on
        behind the last node."""
        found = dict(self.born)
        for i, node in enumerate(self.graph.nodes):
            for name in self.graph.activations(node):
                found[self.owner[name]] = i
        for name in self.graph.outputs:
            found[self.owner[name]] = self.count
        return found

    @cached_property
    def size(self) -> dict[str, int]:
        """Bytes of each owner, as the arena takes them."""
        names = dict.fromkeys(self.owner.values())
        values = self.graph.values
        return {n: -(-values[n].bytes // 4) * 4 for n in names if n not in self.graph.constants}

    def spare(self, node: int) -> int:
        """Scratch bytes of a node's kernel, as the arena takes them."""
        return -(-self.scratch.get(self.graph.nodes[node].name, 0) // 4) * 4

    def written(self, node: int) -> int:
        """Bytes of what a node writes; 0 for an alias."""
        return self.size.get(self.graph.nodes[node].output, 0)

    def whole(self, first: int, end: int) -> int:
        """Bytes of the whole tensors alive while nodes [first, end) run as one region."""
        return int(self._alive[first, end - 1])

    @cached_property
    def _alive(self) -> np.ndarray:
        """[i, j]: alive at some node of i..j, but not born and dead inside unless i is j; what the
        graph gives back is alive behind its last node."""
        count = self.count
        touch = np.zeros((count + 1, count + 1), np.int64)
        inner = np.zeros((count + 1, count + 1), np.int64)
        kept = {*self.graph.inputs, *(self.owner[name] for name in self.graph.outputs)}
        for name, size in self.size.items():
            born, last = self.born[name], self.last[name]
            touch[: last + 1, born:] += size
            if name not in kept:
                inner[: born + 1, last:] += size
        inner[np.arange(count), np.arange(count)] = 0  # a node alone stores what it writes
        return touch - inner
