"""``--scheme float``: networks of floats beside ONNX, and what the option refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from deployer.choices import (
    Calibration,
    Correction,
    Objective,
    RequantChoice,
    Restructuring,
    SchemeName,
    Sharing,
)
from deployer.errors import ModelError, UsageError
from deployer.ir.attrs import TableAttrs
from deployer.numerics.functions import FUNCTIONS
from deployer.pipeline.artifacts import BUILD
from deployer.pipeline.job import Job, make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute
from deployer_hil import create, infer_dataset
from deployer_hil.compare import TOLERANCE
from models import ModelBuilder, all_nets

FLOAT = Options(scheme=SchemeName.FLOAT, golden_samples=2)


def _functions() -> onnx.ModelProto:
    """Activations one behind the other, kept in a range where each of them bends."""
    s = ModelBuilder(11, opset=18)
    x = s.conv(s.input(1, 3, 9, 7), (6, 3, 3, 3))
    for kind in ("Tanh", "Softplus", "Elu", "Sigmoid", "HardSwish", "LeakyRelu", "Erf", "Mish"):
        x = s.conv(s.node(kind, x), (6, 6, 1, 1))
    return s.model(x)


def _moves() -> onnx.ModelProto:
    s = ModelBuilder(12)
    x = s.conv(s.input(1, 4, 8, 8), (8, 4, 3, 3), pads=[1, 1, 1, 1])
    prelu = s.node("PRelu", x, s.weight(8, 1, 1))
    depth = s.node("DepthToSpace", prelu, blocksize=2)
    back = s.node("SpaceToDepth", depth, blocksize=2)
    both = s.node("Concat", back, s.node("Sub", x, prelu), axis=1)
    up = s.node("ConvTranspose", both, s.weight(16, 5, 2, 2), strides=[2, 2])
    product = s.node("Mul", up, s.node("Sigmoid", s.node("GlobalAveragePool", up)))
    return s.model(s.node("Softmax", product, axis=1), s.node("MaxPool", up, kernel_shape=[3, 3]))


NETS = {**all_nets(), "functions": _functions(), "moves": _moves()}


def job_of(model: onnx.ModelProto, folder: Path, options: Options = FLOAT) -> Job:
    path = folder / "net.onnx"
    onnx.save(model, path)
    return make_job(path, "host", options=options, output=folder)


def outputs_of(job: Job) -> np.ndarray:
    """The bytes that the device gives for the golden inputs."""
    bundle = execute(job).get(BUILD)
    with create(job.runner, bundle) as device:
        return infer_dataset(bundle, device, bundle.golden["input"])


def _flat(output: np.ndarray) -> np.ndarray:
    return np.moveaxis(output, 1, -1).ravel() if output.ndim > 2 else output.ravel()


@pytest.mark.parametrize("name", NETS)
def test_floats_are_those_of_onnx(name: str, tmp_path: Path, tool: Callable[[str], str]) -> None:
    tool("gcc")
    options = replace(FLOAT, softmax="device")
    job = job_of(NETS[name], tmp_path, options)
    report = run_job(job, execute(job))
    assert report["golden"]["match"]
    assert report["widths"] == "float32"
    bundle = execute(job).get(BUILD)
    x = np.frombuffer(bundle.golden["input"][0].tobytes(), "<f4")
    shape = tuple(d.dim_value for d in NETS[name].graph.input[0].type.tensor_type.shape.dim)
    hwc = (shape[0], *shape[2:], shape[1]) if len(shape) > 2 else shape
    image = np.moveaxis(x.reshape(hwc), -1, 1) if len(shape) > 2 else x.reshape(shape)
    expected = ReferenceEvaluator(NETS[name]).run(None, {"input": np.ascontiguousarray(image)})
    found = np.frombuffer(outputs_of(job)[0].tobytes(), "<f4")
    wanted = [_flat(output) for output in expected]
    assert len(found) == sum(map(len, wanted))
    start = 0
    for output in wanted:
        part = found[start : start + len(output)]
        assert np.abs(part - output).max() <= TOLERANCE * np.abs(output).max()
        start += len(output)


@pytest.mark.parametrize(
    "other",
    [replace(FLOAT, threads=3), replace(FLOAT, share=Sharing.OFF), replace(FLOAT, ram=1 << 20)],
    ids=["threads", "own-bytes", "ram"],
)
def test_every_plan_gives_the_same_floats(
    other: Options, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    tool("gcc")
    found = []
    for folder, options in (("one", FLOAT), ("other", other)):
        (tmp_path / folder).mkdir()
        found.append(outputs_of(job_of(NETS["moves"], tmp_path / folder, options)))
    assert found[0].size
    assert (found[0] == found[1]).all()


def _compiled(
    folder: Path, tool: Callable[[str], str]
) -> Callable[[int, np.ndarray, float, float], np.ndarray]:
    """The functions in C: of a number in the registry, floats, alpha and beta."""
    import ctypes
    import subprocess

    root = Path(__file__).parents[3]
    source = folder / "functions.c"
    source.write_text(
        '#include "dpl/body/function.h"\n'
        "void each(int f, const float *x, float *y, int n, float a, float b) {\n"
        "    for (int i = 0; i < n; i++) y[i] = value_of((dpl_function)f, x[i], a, b);\n}\n"
    )
    library = folder / "functions.so"
    flags = ["-std=c11", "-O2", "-shared", "-fPIC", f"-I{root / 'kernels/include'}"]
    subprocess.run([tool("gcc"), *flags, source, "-o", library], check=True)
    compiled = ctypes.CDLL(str(library)).each

    def each(number: int, x: np.ndarray, alpha: float, beta: float) -> np.ndarray:
        found = np.empty_like(x)
        pointers = (a.ctypes.data_as(ctypes.c_void_p) for a in (x, found))
        compiled(number, *pointers, len(x), ctypes.c_float(alpha), ctypes.c_float(beta))
        return found

    return each


def test_functions_are_close_to_their_definitions(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Every function of the registry, over a range and where it saturates."""
    each = _compiled(tmp_path, tool)
    x = np.concatenate([np.linspace(-12, 12, 4801), [-300, -90, 90, 300]]).astype(np.float32)
    for number, name in enumerate(FUNCTIONS):
        attrs = TableAttrs(name, -1.5 if name == "clip" else 0.25, 2.0 if name == "clip" else 0.5)
        taken = x[np.abs(x) <= 80] if name == "exp" else x
        found = each(number, taken, attrs.alpha, attrs.beta)
        with np.errstate(over="ignore"):
            wanted = FUNCTIONS[name](taken.astype(np.float64), attrs.alpha, attrs.beta)
        inner = np.isfinite(wanted)
        assert np.array_equal(found[~inner], wanted[~inner]), name
        off, size = np.abs(found[inner] - wanted[inner]), np.abs(wanted[inner])
        assert (off / np.maximum(size, 1.0)).max() < 1e-5, name


@pytest.mark.parametrize("exponent", [-3.0, -1.5, -0.5, 0.0, 0.3, 2.0, 2.5, 7.0, 70.0])
def test_powers_are_close_to_their_definition(
    exponent: float, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    x = np.concatenate([np.linspace(-2, 2, 401), [1e-3, 1e-40, 3.5]]).astype(np.float32)
    found = _compiled(tmp_path, tool)(list(FUNCTIONS).index("power"), x, exponent, 0.0)
    with np.errstate(over="ignore"):
        wanted = FUNCTIONS["power"](x.astype(np.float64), exponent, 0.0).astype(np.float32)
    inner = np.isfinite(wanted)
    assert np.array_equal(found[~inner], wanted[~inner])
    off, size = np.abs(found[inner] - wanted[inner]), np.abs(wanted[inner])
    assert (off / np.maximum(size, 1.0)).max() < 3e-5


@pytest.mark.parametrize("board", ["nucleo-f767zi", "gap8"])
def test_boards_without_kernels_of_floats_refuse(board: str, tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    onnx.save(NETS["conv_net"], path)
    with pytest.raises(UsageError, match=f"{board} has no kernels for --scheme float"):
        make_job(path, board, options=FLOAT)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("requant", RequantChoice.I32),
        ("calibrate", Calibration.MSE),
        ("equalize", Correction.ON),
        ("bits", 16),
        ("bits_of", (("x", 16),)),
        ("restructure", Restructuring.ALG3),
        ("stream_input", True),
        ("optimize", Objective.BALANCED),
        ("tuned", Path("tuned")),
    ],
)
def test_options_that_are_for_integers_are_refused(name: str, value: object) -> None:
    flag = f"--{name.replace('_', '-')}"
    with pytest.raises(UsageError, match=f"{flag} is not for --scheme float"):
        make_job(Path("net.onnx"), "host", options=replace(FLOAT, **{name: value}))


def test_a_model_that_states_integers_is_refused(tmp_path: Path) -> None:
    s = ModelBuilder(3)
    x = s.conv(s.input(1, 3, 9, 7), (6, 3, 3, 3))
    scale, zero = s.constant(np.float32(0.05)), s.constant(np.int8(3))
    steps = s.node("QuantizeLinear", x, scale, zero)
    job = job_of(s.model(s.relu(s.node("DequantizeLinear", steps, scale, zero))), tmp_path)
    with pytest.raises(ModelError, match="states its quantization"):
        execute(job)
