"""What every way to quantize tells of two networks; decimals but for a thousandth."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.samples import synthetic_samples
from planned import pinned, planned

FOLDER = Path(__file__).parent / "pinned"
PLAIN = {"equalize": "off", "bias_correction": "off"}
WAYS = {
    "minmax": {**PLAIN, "calibrate": "minmax"},
    "percentile": {**PLAIN, "calibrate": "percentile", "percentile": 99.0},
    "mse": {**PLAIN, "calibrate": "mse"},
    "corrected": {"equalize": "on", "bias_correction": "on"},
    "shifts": {**PLAIN, "scheme": "power-of-two"},
    "rule i32": {**PLAIN, "requant": "i32"},
    "rule q31": {**PLAIN, "requant": "q31"},
    "16 bits": {**PLAIN, "bits": 16},
    "some 16": {**PLAIN, "bits_of": (("conv*", 16),)},
}


@pytest.mark.parametrize("name", ["residual", "pools"])
def test_the_reports_are_those_pinned(name: str) -> None:
    pinned(FOLDER / f"{name}-reports.txt", "\n".join(_lines(name)))


def _lines(name: str) -> Iterator[str]:
    graph = planned(name).imported
    samples = synthetic_samples(graph, seed=0)
    for way, given in WAYS.items():
        found = quantize(graph, samples, QuantOptions(**given))  # type: ignore[arg-type]
        report = found.report
        yield f"{way}: {report.scheme} {report.requant} {report.samples} {report.decisions}"
        yield from (f"  {line}" for line in (*report.notes, *report.warnings))
        for layer in report.layers:
            out = layer.output
            yield f"  {layer.node} {layer.op} {layer.rule} {out.bits} zero {out.zero_point}"
            yield f"    scale {out.scale:.6e} saturated {_share(out.saturated)}"
        yield f"  {[node.op for node in found.graph.nodes]}"


def _share(share: float) -> str:
    """Coarse: one sample more or less at a bound changes it."""
    return "none" if share == 0 else "some" if share < 0.05 else "many"
