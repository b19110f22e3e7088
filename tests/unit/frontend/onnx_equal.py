"""Compare an imported graph with ONNX Runtime on the same inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

from deployer.frontend.onnx_import import import_model
from deployer.ir.graph import Graph
from deployer.numerics import interpret
from deployer.quantize.samples import device_layout


def imported(model: onnx.ModelProto, folder: Path, **options: Any) -> Graph:
    """``model`` saved and imported; its softmax kept unless told otherwise."""
    path = folder / "model.onnx"
    onnx.save(model, path)
    return import_model(path, **{"softmax": "device", **options})


def check_equal(
    model: onnx.ModelProto, folder: Path, *, rtol: float = 1e-4, seed: int = 0, **options: Any
) -> Graph:
    """The imported graph, after it gave the outputs of ONNX Runtime for three seeded inputs."""
    graph = imported(model, folder, **options)
    for offset in range(3):
        compare(graph, model.SerializeToString(), seed=seed + offset, rtol=rtol)
    return graph


def compare(graph: Graph, model: bytes, *, seed: int = 0, rtol: float = 1e-4) -> None:
    """``graph`` and ``model`` give the same outputs for one seeded input."""
    session = _session(model)
    rng = np.random.default_rng(seed)
    feeds = {
        name: rng.normal(size=onnx_shape(graph, name)).astype(np.float32) for name in graph.inputs
    }
    names = [item.name for item in session.get_outputs()]
    expected = dict(zip(names, session.run(names, feeds), strict=True))
    found = interpret.run(
        graph, {name: device_layout(graph, name, array) for name, array in feeds.items()}
    )
    assert set(found) == set(expected)
    for name, array in expected.items():
        result = found[name].reshape(graph.values[name].shape)
        size = max(float(np.abs(array).max()), 1e-3)
        np.testing.assert_allclose(result, nhwc(array), rtol=rtol, atol=rtol * size)


def onnx_shape(graph: Graph, name: str) -> tuple[int, ...]:
    return tuple(int(size) for size in graph.meta[f"model_shape/{name}"].split(","))


def nhwc(array: np.ndarray) -> np.ndarray:
    return array.transpose(0, 2, 3, 1) if array.ndim == 4 else array


def _session(model: bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    # Unoptimized: its graph optimizer must not decide what a test compares with.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
