"""Models with drawn parameters, compared with ONNX Runtime."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import onnx
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from onnx_equal import check_equal

from deployer.ir.graph import Graph

STEADY = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
SIZES = st.integers(1, 7)


def equal(model: onnx.ModelProto, **options: Any) -> Graph:
    """``check_equal`` in a folder of its own: a property runs it many times."""
    with tempfile.TemporaryDirectory() as folder:
        return check_equal(model, Path(folder), **options)


def kinds(graph: Graph) -> list[str]:
    """The operators that run, in order."""
    return [node.op for node in graph.nodes if node.op != "Reshape"]
