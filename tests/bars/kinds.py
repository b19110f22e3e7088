"""Kinds of quantized files: by ONNX Runtime's quantizer in several forms, and by PyTorch."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from .trained import Trained

Writer = Callable[[Trained, Path], None]

_QDQ, _OPERATORS = QuantFormat.QDQ, QuantFormat.QOperator
_S8, _U8 = QuantType.QInt8, QuantType.QUInt8


class _Reader(CalibrationDataReader):  # type: ignore[misc]
    def __init__(self, name: str, samples: np.ndarray):
        self._rows: Iterator[dict[str, np.ndarray]] = iter([{name: row[None]} for row in samples])

    def get_next(self) -> Any:
        return next(self._rows, None)


def _by_runtime(
    form: QuantFormat,
    activations: QuantType,
    *,
    weights: QuantType = _S8,
    per_channel: bool = False,
    float_biases: bool = False,
) -> Writer:
    def write(network: Trained, path: Path) -> None:
        source = path.with_name(f"float {path.name}")
        onnx.save(without_softmax(network), source)
        quant_pre_process(str(source), str(source), skip_symbolic_shape=True)
        reader = _Reader(onnx.load(source).graph.input[0].name, network.calibrating)
        quantize_static(
            source,
            path,
            reader,
            quant_format=form,
            per_channel=per_channel,
            activation_type=activations,
            weight_type=weights,
            extra_options={"QuantizeBias": not float_biases},
        )

    return write


def _by_torch(network: Trained, path: Path) -> None:
    from . import by_torch

    by_torch.write(without_softmax(network), network.calibrating, path)


KINDS: dict[str, Writer] = {
    "QDQ u8s8": _by_runtime(_QDQ, _U8),
    "QDQ u8s8 per channel": _by_runtime(_QDQ, _U8, per_channel=True),
    "QDQ s8s8": _by_runtime(_QDQ, _S8),
    "QDQ s8s8 per channel": _by_runtime(_QDQ, _S8, per_channel=True),
    "QDQ u8s8 per channel, float biases": _by_runtime(
        _QDQ, _U8, per_channel=True, float_biases=True
    ),
    "operators u8s8": _by_runtime(_OPERATORS, _U8),
    "operators s8s8 per channel": _by_runtime(_OPERATORS, _S8, per_channel=True),
    "QDQ u8u8": _by_runtime(_QDQ, _U8, weights=_U8),
    "PyTorch": _by_torch,
}


def present() -> list[str]:
    """The kinds whose writer is installed."""
    torch = importlib.util.find_spec("torch") is not None
    return [name for name in KINDS if torch or name != "PyTorch"]


def write(network: Trained, kind: str, folder: Path) -> Path:
    """The network, less a Softmax at its end, quantized by its calibration samples as ``kind`` has
    it: a file in ``folder``."""
    path = folder / f"{network.name}, {kind}.onnx"
    logging.disable(logging.WARNING)
    try:
        KINDS[kind](network, path)
    finally:
        logging.disable(logging.NOTSET)
    return path


def without_softmax(network: Trained) -> onnx.ModelProto:
    """The float model up to what a Softmax at its end reads."""
    model = onnx.load(network.path)
    (output,) = model.graph.output
    last = next(node for node in model.graph.node if output.name in node.output)
    if last.op_type == "Softmax":
        output.name = last.input[0]
        model.graph.node.remove(last)
    return model
