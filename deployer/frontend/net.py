"""The decoded ONNX graph: ONNX names and layout, static shapes, constants folded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from deployer.ir import QuantParams

Shape = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Op:
    """One ONNX node. ``name`` is unique; ``module`` is the exporter's module path, or empty."""

    name: str
    type: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attrs: Mapping[str, Any]
    module: str = ""

    def input(self, index: int) -> str:
        """Name of an input; empty when it is left out."""
        return self.inputs[index] if index < len(self.inputs) else ""

    @property
    def first(self) -> str:
        """Name of the first input: of most operators the only activation."""
        return self.input(0)

    @property
    def output(self) -> str:
        return self.outputs[0]

    def ints(self, name: str, default: tuple[int, ...] = ()) -> tuple[int, ...]:
        return tuple(int(item) for item in self.attrs.get(name, default))


@dataclass(frozen=True, eq=False)
class Net:
    """``ops`` in execution order, each needed by an output; ``inputs`` are those in use.

    ``shapes`` and ``elements`` (ONNX element types) lack the values that inference cannot tell,
    which happens behind an unsupported operator only. ``grids``: of constants that were integers,
    the scale beside every element. ``quants``: of the activations that are integers, what they
    stand for.
    """

    name: str
    opset: int
    ops: tuple[Op, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    shapes: Mapping[str, Shape]
    elements: Mapping[str, int]
    constants: Mapping[str, np.ndarray]
    notes: tuple[str, ...] = ()
    grids: Mapping[str, np.ndarray] = field(default_factory=dict)
    quants: Mapping[str, QuantParams] = field(default_factory=dict)

    @cached_property
    def producer(self) -> dict[str, Op]:
        return {name: op for op in self.ops for name in op.outputs if name}

    @cached_property
    def readers(self) -> dict[str, tuple[Op, ...]]:
        found: dict[str, list[Op]] = {}
        for op in self.ops:
            for name in dict.fromkeys(op.inputs):
                found.setdefault(name, []).append(op)
        return {name: tuple(ops) for name, ops in found.items()}

    def known(self, op: Op) -> bool:
        """Whether the shapes of all its activations and of its first output are known."""
        names = [n for n in (*op.inputs, op.output) if n and n not in self.constants]
        return all(name in self.shapes for name in names)

    def constant(self, op: Op, index: int) -> np.ndarray | None:
        """An input's value; None when it is left out or computed at run time."""
        return self.constants.get(op.input(index))

    def pruned(self) -> Net:
        """Without nodes that no output needs."""
        needed, kept = set(self.outputs), []
        for op in reversed(self.ops):
            if needed & set(op.outputs):
                kept.append(op)
                needed.update(op.inputs)
        return replace(self, ops=tuple(reversed(kept)))

    def activations(self, op: Op) -> tuple[str, ...]:
        return tuple(name for name in op.inputs if name and name not in self.constants)


def real(array: np.ndarray) -> np.ndarray:
    """As contiguous float32; values beyond its range become infinite."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(array, dtype=np.float32)


def along_axis(constant: np.ndarray, shape: Shape) -> tuple[int, np.ndarray] | None:
    """``constant``, if it broadcasts over ``shape``, an activation's, along one axis behind the
    batch only.

    The axis, and one float64 number per element of it. A scalar is said to lie along axis 1.
    """
    if constant.ndim > len(shape):
        return None
    full = (1,) * (len(shape) - constant.ndim) + constant.shape
    axis = next((i for i, size in enumerate(full) if size != 1), 1)
    if axis == 0 or math.prod(full) != full[axis] or full[axis] not in (1, shape[axis]):
        return None
    return axis, np.broadcast_to(constant.reshape(-1).astype(np.float64), (shape[axis],))
