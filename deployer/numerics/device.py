"""The memory of one inference: buffers that hold poison while no value in them lives."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from deployer.analysis import Place, alias_facts_of, lifetimes, places, step_nodes
from deployer.ir import Graph, Node

_POISON = 0xA5


class Device:
    """Bytes of every buffer, and the values in them as arrays."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._steps = {node.name: i for i, node in enumerate(step_nodes(graph))}
        self._spilled: dict[str, np.ndarray] = {}
        self._buffers = lifetimes(graph)
        self._bytes = {b.id: np.full(b.size, _POISON, np.uint8) for b in self._buffers}
        self._places: Mapping[str, Place] = places(graph)
        self._facts = alias_facts_of(graph)

    def whole(self, name: str) -> np.ndarray:
        """The bytes of a whole value as its array, without the batch axis."""
        if name in self._graph.spilled:
            return self._outside(name)
        value, place = self._graph.values[name], self._places[name]
        kind, shape = value.dtype.numpy, value.shape[1:]
        if place.pitches is None:
            raw = self._bytes[place.buffer][place.offset : place.offset + value.bytes]
            return raw.view(kind).reshape(shape)
        strides = (*place.pitches, 1)[3 - len(shape) :]
        return np.ndarray(
            shape,
            kind,
            self._bytes[place.buffer].data,
            place.offset,
            tuple(pitch * value.dtype.bytes for pitch in strides),
        )

    def _outside(self, name: str) -> np.ndarray:
        """A spilled value, which lies in no buffer."""
        value = self._graph.values[name]
        if name not in self._spilled:
            raw = np.full(value.bytes, _POISON, np.uint8)
            self._spilled[name] = raw.view(value.dtype.numpy).reshape(value.shape[1:])
        return self._spilled[name]

    def piece(self, owner: str, shape: tuple[int, int, int]) -> np.ndarray:
        """The buffer of an interior value, seen as ``shape``."""
        return self.numbers(owner, self._graph.values[owner].dtype.numpy, shape)

    def numbers(self, buffer: str, dtype: np.dtype, shape: tuple[int, int, int]) -> np.ndarray:
        """The start of a buffer as an array."""
        raw = self._bytes[buffer][: int(np.prod(shape)) * dtype.itemsize]
        return raw.view(dtype).reshape(shape)

    def poison(self, step: int, inside: set[str] | None = None) -> None:
        """Poison what begins at ``step`` and what ended before it; only ``inside`` if given."""
        for buffer in self._buffers:
            changes = (step == buffer.lower and step > 0) or step == buffer.upper
            if changes and (inside is None or buffer.id in inside):
                self._bytes[buffer.id][...] = _POISON
        if self._graph.shares and inside is None:
            self._poison_shared(step)

    def _poison_shared(self, step: int) -> None:
        """Poison what is born now, and what died, but for the bytes that live values need."""
        spans = self._facts.live
        changing, needed = dict[str, str](), dict[str, str]()
        for name in self._facts.tensors:
            place, span = self._places[name], spans[self._facts.owner[name]]
            born, dead = step == span.lower and step > 0, step >= span.upper
            (changing if born or dead else needed)[name] = place.buffer
        for buffer in set(changing.values()):
            keep = [(n, self.whole(n).copy()) for n, b in needed.items() if b == buffer]
            keep = [(n, array) for n, array in keep if spans[self._facts.owner[n]].lower < step]
            for name, where in changing.items():
                if where == buffer:
                    self.whole(name).view(np.uint8)[...] = _POISON
            for name, array in keep:
                self.whole(name)[...] = array

    def buffers_but(self, tiles: set[str]) -> set[str]:
        return {b.id for b in self._buffers if b.id not in tiles}

    def step(self, node: Node) -> int:
        return self._steps[node.name]

    def constant(self, name: str) -> np.ndarray | None:
        return self._graph.constants.get(name)

    @property
    def graph(self) -> Graph:
        return self._graph
