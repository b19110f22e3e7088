"""Single ONNX operators from file to image: as ONNX defines them, and bit-exact on every board."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from deployer.frontend.onnx_import import import_model
from deployer.numerics.interpret import run
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute
from emulated.targets import BOARDS
from models import ModelBuilder

SHAPE = (1, 3, 9, 7)


def _global_max() -> onnx.ModelProto:
    s = ModelBuilder(1)
    return s.model(s.node("GlobalMaxPool", s.conv(s.input(*SHAPE), (6, 3, 3, 3))))


def _reduced(kind: str, keep: int, axes: list[int]) -> onnx.ModelProto:
    s = ModelBuilder(2, opset=18)
    x = s.conv(s.input(*SHAPE), (6, 3, 3, 3))
    return s.model(s.node(kind, x, s.constant(axes), keepdims=keep))


def _maximum() -> onnx.ModelProto:
    s = ModelBuilder(3)
    x = s.input(*SHAPE)
    left, right = (s.conv(x, (6, 3, 3, 3)) for _ in range(2))
    return s.model(s.node("Max", left, right))


_EVERYWHERE = ("Ceil", "Celu", "Exp", "Floor", "Neg", "Round", "Selu", "Sign", "Softsign")
_ABOVE_ZERO = ("Log", "Reciprocal", "Sqrt")


def _functions() -> onnx.ModelProto:
    """Every function of one element that is a table, side by side."""
    s = ModelBuilder(4, opset=20)
    x = s.conv(s.input(*SHAPE), (4, 3, 3, 3))
    positive = s.node("Add", s.node("Abs", x), s.constant(np.float32(0.25)))
    found = [s.node(kind, x) for kind in (*_EVERYWHERE, "ThresholdedRelu")]
    found += [s.node(kind, positive) for kind in _ABOVE_ZERO]
    for source, exponent in ((x, 2.0), (x, 3.0), (positive, -0.5), (positive, 1.5)):
        found.append(s.node("Pow", source, s.constant(np.float32(exponent))))
    return s.model(s.node("Concat", *found, axis=1))


def _sequence() -> onnx.ModelProto:
    """Dense layers over the rows of a sequence and over its columns, and rows of rank 2 between."""
    s = ModelBuilder(5, opset=20)
    x = s.node("Reshape", s.input(*SHAPE), s.constant(np.int64([1, 27, 7])))
    x = s.node("Add", s.node("MatMul", x, s.weight(7, 12)), s.weight(12))
    x = s.node("MatMul", s.weight(11, 27), s.node("Gelu", x))
    x = s.node("Reshape", x, s.constant(np.int64([-1, 12])))
    x = s.gemm(x, 12, 5)
    return s.model(s.node("Reshape", x, s.constant(np.int64([1, 11, 5]))))


def _focus() -> onnx.ModelProto:
    """YOLOv5's, and Slices in steps backwards."""
    s = ModelBuilder(6)
    x = s.conv(s.input(*SHAPE), (3, 3, 2, 2))
    pieces = []
    for row, column in ((0, 0), (1, 0), (0, 1), (1, 1)):
        numbers = [np.int64(n) for n in ([row, column], [99, 99], [2, 3], [2, 2])]
        pieces.append(s.node("Slice", x, *(s.constant(n) for n in numbers)))
    x = s.conv(s.node("Concat", *pieces, axis=1), (5, 12, 1, 1))
    numbers = [np.int64(n) for n in ([-1, -1], [-99, -99], [2, 3], [-2, -1])]
    return s.model(s.node("Slice", x, *(s.constant(n) for n in numbers)))


def _broadcast() -> onnx.ModelProto:
    """Constants of several axes, repeated activations, many operands, a computed divisor."""
    s = ModelBuilder(7, opset=18)
    x = s.conv(s.input(*SHAPE), (6, 3, 3, 3))
    parts = [s.node(kind, x, s.weight(7, 5)) for kind in ("Add", "Mul", "Max", "Min")]
    x = s.node("Sub", s.node("Sum", *parts), s.weight(1, 6, 7, 5))
    pooled = s.node("ReduceMean", x, s.constant(np.int64([1])))
    column = s.node("ReduceMax", x, s.constant(np.int64([2, 3])))
    x = s.node("Mul", s.node("Add", x, pooled), s.node("Sigmoid", pooled))
    x = s.node("Min", s.node("Sub", x, column), s.node("Max", x, column))
    return s.model(s.node("Div", x, s.node("Exp", s.node("Tanh", pooled))))


def _reductions() -> onnx.ModelProto:
    """Sums and norms along any axes, and a Concat with a constant at either end."""
    s = ModelBuilder(8, opset=18)
    x = s.conv(s.input(*SHAPE), (6, 3, 3, 3))
    parts = [s.weight(1, 1, 7, 5)]
    for kind in ("ReduceSum", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceMin"):
        parts.append(s.node(kind, x, s.constant(np.int64([1]))))
    scale = s.node("ReduceMean", x, s.constant(np.int64([1, 2, 3])))
    parts.append(s.node("Mul", parts[1], s.node("Exp", scale)))
    return s.model(s.node("Concat", *parts, s.weight(1, 2, 7, 5), axis=1))


def _own_borders() -> onnx.ModelProto:
    """Borders of the image's own elements, and images of another size, each element one of them."""
    s = ModelBuilder(9, opset=19)
    x = s.conv(s.input(*SHAPE), (6, 3, 3, 3))
    sides = s.constant(np.int64([0, 0, 2, 1, 0, 0, 1, 3]))
    parts = [s.node("Pad", x, sides, mode=mode) for mode in ("reflect", "edge", "wrap")]
    x = s.conv(s.node("Concat", *parts, axis=1), (4, 18, 3, 3))
    where = {"mode": "nearest", "coordinate_transformation_mode": "half_pixel"}
    x = s.node("Resize", x, "", "", s.constant(np.int64([1, 4, 11, 5])), **where)
    return s.model(s.node("Resize", x, "", s.constant(np.float32([1, 1, 0.5, 1.6])), **where))


def _attention() -> onnx.ModelProto:
    """A block of a transformer over the pixels of an image: two heads, LayerNorm, products."""
    s = ModelBuilder(10, opset=17)
    x = s.node("Reshape", s.conv(s.input(*SHAPE), (8, 3, 3, 3)), s.constant(np.int64([1, 8, 35])))
    x = s.node("Transpose", x, perm=[0, 2, 1])
    y = s.node("LayerNormalization", x, s.weight(8), s.weight(8))
    split = s.constant(np.int64([1, 35, 2, 4]))
    q, k, v = (s.node("Reshape", s.node("MatMul", y, s.weight(8, 8)), split) for _ in range(3))
    q, v = (s.node("Transpose", each, perm=[0, 2, 1, 3]) for each in (q, v))
    scores = s.node("MatMul", q, s.node("Transpose", k, perm=[0, 2, 3, 1]))
    scores = s.node("Softmax", s.node("Mul", scores, s.constant(np.float32(0.5))), axis=-1)
    y = s.node("Transpose", s.node("MatMul", scores, v), perm=[0, 2, 1, 3])
    return s.model(s.node("Add", x, s.node("Reshape", y, s.constant(np.int64([1, 35, 8])))))


def _norms() -> onnx.ModelProto:
    """Of each channel of an image, of groups of channels, of all of it."""
    s = ModelBuilder(11, opset=17)
    x = s.conv(s.input(*SHAPE), (6, 3, 3, 3))
    x = s.relu(s.node("InstanceNormalization", x, s.weight(6), s.weight(6)))
    flat = s.node("Reshape", x, s.constant(np.int64([0, 2, -1])))
    ones, zeros = (s.constant(np.full(2, number, np.float32)) for number in (1, 0))
    flat = s.node("InstanceNormalization", flat, ones, zeros)
    x = s.conv(s.node("Reshape", flat, s.constant(np.int64([1, 6, 7, 5]))), (4, 6, 1, 1))
    return s.model(s.node("LayerNormalization", x, s.weight(4, 7, 5), axis=1))


def _resampled() -> onnx.ModelProto:
    """Images of other sizes, whose outputs are sums of neighbours."""
    s = ModelBuilder(12, opset=13)
    x = s.conv(s.input(*SHAPE), (6, 3, 3, 3))
    where = {"coordinate_transformation_mode": "align_corners"}
    for mode, size in (("linear", (1, 6, 11, 8)), ("cubic", (1, 6, 5, 9))):
        x = s.node("Resize", x, "", "", s.constant(np.int64(size)), mode=mode, **where)
    return s.model(x)


MODELS: dict[str, Callable[[], onnx.ModelProto]] = {
    "attention": _attention,
    "borders": _own_borders,
    "broadcast": _broadcast,
    "focus": _focus,
    "functions": _functions,
    "GlobalMaxPool": _global_max,
    "Max": _maximum,
    "norms": _norms,
    "resampled": _resampled,
    "sequence": _sequence,
    "reductions": _reductions,
    "ReduceMax": lambda: _reduced("ReduceMax", 1, [2, 3]),
    "ReduceMin": lambda: _reduced("ReduceMin", 1, [2, 3]),
    "ReduceMin-flat": lambda: _reduced("ReduceMin", 0, [-1, -2]),
}


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"{request.param}.onnx"
    onnx.save(MODELS[request.param](), path)
    return path


def test_reals_are_those_of_onnx(model: Path) -> None:
    """The operator of the IR is that of the standard, by its reference implementation."""
    x = np.random.default_rng(2).normal(size=SHAPE).astype(np.float32)
    (expected,) = ReferenceEvaluator(str(model)).run(None, {"input": x})
    (found,) = run(import_model(model), {"input": x.transpose(0, 2, 3, 1)}).values()
    flat = expected if expected.ndim < 4 else expected.transpose(0, 2, 3, 1)
    assert np.allclose(found.ravel(), flat.ravel(), atol=1e-5)


@pytest.mark.parametrize("board", BOARDS)
def test_every_layer_is_bit_exact(model: Path, board: str, tool: Callable[[str], str]) -> None:
    for program in BOARDS[board][1]:
        tool(program)
    job = make_job(model, board, options=Options(golden_samples=2), output=model.parent)
    report = run_job(job, execute(job))
    assert report["golden"]["match"], report["golden"]
    assert all(layer["match"] for layer in report["layers"])


@pytest.mark.parametrize("board", ["host", "rpi3"])
@pytest.mark.parametrize("name", ["functions", "broadcast"])
def test_floats_are_golden(
    name: str, board: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """By the kernels of floats, which compute the functions themselves."""
    for program in BOARDS[board][1]:
        tool(program)
    path = tmp_path / f"{name}.onnx"
    onnx.save(MODELS[name](), path)
    options = Options(scheme="float", golden_samples=2)
    job = make_job(path, board, options=options, output=tmp_path)
    report = run_job(job, execute(job))
    assert report["golden"]["match"], report["golden"]
