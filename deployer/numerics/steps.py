"""Real numbers to the integers of a tensor and back: the one place that rounds activations.

In float32, as ONNX defines QuantizeLinear and DequantizeLinear: ties fall as they do there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from deployer.ir import QuantParams


def quantize(x: npt.ArrayLike, quant: QuantParams) -> np.ndarray:
    """Real to the integers of an activation: ``x / scale`` in float32, half to even, saturated."""
    real = np.asarray(x, dtype=np.float32)
    with np.errstate(over="ignore"):  # a quotient beyond float32 saturates all the same
        steps = np.rint(real / np.float32(quant.tensor_scale))
    saturated: np.ndarray = np.clip(steps + quant.zero_point, quant.low, quant.high)
    return saturated.astype(quant.dtype.numpy)


def dequantize(q: np.ndarray, quant: QuantParams) -> np.ndarray:
    """Integers to real, float32."""
    return (q.astype(np.float32) - np.float32(quant.zero_point)) * np.float32(quant.tensor_scale)
