"""A graph under rewriting, whose indexes stay right from edit to edit.

A frozen Graph is copied whole by every edit; thousands of edits on thousands of nodes need less.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from deployer.ir import Graph, Node, Value


class Draft:
    """``nodes`` by name, in no order that matters; ``graph`` puts them in execution order."""

    def __init__(self, graph: Graph):
        self._source = graph
        self.inputs, self.outputs = graph.inputs, graph.outputs
        self.nodes: dict[str, Node] = {}
        self.values: dict[str, Value] = dict(graph.values)
        self.constants: dict[str, np.ndarray] = dict(graph.constants)
        self.producer: dict[str, Node] = {}
        self._readers: dict[str, dict[str, None]] = {}
        self._place: dict[str, tuple[int, int]] = {}
        self._count = 0
        for index, node in enumerate(graph.nodes):
            self._add(node, index)
        self._prune(list(self.producer))

    def readers(self, name: str) -> tuple[Node, ...]:
        """The nodes that read a value."""
        return tuple(self.nodes[reader] for reader in self._readers.get(name, ()))

    def activations(self, node: Node) -> tuple[str, ...]:
        """The node's inputs that are not constants."""
        return tuple(name for name in node.inputs if name not in self.constants)

    def change(
        self,
        nodes: Mapping[str, Sequence[Node]],
        values: Mapping[str, Value],
        constants: Mapping[str, np.ndarray],
    ) -> None:
        """Put other nodes in the place of some; drop what no output needs any more."""
        self.values.update(values)
        self.constants.update(constants)
        places = {name: self._place[name][0] for name in nodes}
        touched = [item for name in nodes for item in self._remove(name)]
        for name, news in nodes.items():
            for node in news:
                self._add(node, places[name])
                touched.extend(node.outputs)
        self._prune(touched)

    def graph(self) -> Graph:
        """The graph as it stands, every node after what it reads."""
        live = {name for node in self.nodes.values() for name in (*node.inputs, *node.outputs)}
        live.update(self.inputs, self.outputs)
        return replace(
            self._source,
            nodes=tuple(self._ordered()),
            inputs=self.inputs,
            outputs=self.outputs,
            values={name: value for name, value in self.values.items() if name in live},
            constants={name: array for name, array in self.constants.items() if name in live},
        )

    def _add(self, node: Node, place: int) -> None:
        self._count += 1
        self._place[node.name] = (place, self._count)
        self.nodes[node.name] = node
        for name in node.outputs:
            self.producer[name] = node
        for name in node.inputs:
            self._readers.setdefault(name, {})[node.name] = None

    def _remove(self, name: str) -> tuple[str, ...]:
        """Take a node out; the values it read and wrote."""
        node = self.nodes.pop(name)
        for read in set(node.inputs):
            del self._readers[read][name]
        for written in node.outputs:
            self.producer.pop(written, None)
        return (*node.inputs, *node.outputs)

    def _prune(self, touched: list[str]) -> None:
        """Without the producers, among those of ``touched``, that no output needs."""
        while touched:
            name = touched.pop()
            if self._readers.get(name) or name in self.outputs or name in self.inputs:
                continue
            producer = self.producer.get(name)
            if producer is not None:
                touched.extend(self._remove(producer.name))
            elif name not in self.producer:
                self.constants.pop(name, None)
                self.values.pop(name, None)

    def _ordered(self) -> Iterable[Node]:
        """By place, but after what each reads."""
        waiting = {
            name: sum(item in self.producer for item in set(node.inputs))
            for name, node in self.nodes.items()
        }
        ready = [(self._place[name], name) for name, count in waiting.items() if not count]
        heapq.heapify(ready)
        while ready:
            _, name = heapq.heappop(ready)
            yield self.nodes[name]
            for output in self.nodes[name].outputs:
                for reader in self._readers.get(output, ()):
                    waiting[reader] -= 1
                    if not waiting[reader]:
                        heapq.heappush(ready, (self._place[reader], reader))
