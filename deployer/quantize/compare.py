"""Run the float and the integer graph side by side and sum up their differences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from deployer.ir import Graph, QuantParams
from deployer.numerics import chunks, dequantize, quantize, trace
from deployer.quantize.calibrate import Progress, no_progress
from deployer.quantize.report import ActivationReport, OutputReport, top1


@dataclass
class _Sums:
    """Running sums for one activation."""

    signal: float = 0.0
    noise: float = 0.0
    worst: float = 0.0
    outside: int = 0
    count: int = 0
    agreeing: int = 0
    samples: int = 0

    def update(self, real: np.ndarray, integer: np.ndarray, quant: QuantParams) -> None:
        error = np.subtract(dequantize(integer, quant), real)
        self.worst = max(self.worst, float(error.max()), -float(error.min()))
        self.signal += float(np.square(real).sum(dtype=np.float64))
        self.noise += float(np.square(error, out=error).sum(dtype=np.float64))
        self.outside += _outside(real, quant)
        self.count += real.size

    def compare_top1(self, real: np.ndarray, integer: np.ndarray) -> None:
        self.agreeing += int((top1(real) == top1(integer)).sum())
        self.samples += len(real)

    @property
    def sqnr_db(self) -> float | None:
        if self.noise == 0 or self.signal == 0:
            return None
        return 10 * math.log10(self.signal / self.noise)


def compare(
    real: Graph,
    integer: Graph,
    arrays: Mapping[str, np.ndarray],
    *,
    progress: Progress = no_progress,
) -> tuple[tuple[ActivationReport, ...], tuple[ActivationReport, ...], tuple[OutputReport, ...]]:
    """Run both graphs, which have the same nodes, over float NHWC samples.

    Returns the reports of the inputs, of each node's output in order, and of the graph's outputs.
    """
    names = (*real.inputs, *(node.output for node in real.nodes))
    sums = {name: _Sums() for name in names}
    total = len(next(iter(arrays.values())))
    done = 0
    progress("compare", 0, total)
    for chunk in chunks(real, arrays):
        _compare_chunk(real, integer, chunk, sums)
        done += len(next(iter(chunk.values())))
        progress("compare", done, total)
    reports = {name: _activation(integer, name, sums[name]) for name in names}
    return (
        tuple(reports[name] for name in real.inputs),
        tuple(reports[node.output] for node in real.nodes),
        tuple(_output(reports[name], sums[name]) for name in real.outputs),
    )


def _compare_chunk(
    real: Graph, integer: Graph, chunk: Mapping[str, np.ndarray], sums: Mapping[str, _Sums]
) -> None:
    steps = {name: quantize(x, integer.values[name].q) for name, x in chunk.items()}
    pairs = [(name, chunk[name], steps[name]) for name in real.inputs]
    for name, x, q in pairs:
        _update(real, integer, sums, name, x, q)
    traces = zip(trace(real, chunk), trace(integer, steps), strict=True)
    for (node, x), (_, q) in traces:
        _update(real, integer, sums, node.output, x, q)


def _update(
    real: Graph,
    integer: Graph,
    sums: Mapping[str, _Sums],
    name: str,
    x: np.ndarray,
    q: np.ndarray,
) -> None:
    sums[name].update(x, q, integer.values[name].q)
    if name in real.outputs:
        sums[name].compare_top1(x, q)


def _activation(integer: Graph, name: str, sums: _Sums) -> ActivationReport:
    quant = integer.values[name].q
    return ActivationReport(
        name=name,
        bits=quant.bits,
        scale=quant.tensor_scale,
        zero_point=quant.zero_point,
        sqnr_db=sums.sqnr_db,
        max_abs_error=sums.worst,
        saturated=sums.outside / sums.count,
    )


def _output(report: ActivationReport, sums: _Sums) -> OutputReport:
    agreement = sums.agreeing / sums.samples
    return OutputReport(report.name, report.sqnr_db, report.max_abs_error, agreement)


def _outside(real: np.ndarray, quant: QuantParams) -> int:
    """How many values are more than half a step beyond what the integers can hold."""
    low = (quant.low - 0.5 - quant.zero_point) * quant.tensor_scale
    high = (quant.high + 0.5 - quant.zero_point) * quant.tensor_scale
    if real.min() >= low and real.max() <= high:
        return 0
    return int(np.count_nonzero(real < low) + np.count_nonzero(real > high))
