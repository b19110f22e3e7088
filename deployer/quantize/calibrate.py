"""What the activations do on sample inputs: their ranges and means.

Samples pass in chunks and only running figures are kept, so memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from deployer.errors import ModelError
from deployer.ir import Graph
from deployer.numerics import chunks, gap_of, trace

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, eq=False)
class Spread:
    """Smallest and largest value of an activation, and its mean per channel (last axis)."""

    low: float
    high: float
    mean: np.ndarray


@dataclass
class _Sums:
    low: float
    high: float
    total: np.ndarray
    count: int


def no_progress(label: str, done: int, total: int) -> None:
    """The default of every ``progress`` argument."""


def calibrate(
    graph: Graph, arrays: Mapping[str, np.ndarray], *, progress: Progress = no_progress
) -> dict[str, Spread]:
    """What every activation holds over all samples.

    Raises ModelError naming the first activation that is NaN or infinite.
    """
    found: dict[str, _Sums] = {}
    with np.errstate(over="ignore", invalid="ignore"):  # reported below, by layer
        for name, x in activation_chunks(graph, arrays, "calibrate", progress):
            sums = _sums(x)
            if not np.isfinite([sums.low, sums.high]).all():
                raise _not_finite(graph, name)
            found[name] = _joined(found[name], sums) if name in found else sums
    return {name: Spread(s.low, s.high, s.total / s.count) for name, s in found.items()}


def _sums(x: np.ndarray) -> _Sums:
    by_position = x.sum(axis=0, dtype=np.float64)  # long rows first: fast
    total = by_position.reshape(-1, x.shape[-1]).sum(axis=0)
    return _Sums(float(x.min()), float(x.max()), total, x.size // x.shape[-1])


def _joined(a: _Sums, b: _Sums) -> _Sums:
    return _Sums(min(a.low, b.low), max(a.high, b.high), a.total + b.total, a.count + b.count)


def fixed_point_error(x: np.ndarray, fraction: int, lowest: int) -> float:
    """Summed squared error of ``x`` at scale 2^-fraction, half to even, cut to [lowest, 127]."""
    steps = x * x.dtype.type(2.0**fraction)
    nearest = np.rint(steps)
    np.clip(nearest, lowest, 127, out=nearest)
    nearest -= steps
    np.square(nearest, out=nearest)
    return float(nearest.sum(dtype=np.float64)) * 4.0**-fraction


def activation_chunks(
    graph: Graph, arrays: Mapping[str, np.ndarray], label: str, progress: Progress
) -> Iterator[tuple[str, np.ndarray]]:
    """Every activation of every chunk, inputs included."""
    total = len(next(iter(arrays.values())))
    done = 0
    progress(label, 0, total)
    for chunk in chunks(graph, arrays):
        yield from chunk.items()
        for node, result in trace(graph, chunk):
            yield node.output, result
        done += len(next(iter(chunk.values())))
        progress(label, done, total)


def _not_finite(graph: Graph, name: str) -> ModelError:
    node = graph.producer.get(name)
    where = f"{node.op} {node.name}" if node else f"input {name}"
    gap = gap_of(node.attrs) if node is not None and node.op == "Table" else None
    if node is not None and gap is not None:
        return ModelError(
            f"{where} ({node.attrs.function}) reads numbers that have {gap.what}",
            why=["an integer scale cannot be found for an output without bounds"],
            hints=[
                "keep its input away from there: add a small number, or a Clip before it",
                "check the samples: are they scaled as the model expects (--input-scale)?",
            ],
        )
    return ModelError(
        f"{where} gives NaN or infinity in float arithmetic",
        why=["an integer scale cannot be found for it"],
        hints=[
            "check the samples: are they scaled as the model expects (--input-scale)?",
            "check the weights for NaN",
        ],
    )
