"""The accuracy table: a float network against every way to make integers of it, on the host."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from deployer.errors import ModelError, UsageError, near_hints
from deployer.ir import Graph
from deployer.numerics import dequantize, quantize, run
from deployer.quantize import METHODS, SCHEMES, Dataset, Decisions, QuantOptions, Samples, top1
from deployer.quantize import quantize as to_integers
from deployer.tools.bench.facts import AccuracyRowFacts, AccuracyTable, SamplesFacts

Outputs = Mapping[str, np.ndarray]

# a row each; equalization and bias correction are left to decide
VARIANTS: tuple[QuantOptions, ...] = tuple(
    QuantOptions(scheme=scheme, calibrate=method, report_samples=1)
    for scheme in SCHEMES
    for method in METHODS
)


@dataclass(frozen=True)
class AccuracyRow:
    """One way to quantize. Shares of 1, None where they mean nothing: ``top1`` without labels.

    ``agreement``: how often the first output is largest where the float network's is. ``sqnr_db``:
    the outputs' signal to quantization noise, of the worst output, None without noise.
    ``error`` says why there are no integers.
    """

    scheme: str
    calibrate: str
    seconds: float
    equalize: bool | None = None
    bias_correction: bool | None = None
    top1: float | None = None
    agreement: float | None = None
    sqnr_db: float | None = None
    error: str = ""

    @property
    def said(self) -> str:
        """What came of it, in a line."""
        if self.error:
            return self.error
        top1 = "" if self.top1 is None else f"top-1 {self.top1:.2%}, "
        return f"{top1}as float {self.agreement:.2%}"


def variants_of(schemes: Sequence[str], methods: Sequence[str]) -> tuple[QuantOptions, ...]:
    """Those of VARIANTS in ``schemes`` and calibration ``methods``, () for any. Raises UsageError
    for a name that is none."""
    for what, requested, known in (
        ("scheme", schemes, {one.scheme: None for one in VARIANTS}),
        ("calibration", methods, {one.calibrate: None for one in VARIANTS}),
    ):
        for name in requested:
            if name not in known:
                raise UsageError(f"unknown {what} {name!r}", hints=near_hints(name, known))
    return tuple(
        one
        for one in VARIANTS
        if one.scheme in (schemes or (one.scheme,))
        and one.calibrate in (methods or (one.calibrate,))
    )


def require_all(rows: Sequence[AccuracyRow]) -> None:
    """Raise ModelError when a variant has no integers."""
    failed = [row for row in rows if row.error]
    if failed:
        raise ModelError(
            f"{len(failed)} of {len(rows)} variants have no integers",
            why=[f"{row.scheme} {row.calibrate}: {row.error}" for row in failed],
        )


def accuracy_rows(
    graph: Graph,
    data: Dataset,
    calibration: Samples,
    variants: tuple[QuantOptions, ...],
    *,
    expected: Outputs,
) -> Iterator[AccuracyRow]:
    """A row per variant, each when it is done. ``expected`` is what the float graph gives."""
    for options in variants:
        start = time.monotonic()
        found = _judged(graph, data, calibration, options, expected)
        yield replace(found, seconds=round(time.monotonic() - start, 1))


def float_outputs(graph: Graph, data: Dataset) -> dict[str, np.ndarray]:
    return run(graph, data.samples.arrays)


def share_right(outputs: Outputs, labels: np.ndarray | None) -> float | None:
    """Top-1 of the first output over the samples whose label is known."""
    if labels is None or not (labels >= 0).any():
        return None
    return float((_class(outputs) == labels)[labels >= 0].mean())


def accuracy_facts(
    graph: Graph,
    data: Dataset,
    calibration: Samples,
    rows: list[AccuracyRow],
    *,
    expected: Outputs,
) -> AccuracyTable:
    """The table as JSON types."""
    labelled = 0 if data.labels is None else int((data.labels >= 0).sum())
    return {
        "schema": 1,
        "model": graph.name,
        "sha256": graph.meta.get("model_sha256", ""),
        "data": _source(data.samples),
        "labelled": labelled,
        "calibration": {**_source(calibration), "same": calibration is data.samples},
        "float": {"top1": share_right(expected, data.labels)},
        "rows": [_row_facts(row) for row in rows],
    }


def _row_facts(row: AccuracyRow) -> AccuracyRowFacts:
    return {
        "scheme": row.scheme,
        "calibrate": row.calibrate,
        "seconds": row.seconds,
        "equalize": row.equalize,
        "bias_correction": row.bias_correction,
        "top1": row.top1,
        "agreement": row.agreement,
        "sqnr_db": row.sqnr_db,
        "error": row.error,
    }


def _source(samples: Samples) -> SamplesFacts:
    return {"file": samples.source, "sha256": samples.sha256, "samples": samples.count}


def _judged(
    graph: Graph, data: Dataset, calibration: Samples, options: QuantOptions, expected: Outputs
) -> AccuracyRow:
    """The row, without its seconds."""
    blank = AccuracyRow(options.scheme, options.calibrate, seconds=0.0)
    try:
        result = to_integers(graph, calibration, options)
    except ModelError as error:
        return replace(blank, error="; ".join([error.what, *error.why]))
    outputs = _integer_outputs(result.graph, data.samples)
    decided: Decisions = result.report.decisions
    return replace(
        blank,
        equalize=decided.equalize,
        bias_correction=decided.bias_correction,
        top1=share_right(outputs, data.labels),
        agreement=float((_class(outputs) == _class(expected)).mean()),
        sqnr_db=worst_sqnr(expected, outputs),
    )


def _integer_outputs(integer: Graph, samples: Samples) -> dict[str, np.ndarray]:
    """The outputs in real units."""
    steps = {name: quantize(x, integer.values[name].q) for name, x in samples.arrays.items()}
    found = run(integer, steps)
    return {name: dequantize(q, integer.values[name].q) for name, q in found.items()}


def _class(outputs: Outputs) -> np.ndarray:
    return top1(next(iter(outputs.values())))


def worst_sqnr(expected: Outputs, found: Outputs) -> float | None:
    """dB of the output with the most noise for its signal; None when no output has noise."""
    ratios = [_sqnr(real, found[name]) for name, real in expected.items()]
    return min((ratio for ratio in ratios if ratio is not None), default=None)


def _sqnr(real: np.ndarray, found: np.ndarray) -> float | None:
    noise = float(np.square(real - found, dtype=np.float64).sum())
    signal = float(np.square(real, dtype=np.float64).sum())
    return 10 * math.log10(signal / noise) if signal and noise else None
