"""What the steps of a network need of the arena's memory where values are spilled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from deployer.analysis import step_nodes
from deployer.ir import Graph, Node
from deployer.plan.fetchable import PrefetchProblem
from deployer.plan.release import least_weight_bytes
from deployer.restructure import PartBytes, Spilling, members

KINDS = 3  # of parts that differ in their code: the first, the last, those between


@dataclass(frozen=True)
class SpillNeeds:
    """``room``: bytes for activations, weights and the code of parts."""

    given: PrefetchProblem
    room: int

    @property
    def graph(self) -> Graph:
        return self.given.schedule.graph

    @cached_property
    def steps(self) -> tuple[Node, ...]:
        return step_nodes(self.graph)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The step of each node."""
        return {node.name: index for index, node in enumerate(self.steps)}

    def running(self, spilling: Spilling) -> list[Node]:
        """The nodes that are not parts of others."""
        return [node for node in self.steps if node.output not in spilling.inlined]

    def excess(self, spilling: Spilling) -> int:
        """Bytes that the hungriest step lacks."""
        needed = max(self.of(node, spilling) for node in self.running(spilling))
        return needed - self.room_beside(spilling)

    def fits(self, node: Node, spilling: Spilling) -> bool:
        """Whether ``node`` has room."""
        return self.of(node, spilling) <= self.room_beside(spilling)

    def of(self, node: Node, spilling: Spilling) -> int:
        """Bytes without which ``node`` cannot run: its weights, what it reads and writes, and what
        is idle."""
        idle = sum(map(self.bytes, self.idle(node, spilling)))
        names = {*self.graph.activations(node), node.output}
        count = spilling.counts.get(node.name, 1)
        if count == 1:
            return idle + self._beside_whole(node) + sum(map(self.bytes, names))
        parts = PartBytes(self.graph, spilling, self._beside_part).most(node, count)
        return idle + parts + sum(map(self.bytes, self._resident(node, spilling)))

    def room_beside(self, spilling: Spilling) -> int:
        """Without the code of parts and of what is moved."""
        return self.room - sum(self._code(node, spilling) for node in self.running(spilling))

    def idle(self, node: Node, spilling: Spilling) -> list[str]:
        """Values in the arena while ``node`` runs that it does not touch."""
        at, own = self.index[node.name], {node.output}
        for each in members(self.graph, node, spilling.inlined):
            own.update(self.graph.activations(each))
        spans = self._spans(spilling).items()
        return [name for name, (first, last) in spans if first <= at <= last and name not in own]

    def bytes(self, name: str) -> int:
        return self.graph.values[name].bytes

    def _resident(self, node: Node, spilling: Spilling) -> set[str]:
        """What parts of ``node`` read or write that is in the arena as a whole."""
        read = {
            name
            for each in members(self.graph, node, spilling.inlined)
            for name in self.graph.activations(each)
            if name not in spilling.inlined and not spilling.comes(name, each.name)
        }
        return read | ({node.output} - spilling.spilled)

    def _spans(self, spilling: Spilling) -> dict[str, tuple[int, int]]:
        """First and last step of each value that lies in the arena as a whole."""
        found = {name: (0, 0) for name in self.graph.inputs if name not in spilling.spilled}
        for node in self.running(spilling):
            at, count = self.index[node.name], spilling.counts.get(node.name, 1)
            if node.output not in spilling.spilled or count == 1:
                found[node.output] = at, at
            for name in self._resident(node, spilling) & found.keys():
                found[name] = found[name][0], at
        last = len(self.steps) - 1
        return found | {name: (found[name][0], last) for name in self.graph.outputs}

    def _code(self, node: Node, spilling: Spilling) -> int:
        """What parts of ``node`` and their transfers add."""
        size, count = self.given.code_size, spilling.counts.get(node.name, 1)
        inner, kinds = list(members(self.graph, node, spilling.inlined)), min(count, KINDS)
        read = {name for each in inner for name in self.graph.activations(each)}
        moves = len(read & spilling.spilled) + (node.output in spilling.spilled)
        each = (kinds - 1) * size.step // 2 + (count - kinds) * size.again
        return len(inner) * each + count * size.alias * moves

    def _beside_whole(self, node: Node) -> int:
        """Least bytes of weights, which may come part by part, and scratch."""
        return self._least_weights[self.index[node.name]] + self._scratch.get(node.name, 0)

    def _beside_part(self, name: str) -> int:
        return self._weights.get(name, 0) + self._scratch.get(name, 0)

    @cached_property
    def _scratch(self) -> Mapping[str, int]:
        return {step.node: step.scratch for step in self.given.schedule.steps}

    @cached_property
    def _least_weights(self) -> list[int]:
        found: list[int] = least_weight_bytes(self.given).tolist()
        return found

    @cached_property
    def _weights(self) -> Mapping[str, int]:
        return {name: item.bytes for item in self.given.fetchable for name in item.nodes}
