"""Rounding a layer's weights for the least error of its outputs, not of each weight.

A weight's rounding error is made up for by the weights after it, as far as their inputs correlate
(Frantar et al., GPTQ, 2022; Hassibi and Stork, optimal brain surgeon, 1993).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from deployer.ir import OPS, Graph, Node
from deployer.numerics import chunks, taps, trace

WEIGHT_MAX = 127
MAX_TAPS = 1024  # of a row: its moments are a square of so many numbers
_MAX_POSITIONS = 2048  # looked at in a chunk of samples
_DAMPING = 0.01

Round = Callable[[np.ndarray], np.ndarray]


def nearest(steps: np.ndarray) -> np.ndarray:
    """Each weight, in steps, to the integer next to it, half to even."""
    integers: np.ndarray = np.clip(np.rint(steps), -WEIGHT_MAX, WEIGHT_MAX)
    return integers


def as_stated(steps: np.ndarray) -> np.ndarray:
    """Weights that lie on a stated grid, which may use -128."""
    integers: np.ndarray = np.clip(np.rint(steps), -WEIGHT_MAX - 1, WEIGHT_MAX)
    return integers


@dataclass(frozen=True, eq=False)
class Rounder:
    """The rounding of the layers with ``moments``. ``centred``: biases take the mean error out.

    What was rounded once is kept: a search for widths rounds the same again and again.
    """

    moments: Mapping[str, Moments]
    centred: bool
    _damped: dict[str, np.ndarray] = field(default_factory=dict)
    _found: dict[tuple[str, bytes], np.ndarray] = field(default_factory=dict)

    def of(self, node: str) -> Round:
        """The rounding of a layer, by its node's name: to the nearest without moments."""
        return partial(self._rounded, node) if node in self.moments else nearest

    def _rounded(self, node: str, steps: np.ndarray) -> np.ndarray:
        if node not in self._damped:
            self._damped[node] = self.moments[node].damped(centred=self.centred)
        key = (node, steps.tobytes())
        if key not in self._found:
            self._found[key] = least_error(steps, self._damped[node])
        return self._found[key]


def least_error(steps: np.ndarray, moments: np.ndarray) -> np.ndarray:
    """``steps`` (rows, taps) as integers, row by row the better of compensated and nearest, by the
    ``moments`` (groups, taps, taps) of what each group of rows reads."""
    options = compensated(steps, factor_of(moments)), nearest(steps)
    errors = [_output_error(found - steps, moments) for found in options]
    return np.where((errors[0] < errors[1])[:, None], *options)


def _output_error(wrong: np.ndarray, moments: np.ndarray) -> np.ndarray:
    """Mean square of each row's output for errors of its weights."""
    apart = wrong.reshape(len(moments), -1, wrong.shape[1])
    errors: np.ndarray = ((apart @ moments) * apart).sum(axis=2).reshape(-1)
    return errors


def factor_of(moments: np.ndarray) -> np.ndarray:
    """Upper triangles whose transposes times themselves are the inverse ``moments``."""
    lower: np.ndarray = np.linalg.cholesky(np.linalg.inv(moments))
    return lower.swapaxes(1, 2)


def compensated(steps: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """``steps`` (rows, taps) as integers; ``factor`` (groups, taps, taps) is each group's."""
    groups = len(factor)
    left = steps.reshape(groups, -1, steps.shape[1]).copy()
    found = np.empty_like(left)
    for tap in range(left.shape[2]):
        found[:, :, tap] = nearest(left[:, :, tap])
        error = (left[:, :, tap] - found[:, :, tap]) / factor[:, tap, tap, None]
        left[:, :, tap + 1 :] -= error[:, :, None] * factor[:, None, tap, tap + 1 :]
    return found.reshape(steps.shape)


def input_moments(graph: Graph, arrays: Mapping[str, np.ndarray]) -> dict[str, Moments]:
    """Of the inputs of every layer with weights, by node, but of very long rows. Layers of the same
    weights have those of all their inputs."""
    layers = [node for node in graph.nodes if has_moments(graph, node)]
    shared = {node.inputs[1]: Moments() for node in layers}
    found = {node.name: shared[node.inputs[1]] for node in layers}
    for chunk in chunks(graph, arrays):
        held = dict(chunk)
        for node, result in trace(graph, chunk):
            if node.name in found:
                found[node.name].add(input_rows(node, held[node.inputs[0]]))
            held[node.output] = result
    return found


def has_moments(graph: Graph, node: Node) -> bool:
    """Whether the node is a layer with weights whose inputs' moments are worth their memory."""
    if not OPS[node.op].complete_sums:
        return False
    return _row_taps(graph, node) <= MAX_TAPS


def _row_taps(graph: Graph, node: Node) -> int:
    shape = graph.values[node.inputs[1]].shape
    if node.op == "DepthwiseConv2d":
        return shape[0] * shape[1]
    return int(np.prod(shape[1:]))


def input_rows(node: Node, x: np.ndarray) -> np.ndarray:
    """(groups, positions, taps): what some windows over ``x`` hold, beside a row of weights."""
    if node.op == "FullyConnected":
        return x[None].astype(np.float64)
    view = taps(x, node.attrs.window, 0.0)
    total = int(np.prod(view.shape[:3]))
    chosen = np.unique(np.linspace(0, total - 1, min(total, _MAX_POSITIONS)).astype(np.int64))
    windows = view[np.unravel_index(chosen, view.shape[:3])].astype(np.float64)
    groups = x.shape[3] if node.op == "DepthwiseConv2d" else node.attrs.groups
    split = windows.reshape(len(chosen), groups, -1, *windows.shape[2:])
    return np.moveaxis(split, 2, -1).reshape(len(chosen), groups, -1).swapaxes(0, 1)


class Moments:
    """Sums over chunks of samples."""

    def __init__(self) -> None:
        self._count = 0
        self._first: np.ndarray | float = 0.0
        self._second: np.ndarray | float = 0.0

    def add(self, rows: np.ndarray) -> None:
        self._count += rows.shape[1]
        self._first = self._first + rows.sum(axis=1)
        self._second = self._second + rows.swapaxes(1, 2) @ rows

    def damped(self, *, centred: bool) -> np.ndarray:
        """Second moments, about the mean where a bias takes it out. The fewer positions beside
        taps, the less they say of how inputs correlate: the diagonal grows by their ratio."""
        found = np.asarray(self._second) / self._count
        if centred:
            mean = np.asarray(self._first) / self._count
            found = found - mean[:, :, None] * mean[:, None, :]
        size = found.shape[1]
        level = np.trace(found, axis1=1, axis2=2) / size
        level = np.where(level > 0, level, 1.0) * max(_DAMPING, size / self._count)
        damped: np.ndarray = found + level[:, None, None] * np.eye(size)
        return damped
