"""A small network with its samples, and calls of the trainer, for the tests beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from deployer.frontend.onnx_import import import_model
from deployer.ir.graph import Graph
from deployer.quantize.quantize import QuantOptions
from deployer.quantize.samples import Samples, synthetic_samples
from deployer.tools.train.finetune import Tuned, finetune
from deployer.tools.train.options import TrainOptions
from models import ModelBuilder

POWER_OF_TWO = QuantOptions(scheme="power-of-two")
UNEQUALIZED = QuantOptions(scheme="power-of-two", equalize="off")


def imported(model: Any, folder: Path) -> Graph:
    path = folder / "net.onnx"
    onnx.save(model, path)
    return import_model(path)


def two_headed() -> Any:
    """An image and a vector out. Few weights are large, so most are coarse on a layer's grid and
    training has something to mend."""
    s = ModelBuilder(12)
    x = s.input(1, 3, 6, 6)
    for inputs in (3, 8, 8):
        weights = s.rng.normal(0, 0.04, (8, inputs, 3, 3))
        weights[s.rng.random(weights.shape) < 0.06] *= 24
        numbers = (s.constant(weights.astype(np.float32)), s.weight(8))
        x = s.relu(s.node("Conv", x, *numbers, pads=[1, 1, 1, 1]))
    vector = s.gemm(s.node("Flatten", s.node("GlobalAveragePool", x)), 8, 4)
    return s.model(s.conv(x, (2, 8, 3, 3), pads=[1, 1, 1, 1]), vector)


def sloped() -> Any:
    """Two convolutions with a PRelu between them, its slopes small and large, one negative."""
    s = ModelBuilder(4)
    x = s.conv(s.input(1, 3, 6, 6), (8, 3, 3, 3), pads=[1, 1, 1, 1])
    slopes = np.linspace(-0.2, 0.8, 8, dtype=np.float32).reshape(8, 1, 1)
    x = s.node("PRelu", x, s.constant(slopes))
    return s.model(s.conv(x, (4, 8, 3, 3), pads=[1, 1, 1, 1]))


def tune(
    graph: Graph,
    folder: Path,
    *,
    samples: Samples | None = None,
    quant: QuantOptions = POWER_OF_TWO,
    resume: bool = False,
    notice: Callable[[str], None] = lambda text: None,
    **options: Any,
) -> Tuned:
    """Fine-tune on seeded noise, by default 48 samples for 4 epochs."""
    samples = samples or synthetic_samples(graph, count=48)
    folder.mkdir(exist_ok=True)
    settings = TrainOptions(**{"epochs": 4, "batch": 8, "device": "cpu", **options})
    given: dict[str, Any] = {"calibration": samples, "quant": quant, "options": settings}
    return finetune(graph, samples, **given, folder=folder, resume=resume, notice=notice)
