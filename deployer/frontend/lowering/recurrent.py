"""LSTM, GRU and RNN, unrolled: all inputs projected by one layer, then step after step.

The steps read the same weights, and their values of one kind are tied: the quantizer gives them one
scale, so that the steps are alike and flash holds their constants once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from deployer.frontend.builder import Builder
from deployer.frontend.lowering.broadcast import flat_constant
from deployer.frontend.net import Op
from deployer.frontend.recurrences import Direction, directions
from deployer.ir import (
    Clamp,
    ConcatAttrs,
    ConvAttrs,
    Layout,
    PointAttrs,
    SliceAttrs,
    TableAttrs,
    Tie,
    Window,
)

_TOTALS = ("projection", "sum", "candidate_sum")
BITS = 16  # of everything that a step computes: errors of a state add up over the steps


@dataclass(eq=False)
class _Steps:
    """One direction while it grows. ``kinds``: its values by what they are in a step."""

    b: Builder
    op: Op
    of: Direction
    label: str
    kinds: dict[str, list[str]] = field(default_factory=dict)
    step: int = 0

    @property
    def hidden(self) -> int:
        return len(self.of.hidden)

    def emit(self, kind: str, operator: str, inputs: Sequence[str], attrs: object) -> str:
        """A node of this step, and its value among those of the kind."""
        step = f"{self.op.name}/{self.label}{self.step}"
        name = self.b.fresh(f"{step}/{kind}")
        self.b.emit(self.op, operator, inputs, attrs, output=name, name=name, part=step)
        self.kinds.setdefault(kind, []).append(name)
        return name

    def pair(self, kind: str, operator: str, left: str, right: str) -> str:
        return self.emit(kind, operator, (left, right), PointAttrs())

    def activation(self, kind: str, x: str, curve: TableAttrs | None) -> str:
        if curve is None:
            return self.emit(kind, "Rescale", (x,), PointAttrs(Clamp(0.0, None)))
        return self.emit(kind, "Table", (x,), curve)

    def part(self, kind: str, x: str, first: int, gates: int = 1) -> str:
        """Gates of a value that has several, of the size of the state each."""
        begin, end = first * self.hidden, (first + gates) * self.hidden
        return self.emit(kind, "Slice", (x,), SliceAttrs((0, begin), (1, end)))


@dataclass(frozen=True, eq=False)
class _Layer:
    """A dense layer that every step has: names of its constants."""

    weights: str
    bias: str

    def of(self, steps: _Steps, kind: str, x: str) -> str:
        return steps.emit(kind, "FullyConnected", (x, self.weights, self.bias), PointAttrs())


def recurrent(b: Builder, op: Op) -> None:
    """One operator: what it returns of its directions is side by side."""
    runs = []
    for index, direction in enumerate(directions(b.net, op)):
        label = f"{index}/" if index else ""
        runs.append(_run(_Steps(b, op, direction, label)))
    returned = _return(b, op, runs)
    for names in (returned, *_tied([run.kinds for run in runs])):
        b.ties.append(Tie(tuple(names), BITS))


@dataclass(frozen=True, eq=False)
class _Run:
    """The states behind every step, in the order of the sequence, and the last ones."""

    states: tuple[str, ...]
    last: tuple[str, ...]
    kinds: dict[str, list[str]]


def _run(steps: _Steps) -> _Run:
    """All steps of a direction."""
    b, op = steps.b, steps.op
    count = b.net.shapes[op.first][1]
    cell = _CELLS[op.type](steps)
    found: dict[int, str] = {}
    state = cell.first()
    for index in reversed(range(count)) if steps.of.backward else range(count):
        steps.step = index
        state = cell.next(state, index)
        found[index] = state[0]
    return _Run(tuple(found[index] for index in range(count)), state, steps.kinds)


def _tied(found: Sequence[dict[str, list[str]]]) -> Iterator[list[str]]:
    """Values of one kind, by direction. What goes into the gates is one kind, so that the first
    step, which has no state to add, is as the others."""
    for kinds in found:
        yield [name for kind in _TOTALS for name in kinds.get(kind, ())]
        yield from (names for kind, names in kinds.items() if kind not in ("state", *_TOTALS))


def _return(b: Builder, op: Op, runs: Sequence[_Run]) -> list[str]:
    """The states of all directions and what is returned of them, which take one quantization: side
    by side they are then views."""
    steps, hidden, *cell = op.outputs
    tied = [name for run in runs for name in run.kinds["state"]]
    if _read(b, steps):
        pieces = [name for at in zip(*(run.states for run in runs), strict=True) for name in at]
        every = _side_by_side(b, op, pieces)
        _, count, size = b.net.shapes[steps]
        b.transpose(op, b.reshape(op, every, (1, count, size)), b.order(steps), output=steps)
        tied.append(every)
    for index, name in enumerate((hidden, *cell)):
        if _read(b, name):
            ends = _side_by_side(b, op, [run.last[index] for run in runs])
            b.reshape(op, ends, b.net.shapes[name], output=name)
            tied += [ends] if name == hidden else []
    return list(dict.fromkeys(tied))


def _read(b: Builder, name: str) -> bool:
    return name in b.net.readers or name in b.net.outputs


def _side_by_side(b: Builder, op: Op, pieces: Sequence[str]) -> str:
    if len(pieces) == 1:
        return pieces[0]
    name = b.fresh(f"{op.name}/joined")
    return b.emit(op, "Concat", pieces, ConcatAttrs(1), output=name, name=name)


def _projected(steps: _Steps, bias: np.ndarray) -> str:
    """The inputs of all steps times their weights, (1, steps · gates · hidden)."""
    b, op = steps.b, steps.op
    x, _ = b.channels_last(op, op.first, 2)
    weights = steps.of.weights.reshape(-1, 1, 1, steps.of.weights.shape[2])
    kernel = b.weight(op, f"{steps.label}inputs", weights, Layout.OHWI)
    offset = b.weight(op, f"{steps.label}bias", bias.reshape(-1), Layout.VECTOR)
    name = b.fresh(f"{op.name}/{steps.label}projection")
    inputs = (b.image(op, x), kernel, offset)
    b.emit(op, "Conv2d", inputs, ConvAttrs(Window((1, 1))), output=name, name=name)
    steps.kinds["projection"] = [name]
    return b.reshape(op, name, (1, b.net.shapes[op.first][1] * bias.size))


def _dense(steps: _Steps, kind: str, rows: np.ndarray, bias: np.ndarray) -> _Layer:
    """Weights (gates, hidden, hidden) and biases (gates, hidden) that all steps share."""
    b, op = steps.b, steps.op
    weights = b.weight(op, f"{steps.label}{kind}", rows.reshape(-1, rows.shape[-1]), Layout.OI)
    return _Layer(weights, b.weight(op, f"{steps.label}{kind}_bias", bias.ravel(), Layout.VECTOR))


def _given(steps: _Steps, numbers: np.ndarray, kind: str, source: str) -> str:
    """Constant numbers in the place of values of that kind, "" for zeros."""
    if not np.any(numbers):
        return ""
    name = flat_constant(steps.b, steps.op, numbers, source)
    steps.kinds.setdefault(kind, []).append(name)
    return name


class _Cell(ABC):
    """What the three have in common: ``projected`` is what the inputs add to the gates."""

    def __init__(self, steps: _Steps, outside: np.ndarray):
        self.steps = steps
        self.gates = len(steps.of.weights)
        self.projected = _projected(steps, outside)

    def first(self) -> tuple[str, ...]:
        return (self.given(self.steps.of.hidden, "state"),)

    @abstractmethod
    def next(self, state: tuple[str, ...], index: int) -> tuple[str, ...]:
        """The state behind step ``index``, "" standing for zeros in the one before."""

    def given(self, numbers: np.ndarray, kind: str) -> str:
        return _given(self.steps, numbers, kind, self.projected)

    def inputs(self, kind: str, index: int, first: int, gates: int) -> str:
        """What the inputs of a step add to some of the gates."""
        return self.steps.part(kind, self.projected, index * self.gates + first, gates)


class _Rnn(_Cell):
    def __init__(self, steps: _Steps):
        inputs, states = steps.of.biases
        super().__init__(steps, inputs + states)
        self.dense = _dense(steps, "recurrent", steps.of.recurrent, np.zeros_like(states))

    def next(self, state: tuple[str, ...], index: int) -> tuple[str, ...]:
        steps, (h,) = self.steps, state
        total = self.inputs("inputs", index, 0, 1)
        if h:
            total = steps.pair("sum", "Add", total, self.dense.of(steps, "product", h))
        return (steps.activation("state", total, steps.of.curves[0]),)


class _Lstm(_Cell):
    def __init__(self, steps: _Steps):
        inputs, states = steps.of.biases
        super().__init__(steps, inputs + states)
        self.dense = _dense(steps, "recurrent", steps.of.recurrent, np.zeros_like(states))

    def first(self) -> tuple[str, ...]:
        return (*super().first(), self.given(self.steps.of.cell, "cell"))

    def next(self, state: tuple[str, ...], index: int) -> tuple[str, ...]:
        """Gates in ONNX's order: input, output, forget, candidate."""
        steps, (h, c) = self.steps, state
        total = self.inputs("inputs", index, 0, 4)
        if h:
            total = steps.pair("sum", "Add", total, self.dense.of(steps, "product", h))
        gate, bend, squash = steps.of.curves
        gates = steps.activation("gates", steps.part("gates_in", total, 0, 3), gate)
        candidate = steps.activation("candidate", steps.part("candidate_in", total, 3), bend)
        added = steps.pair("added", "Mul", steps.part("input", gates, 0), candidate)
        if c:
            kept = steps.pair("kept", "Mul", steps.part("forget", gates, 2), c)
            c = steps.pair("cell", "Add", kept, added)
        else:
            c = added
        squashed = steps.activation("squashed", c, squash)
        return steps.pair("state", "Mul", steps.part("output", gates, 1), squashed), c


class _Gru(_Cell):
    """Gates in ONNX's order: update, reset, candidate. ``late``: the reset works on the product of
    the state, not on the state."""

    def __init__(self, steps: _Steps):
        inputs, states = steps.of.biases
        self.late = bool(steps.op.attrs.get("linear_before_reset", 0))
        self.inner = states[2] if self.late else np.zeros_like(states[2])
        outside = states - np.stack([*np.zeros_like(states[:2]), self.inner])
        super().__init__(steps, inputs + outside)
        rows, zeros = steps.of.recurrent, np.zeros_like(states)
        if self.late:
            self.dense = _dense(steps, "recurrent", rows, np.stack([*zeros[:2], self.inner]))
        else:
            self.dense = _dense(steps, "recurrent", rows[:2], zeros[:2])
            self.candidate = _dense(steps, "recurrent_candidate", rows[2:], zeros[2:])

    def next(self, state: tuple[str, ...], index: int) -> tuple[str, ...]:
        steps, (h,) = self.steps, state
        gate, bend = steps.of.curves
        product = self.dense.of(steps, "product", h) if h else ""
        total = self.inputs("inputs", index, 0, 2)
        if product:
            own = steps.part("product_gates", product, 0, 2) if self.late else product
            total = steps.pair("sum", "Add", total, own)
        gates = steps.activation("gates", total, gate)
        inner = self._recurrent_part(gates, product, h)
        total = self.inputs("candidate_inputs", index, 2, 1)
        if inner:
            total = steps.pair("candidate_sum", "Add", total, inner)
        candidate = steps.activation("candidate", total, bend)
        return (self._mixed(steps.part("update", gates, 0), candidate, h),)

    def _recurrent_part(self, gates: str, product: str, h: str) -> str:
        """What the state adds to the candidate, "" for nothing."""
        steps = self.steps
        if self.late:
            if product:
                source = steps.part("product_candidate", product, 2)
            else:
                source = self.given(self.inner, "product")
            return source and steps.pair("reset", "Mul", steps.part("resetting", gates, 1), source)
        if not h:
            return ""
        reset = steps.pair("reset", "Mul", steps.part("resetting", gates, 1), h)
        return self.candidate.of(steps, "candidate_product", reset)

    def _mixed(self, update: str, candidate: str, h: str) -> str:
        """(1 - z) · n + z · h, as n + z · (h - n)."""
        steps = self.steps
        if not h:
            return steps.pair(
                "state", "Sub", candidate, steps.pair("updated", "Mul", update, candidate)
            )
        apart = steps.pair("apart", "Sub", h, candidate)
        return steps.pair("state", "Add", candidate, steps.pair("updated", "Mul", update, apart))


_CELLS: Mapping[str, Callable[[_Steps], _Cell]] = {"GRU": _Gru, "LSTM": _Lstm, "RNN": _Rnn}
