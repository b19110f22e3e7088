"""A network while operators, values and constants are added to it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from deployer.frontend.net import Net, Op, Shape

_INT64 = 7  # ONNX element type


@dataclass
class Growing:
    """A network to which operators, values and constants are added."""

    net: Net
    shapes: dict[str, Shape]
    elements: dict[str, int]
    constants: dict[str, np.ndarray]
    taken: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, net: Net) -> Growing:
        names = {op.name for op in net.ops}
        return cls(net, dict(net.shapes), dict(net.elements), dict(net.constants), names)

    def with_ops(self, ops: Iterable[Op]) -> Net:
        """The network with all that was added, and these operators."""
        return replace(
            self.net,
            ops=tuple(ops),
            shapes=self.shapes,
            elements=self.elements,
            constants=self.constants,
        )

    def value(self, op: Op, kind: str, shape: Shape) -> str:
        """A new name for a value of ``op``, which an operator of that name makes."""
        stems = itertools.chain([f"{op.name}/{kind}"], self._numbered(op, kind))
        name = next(stem for stem in stems if stem not in self.shapes and stem not in self.taken)
        self.shapes[name], self.elements[name] = shape, self.elements.get(op.output, 0)
        return name

    def numbers(self, op: Op, kind: str, numbers: Iterable[int]) -> str:
        """A new constant of integers, such as the target of a Reshape."""
        found = np.array(list(numbers), np.int64)
        name = self.value(op, kind, found.shape)
        self.constants[name], self.elements[name] = found, _INT64
        return name

    def reshape(self, op: Op, source: str, output: str) -> Op:
        """The Reshape of ``source`` to the shape that is known of ``output``, for ``op``."""
        target = self.numbers(op, "shape", self.shapes[output])
        name = f"{op.name}/{output}"
        return Op(name, "Reshape", "", (source, target), (output,), {}, op.module)

    def _numbered(self, op: Op, kind: str) -> Iterator[str]:
        return (f"{op.name}/{kind}_{count}" for count in itertools.count(2))
