"""TensorFlow Lite files read without TensorFlow: flatbuffer tables walked by hand.

Field numbers are those of TensorFlow Lite's schema.fbs (version 3).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

_TYPES = {0: "<f4", 2: "<i4", 3: "u1", 4: "<i8", 9: "i1"}
OPERATORS = {
    0: "ADD",
    1: "AVERAGE_POOL_2D",
    3: "CONV_2D",
    4: "DEPTHWISE_CONV_2D",
    9: "FULLY_CONNECTED",
    22: "RESHAPE",
    25: "SOFTMAX",
}


@dataclass(frozen=True)
class Table:
    """A table at ``at`` in ``data``."""

    data: bytes
    at: int

    def _place(self, field: int) -> int:
        """Where a field lies; 0 when it is left out."""
        vtable = self.at - self._number("<i", self.at)
        if 4 + 2 * field >= self._number("<H", vtable):
            return 0
        offset = self._number("<H", vtable + 4 + 2 * field)
        return self.at + offset if offset else 0

    def _number(self, form: str, place: int) -> int:
        return int(struct.unpack_from(form, self.data, place)[0])

    def number(self, field: int, form: str = "<i", default: int = 0) -> int:
        place = self._place(field)
        return self._number(form, place) if place else default

    def _vector(self, field: int) -> tuple[int, int]:
        """Place of the first element, and how many there are."""
        place = self._place(field)
        if not place:
            return 0, 0
        start = place + self._number("<I", place)
        return start + 4, self._number("<I", start)

    def numbers(self, field: int, kind: str) -> np.ndarray:
        start, count = self._vector(field)
        return np.frombuffer(self.data, kind, count, start)

    def text(self, field: int) -> str:
        return self.numbers(field, "u1").tobytes().decode()

    def tables(self, field: int) -> list[Table]:
        start, count = self._vector(field)
        places = [start + 4 * i for i in range(count)]
        return [Table(self.data, place + self._number("<I", place)) for place in places]

    def table(self, field: int) -> Table | None:
        place = self._place(field)
        return Table(self.data, place + self._number("<I", place)) if place else None


@dataclass(frozen=True)
class Tensor:
    """``data`` is None for an activation; ``scales`` is empty without quantization."""

    name: str
    shape: tuple[int, ...]
    kind: str
    data: np.ndarray | None
    scales: np.ndarray
    zeros: np.ndarray
    axis: int


@dataclass(frozen=True)
class Step:
    """An operator; ``options`` are its builtin options."""

    kind: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: Table | None

    def option(self, field: int, form: str = "<i", default: int = 0) -> int:
        return default if self.options is None else self.options.number(field, form, default)


class Model:
    """The first subgraph of a file."""

    def __init__(self, path: Path):
        data = path.read_bytes()
        assert data[4:8] == b"TFL3"
        self._root = Table(data, struct.unpack_from("<I", data)[0])
        self._graph = self._root.tables(2)[0]
        self.inputs = self._graph.numbers(1, "<i4").tolist()
        self.outputs = self._graph.numbers(2, "<i4").tolist()

    @cached_property
    def tensors(self) -> list[Tensor]:
        buffers = self._root.tables(4)
        return [_tensor(table, buffers) for table in self._graph.tables(0)]

    @cached_property
    def steps(self) -> list[Step]:
        codes = [max(code.number(0, "<b"), code.number(3, "<i")) for code in self._root.tables(1)]
        return [
            Step(
                OPERATORS.get(codes[table.number(0, "<I")], str(codes[table.number(0, "<I")])),
                tuple(table.numbers(1, "<i4").tolist()),
                tuple(table.numbers(2, "<i4").tolist()),
                table.table(4),
            )
            for table in self._graph.tables(3)
        ]


def _tensor(table: Table, buffers: list[Table]) -> Tensor:
    shape: Any = tuple(table.numbers(0, "<i4").tolist())
    kind = _TYPES.get(table.number(1, "<b"), f"type {table.number(1, '<b')}")
    raw = buffers[table.number(2, "<I")].numbers(0, "u1")
    data = np.frombuffer(raw.tobytes(), kind).reshape(shape) if raw.size else None
    quant = table.table(4)
    empty = np.zeros(0)
    scales = empty if quant is None else quant.numbers(2, "<f4")
    zeros = empty if quant is None else quant.numbers(3, "<i8")
    axis = 0 if quant is None else quant.number(6)
    return Tensor(table.text(3), shape, kind, data, scales, zeros, axis)
