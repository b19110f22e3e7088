"""Real numbers to integers as ONNX Runtime's QuantizeLinear does it, ties and all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from deployer.frontend.onnx_import import import_model
from deployer.ir.types import QuantParams
from deployer.numerics.steps import dequantize, quantize
from qdq import QdqBuilder, runtime, save

SCALES = [float(np.float32(s)) for s in (0.0039215689, 0.017124753, 0.0271, 0.3, 1e-6)]


def near_ties(scale: float) -> np.ndarray:
    """Half a step beside every integer, and the floats next to that."""
    halves = ((np.arange(-140, 140) + 0.5) * scale).astype(np.float32)
    beside = [np.nextafter(halves, np.float32(end)) for end in (-1e9, 1e9)]
    return np.concatenate([halves, *beside])


@pytest.mark.parametrize("zero", [-128, 0, 77])
@pytest.mark.parametrize("scale", SCALES)
def test_ties_fall_as_in_the_runtime(scale: float, zero: int) -> None:
    x = near_ties(scale)
    s = QdqBuilder()
    model = s.model(s.pair(s.input(1, len(x)), scale, zero))
    (theirs,) = runtime(model).run(None, {"input": x[None]})
    quant = QuantParams((scale,), zero)
    np.testing.assert_array_equal(dequantize(quantize(x, quant), quant), theirs[0])


def test_float64_would_round_some_ties_elsewhere() -> None:
    """That the cases above can tell the difference."""
    x, scale = near_ties(SCALES[1]), SCALES[1]
    wide = np.clip(np.rint(x.astype(np.float64) / scale), -128, 127)
    assert (wide != quantize(x, QuantParams((scale,)))).any()


def test_what_leaves_float32_saturates() -> None:
    quant = QuantParams((1e-30,), 5)
    far = np.float32([3e38, -3e38, np.inf, -np.inf])
    assert quantize(far, quant).tolist() == [127, -128, 127, -128]


@pytest.mark.parametrize("scale", SCALES[1:3])
def test_weights_behind_a_pair_are_rounded_alike(scale: float, tmp_path: Path) -> None:
    weights = near_ties(scale)[:280].reshape(1, 280)
    s = QdqBuilder()
    x = s.pair(s.input(1, 280), 1.0)
    held = s.pair(s.constant(weights), scale)
    graph = import_model(save(s.model(s.node("Gemm", x, held, transB=1)), tmp_path))
    found = graph.constants[graph.nodes[0].inputs[1]]
    quant = QuantParams((scale,))
    np.testing.assert_array_equal(found, dequantize(quantize(weights, quant), quant))
