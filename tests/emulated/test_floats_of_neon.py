"""Float networks on NEON: the outputs of ONNX, and the same bytes from any number of threads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from deployer.choices import SchemeName
from deployer.codegen import small_steps
from deployer.pipeline.artifacts import BUILD
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.stages import execute
from deployer_hil import create, infer_dataset
from deployer_hil.compare import TOLERANCE
from emulated.targets import BOARDS
from models import ModelBuilder

SHAPE = (1, 3, 11, 9)
ON_NEON = {
    "dpl_conv2d_f32__armv8a",
    "dpl_conv_transpose2d_f32__armv8a",
    "dpl_fully_connected_f32__armv8a",
    "dpl_depthwise_conv2d_f32__armv8a",
    "dpl_function_f32__armv8a",
    "dpl_add_f32__armv8a",
    "dpl_max_pool_f32__armv8a",
}


def products_net() -> onnx.ModelProto:
    """Windows of 27 values, groups, 1x1 where pixels lie, few pixels, remainders of strides; sums
    whose last bits depend on the order of products."""
    s = ModelBuilder(5)
    x = s.relu(s.conv(s.input(*SHAPE), (20, 3, 3, 3), pads=[1, 1, 1, 1]))
    x = s.relu(s.conv(x, (13, 20, 1, 1)))
    x = s.node("Sigmoid", s.conv(x, (13, 1, 3, 3), group=13, pads=[1, 1, 1, 1]))
    x = s.node("Add", x, s.node("MaxPool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
    x = s.conv(x, (26, 13, 3, 3), strides=[2, 2])
    x = s.node("ConvTranspose", s.conv(x, (18, 13, 1, 1), group=2), s.weight(18, 9, 3, 3))
    x = s.node("ConvTranspose", x, s.weight(9, 4, 3, 3), strides=[2, 2])
    return s.model(s.gemm(s.node("Flatten", x), 4 * 15 * 13, 21))


def test_any_number_of_threads_gives_the_floats_of_onnx(
    tool: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small_steps, "SHARED_CYCLES", 0)
    for program in BOARDS["rpi3"][1]:
        tool(program)
    net, path = products_net(), tmp_path / "net.onnx"
    onnx.save(net, path)
    found = []
    for threads in (1, 2, 3, 4):
        options = Options(scheme=SchemeName.FLOAT, golden_samples=1, threads=threads)
        job = make_job(path, "rpi3", options=options, output=tmp_path / str(threads))
        bundle = execute(job).get(BUILD)
        assert {row["kernel"] for row in bundle.manifest["steps"]} >= ON_NEON
        with create(job.runner, bundle) as device:
            found.append(infer_dataset(bundle, device, bundle.golden["input"]).tobytes())
    assert len({*found}) == 1
    image = np.frombuffer(bundle.golden["input"][0].tobytes(), "<f4")
    nchw = np.moveaxis(image.reshape(1, *SHAPE[2:], SHAPE[1]), -1, 1)
    (expected,) = ReferenceEvaluator(net).run(None, {"input": np.ascontiguousarray(nchw)})
    error = np.abs(np.frombuffer(found[0], "<f4") - expected.ravel())
    assert error.max() <= TOLERANCE * np.abs(expected).max()
