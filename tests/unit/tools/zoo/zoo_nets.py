"""Small variants of the zoo's networks, and a way to run their files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

from deployer.tools.zoo.build import draw, save
from deployer.tools.zoo.catalog import CATALOG
from deployer.tools.zoo.layers import Network

STYLES = ("plain", "torchscript", "dynamo")
WIDTH = 0.25
RESOLUTIONS = {
    **dict.fromkeys(CATALOG, (64, 64)),
    **dict.fromkeys(("vgg16", "unet", "resnet8", "resnet9", "cifar10-cnn"), (32, 32)),
    "ds-cnn": (49, 10),
    "inception-v3": (96, 96),
    "pydnet": (64, 128),
    "upydnet": (16, 16),
}


def small(name: str) -> Network:
    """The network with a quarter of its channels, for a small input."""
    return draw(name, width=WIDTH, resolution=RESOLUTIONS[name])


def written(network: Network, folder: Path, **options: Any) -> Path:
    path = folder / "net.onnx"
    save(network, path, **options)
    return path


def run(model: onnx.ModelProto | Path, seed: int = 0) -> dict[str, np.ndarray]:
    """Outputs of ONNX Runtime by name, for one seeded input."""
    data = model.read_bytes() if isinstance(model, Path) else model.SerializeToString()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    (item,) = session.get_inputs()
    rng = np.random.default_rng(seed)
    feed = {item.name: rng.normal(size=item.shape).astype(np.float32)}
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, feed), strict=True))
