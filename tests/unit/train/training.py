"""A small network with its samples, and calls of the trainer, for the tests beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx

from deployer.frontend.onnx_import import import_model
from deployer.ir.graph import Graph
from deployer.quantize.quantize import QuantOptions
from deployer.quantize.samples import Samples, synthetic_samples
from deployer.train.finetune import Tuned, finetune
from deployer.train.options import TrainOptions
from models import Sketch

POWER_OF_TWO = QuantOptions(scheme="power-of-two")


def imported(model: Any, folder: Path) -> Graph:
    path = folder / "net.onnx"
    onnx.save(model, path)
    return import_model(path)


def two_headed() -> Any:
    """A convolution with two outputs of very different size, one of them an image."""
    s = Sketch(11)
    x = s.relu(s.conv(s.input(1, 2, 8, 8), (6, 2, 3, 3), pads=[1, 1, 1, 1]))
    image = s.conv(x, (2, 6, 3, 3), pads=[1, 1, 1, 1])
    pooled = s.node("Flatten", s.node("GlobalAveragePool", x))
    return s.model(image, s.gemm(pooled, 6, 4))


def tune(
    graph: Graph,
    folder: Path,
    *,
    samples: Samples | None = None,
    quant: QuantOptions = POWER_OF_TWO,
    resume: bool = False,
    **options: Any,
) -> Tuned:
    """Fine-tune on seeded noise, by default 48 samples for 4 epochs."""
    samples = samples or synthetic_samples(graph, count=48)
    folder.mkdir(exist_ok=True)
    settings = TrainOptions(**{"epochs": 4, "batch": 8, "device": "cpu", **options})
    given: dict[str, Any] = {"calibration": samples, "quant": quant, "options": settings}
    return finetune(graph, samples, **given, folder=folder, resume=resume)
