"""Files that ONNX Runtime's quantizer writes."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

FORMATS = {
    "qdq per channel": (QuantFormat.QDQ, True, QuantType.QInt8, QuantType.QInt8),
    "qdq uint8": (QuantFormat.QDQ, False, QuantType.QUInt8, QuantType.QInt8),
    "operators per channel": (QuantFormat.QOperator, True, QuantType.QInt8, QuantType.QInt8),
    "operators uint8": (QuantFormat.QOperator, False, QuantType.QUInt8, QuantType.QInt8),
}


class Samples(CalibrationDataReader):  # type: ignore[misc]
    """Seeded noise for the one input."""

    def __init__(self, model: onnx.ModelProto):
        (value,) = model.graph.input
        shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        rng = np.random.default_rng(1)
        rows = (rng.normal(size=shape).astype(np.float32) for _ in range(8))
        self._rows: Iterator[dict[str, np.ndarray]] = iter([{value.name: row} for row in rows])

    def get_next(self) -> Any:
        return next(self._rows, None)


def quantized_by_runtime(model: onnx.ModelProto, style: str, folder: Path) -> Path:
    form, per_channel, activations, weights = FORMATS[style]
    source, path = folder / "float.onnx", folder / "model.onnx"
    onnx.save(model, source)
    logging.disable(logging.WARNING)
    quantize_static(
        source,
        path,
        Samples(model),
        quant_format=form,
        per_channel=per_channel,
        activation_type=activations,
        weight_type=weights,
        # its uint8 kernels saturate sums of two products on processors without VNNI
        reduce_range=style == "operators uint8",
        extra_options={"WeightSymmetric": True},
    )
    logging.disable(logging.NOTSET)
    return path
