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
    """What is the same whatever is spilled. ``room``: bytes for activations, weights and the code
    of parts."""

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

    @cached_property
    def reads(self) -> Mapping[str, tuple[str, ...]]:
        """The activations that each node reads."""
        return {node.name: self.graph.activations(node) for node in self.steps}

    def bytes(self, name: str) -> int:
        return self.graph.values[name].bytes

    def beside_whole(self, node: Node) -> int:
        """Least bytes of weights, which may come part by part, and scratch."""
        return self._least_weights[self.index[node.name]] + self._scratch.get(node.name, 0)

    def beside_part(self, name: str) -> int:
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


@dataclass(frozen=True)
class SpilledNeeds:
    """What the steps need with ``spilling``."""

    needs: SpillNeeds
    spilling: Spilling

    @cached_property
    def running(self) -> list[Node]:
        """The nodes that are not parts of others."""
        return [node for node in self.needs.steps if node.output not in self.spilling.inlined]

    @cached_property
    def hungriest(self) -> Node:
        """The node that needs most."""
        return max(self.running, key=self.of)

    @property
    def excess(self) -> int:
        """Bytes that the hungriest step lacks."""
        return self.of(self.hungriest) - self.room_beside

    def fits(self, node: Node) -> bool:
        """Whether ``node`` has room."""
        return self.of(node) <= self.room_beside

    def of(self, node: Node) -> int:
        """Bytes without which ``node`` cannot run: its weights, what it reads and writes, and what
        is idle."""
        needs, count = self.needs, self.spilling.counts.get(node.name, 1)
        idle = sum(map(needs.bytes, self.idle(node)))
        if count == 1:
            names = {*needs.reads[node.name], node.output}
            return idle + needs.beside_whole(node) + sum(map(needs.bytes, names))
        parts = PartBytes(needs.graph, self.spilling, needs.beside_part).most(node, count)
        return idle + parts + sum(map(needs.bytes, self._resident(node)))

    @cached_property
    def room_beside(self) -> int:
        """Without the code of parts and of what is moved."""
        return self.needs.room - sum(map(self._code, self.running))

    def idle(self, node: Node) -> list[str]:
        """Values in the arena while ``node`` runs that it does not touch."""
        at, own = self.needs.index[node.name], {node.output}
        for each in self._members(node):
            own.update(self.needs.reads[each.name])
        spans = self._spans.items()
        return [name for name, (first, last) in spans if first <= at <= last and name not in own]

    def _members(self, node: Node) -> tuple[Node, ...]:
        """``node`` and what computes anew for each of its parts."""
        inlined = self.spilling.inlined
        if inlined.isdisjoint(self.needs.reads[node.name]):
            return (node,)
        return tuple(members(self.needs.graph, node, inlined))

    def _resident(self, node: Node) -> set[str]:
        """What parts of ``node`` read or write that is in the arena as a whole."""
        spilling = self.spilling
        read = {
            name
            for each in self._members(node)
            for name in self.needs.reads[each.name]
            if name not in spilling.inlined and not spilling.comes(name, each.name)
        }
        return read | ({node.output} - spilling.spilled)

    @cached_property
    def _spans(self) -> dict[str, tuple[int, int]]:
        """First and last step of each value that lies in the arena as a whole."""
        graph, spilling, index = self.needs.graph, self.spilling, self.needs.index
        found = {name: (0, 0) for name in graph.inputs if name not in spilling.spilled}
        for node in self.running:
            at, count = index[node.name], spilling.counts.get(node.name, 1)
            if node.output not in spilling.spilled or count == 1:
                found[node.output] = at, at
            for name in self._resident(node) & found.keys():
                found[name] = found[name][0], at
        last = len(self.needs.steps) - 1
        return found | {name: (found[name][0], last) for name in graph.outputs}

    def _code(self, node: Node) -> int:
        """What parts of ``node`` and their transfers add."""
        spilled, inner = self.spilling.spilled, self._members(node)
        size, count = self.needs.given.code_size, self.spilling.counts.get(node.name, 1)
        kinds = min(count, KINDS)
        read = {name for each in inner for name in self.needs.reads[each.name]}
        moves = len(read & spilled) + (node.output in spilled)
        each = (kinds - 1) * size.step // 2 + (count - kinds) * size.again
        return len(inner) * each + count * size.alias * moves
