"""Scales, zero points and constants of seeded networks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from deployer.ir.graph import Graph
from deployer.ir.types import QuantParams
from planned import CASES, pinned, planned

FOLDER = Path(__file__).parent / "pinned"


@pytest.mark.parametrize("name", CASES)
def test_the_quantization_is_that_pinned(name: str) -> None:
    pinned(FOLDER / f"{name}.txt", "\n".join(_lines(planned(name).quantized)))


def _lines(graph: Graph) -> list[str]:
    values = [f"{v.name} {v.shape} {v.dtype} {_quant(v.quant)}" for v in graph.values.values()]
    nodes = [f"{n.name}: {n.op} {n.inputs} -> {n.outputs} {n.attrs}" for n in graph.nodes]
    sums = [
        f"{k} {a.dtype} {a.shape} {np.abs(a.astype(np.float64)).sum():.5e}"
        for k, a in graph.constants.items()
    ]
    return [*nodes, *values, *sums]


def _quant(quant: QuantParams | None) -> str:
    if quant is None:
        return ""
    scales = f"{len(quant.scale)} x {sum(quant.scale):.6e}"
    return f"{scales}, zero {quant.zero_point}, axis {quant.axis}, {quant.bits} bits"
