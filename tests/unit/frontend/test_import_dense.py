"""Dense layers, per-channel arithmetic, batch norm, activations, Add and Softmax."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx_equal import check_equal, imported

from deployer.errors import ModelError
from deployer.ir.attrs import Clamp
from deployer.ir.graph import Graph
from models import ModelBuilder


def ops(graph: Graph) -> list[str]:
    return [node.op for node in graph.nodes]


@pytest.mark.parametrize("transposed", [0, 1])
@pytest.mark.parametrize("bias", [None, (), (1,), (5,), (1, 5)])
def test_gemm_in_every_form(transposed: int, bias: tuple[int, ...] | None, tmp_path: Path) -> None:
    s = ModelBuilder(1)
    inputs = [s.input(1, 7), s.weight(5, 7) if transposed else s.weight(7, 5)]
    if bias is not None:
        inputs.append(s.constant(s.rng.normal(size=bias).astype(np.float32)))
    model = s.model(s.node("Gemm", *inputs, transB=transposed, alpha=0.5, beta=-2.0))
    assert ops(check_equal(model, tmp_path)) == ["FullyConnected"]


def test_matmul_takes_a_following_add_as_its_bias(tmp_path: Path) -> None:
    s = ModelBuilder(2)
    x = s.node("MatMul", s.input(1, 7), s.weight(7, 5))
    x = s.relu(s.node("Add", s.weight(5), x))
    (node,) = check_equal(s.model(x), tmp_path).nodes
    assert (node.op, node.attrs.clamp) == ("FullyConnected", Clamp(0.0, None))
    assert node.origin == ("matmul_0", "add_1", "relu_2")


def test_matmul_alone_has_a_bias_of_zeros(tmp_path: Path) -> None:
    s = ModelBuilder(3)
    graph = check_equal(s.model(s.node("MatMul", s.input(1, 7), s.weight(7, 5))), tmp_path)
    assert not graph.constants[graph.nodes[0].inputs[2]].any()


@pytest.mark.parametrize("layer", ["Conv", "depthwise", "Gemm"])
def test_batch_norm_joins_the_layer_before(layer: str, tmp_path: Path) -> None:
    s = ModelBuilder(4)
    if layer == "Gemm":
        x = s.gemm(s.input(1, 8), 8, 6)
    else:
        x = s.input(1, 6, 5, 5)
        shape = (6, 1, 3, 3) if layer == "depthwise" else (6, 6, 3, 3)
        x = s.conv(x, shape, bias=False, group=6 if layer == "depthwise" else 1)
    assert len(check_equal(s.model(s.relu(s.batch_norm(x, 6))), tmp_path).nodes) == 1


@pytest.mark.parametrize("shape", [(1, 6, 5, 4), (1, 6), (1, 6, 7)])
def test_batch_norm_alone_is_a_pointwise_convolution(
    shape: tuple[int, ...], tmp_path: Path
) -> None:
    s = ModelBuilder(5)
    graph = check_equal(s.model(s.relu(s.batch_norm(s.input(*shape), 6))), tmp_path)
    (node,) = [n for n in graph.nodes if n.op not in ("Reshape", "Transpose")]
    assert (node.op, node.attrs.clamp) == ("DepthwiseConv2d", Clamp(0.0, None))


def test_batch_norm_behind_an_activation_or_a_fork_is_not_folded(tmp_path: Path) -> None:
    s = ModelBuilder(6)
    x = s.conv(s.input(1, 3, 5, 5), (4, 3, 1, 1))
    y = s.batch_norm(s.relu(x), 4)
    z = s.batch_norm(x, 4)
    graph = check_equal(s.model(s.node("Add", y, z)), tmp_path)
    assert sorted(ops(graph)) == ["Add", "Conv2d", "DepthwiseConv2d", "DepthwiseConv2d", "Rescale"]


def test_batch_norm_of_a_returned_layer_is_not_folded(tmp_path: Path) -> None:
    s = ModelBuilder(7)
    x = s.conv(s.input(1, 3, 5, 5), (4, 3, 1, 1))
    graph = check_equal(s.model(x, s.batch_norm(x, 4)), tmp_path)
    assert ops(graph) == ["Conv2d", "DepthwiseConv2d"]


@pytest.mark.parametrize("kind", ["Add", "Sub", "Mul", "Div"])
@pytest.mark.parametrize("shape", [(), (1,), (4, 1, 1), (1, 4, 1, 1)])
def test_constant_arithmetic_joins_the_layer_before(
    kind: str, shape: tuple[int, ...], tmp_path: Path
) -> None:
    s = ModelBuilder(8)
    constant = s.constant(s.rng.uniform(0.5, 2, shape).astype(np.float32))
    x = s.conv(s.input(1, 3, 5, 5), (4, 3, 2, 2))
    assert ops(check_equal(s.model(s.node(kind, x, constant)), tmp_path)) == ["Conv2d"]


@pytest.mark.parametrize("kind", ["Add", "Sub", "Mul"])
def test_constant_on_the_left_and_without_a_layer(kind: str, tmp_path: Path) -> None:
    s = ModelBuilder(9)
    constant = s.constant(np.float32([[[1.5]], [[2.0]], [[-0.5]]]))
    graph = check_equal(s.model(s.node(kind, constant, s.input(1, 3, 4, 5))), tmp_path)
    assert ops(graph) == ["DepthwiseConv2d"]


@pytest.mark.parametrize(
    ("kind", "shape", "message"),
    [
        ("Mul", (2, 3, 4, 5), "batch of 1"),
        ("Div", (1, 1, 1, 1), "divisor without zeros; found a zero"),
    ],
)
def test_other_constants_are_refused(
    kind: str, shape: tuple[int, ...], message: str, tmp_path: Path
) -> None:
    s = ModelBuilder(10)
    constant = s.constant(np.zeros(shape, dtype=np.float32))
    with pytest.raises(ModelError, match=message):
        imported(s.model(s.node(kind, s.input(1, 3, 4, 5), constant)), tmp_path)


def test_add_of_two_activations_and_of_one_twice(tmp_path: Path) -> None:
    s = ModelBuilder(11)
    x = s.conv(s.input(1, 3, 5, 5), (4, 3, 1, 1))
    y = s.relu(s.node("Add", x, x))
    graph = check_equal(s.model(s.relu6(s.node("Add", y, x))), tmp_path)
    assert ops(graph) == ["Conv2d", "Add", "Add"]


@pytest.mark.parametrize(
    ("bounds", "clamp"),
    [
        ((-1.0, 1.5), Clamp(-1.0, 1.5)),
        ((None, 1.5), Clamp(None, 1.5)),
        ((-1.0, None), Clamp(-1.0, None)),
        ((-np.inf, 3.4028235e38), None),
        ((None, None), None),
    ],
)
def test_clip_bounds(bounds: tuple[Any, Any], clamp: Clamp | None, tmp_path: Path) -> None:
    s = ModelBuilder(13)
    x = s.gemm(s.input(1, 4), 4, 6)
    names = ["" if bound is None else s.constant(np.float32(bound)) for bound in bounds]
    (node,) = check_equal(s.model(s.node("Clip", x, *names)), tmp_path).nodes
    assert node.attrs.clamp == (clamp or Clamp())


def test_activations_in_a_row_become_one_clamp(tmp_path: Path) -> None:
    s = ModelBuilder(14)
    x = s.relu(s.gemm(s.input(1, 4), 4, 6))
    for low, high in ((0.2, 0.9), (-3.0, 0.5), (0.6, 0.7)):
        x = s.node("Clip", x, s.constant(np.float32(low)), s.constant(np.float32(high)))
    (node,) = check_equal(s.model(x), tmp_path).nodes
    assert node.attrs.clamp == Clamp(pytest.approx(0.6), pytest.approx(0.6))


def test_an_activation_without_a_layer_or_of_a_fork_is_a_rescale(tmp_path: Path) -> None:
    s = ModelBuilder(15)
    x = s.relu(s.input(1, 3, 4, 4))
    y = s.conv(x, (3, 3, 1, 1))
    graph = check_equal(s.model(s.node("Add", s.relu6(y), y)), tmp_path)
    assert ops(graph) == ["Rescale", "Conv2d", "Rescale", "Add"]


def test_bounds_that_cross_or_are_computed_are_refused(tmp_path: Path) -> None:
    s = ModelBuilder(16)
    crossed = s.relu6(s.input(1, 3))
    low, high = s.constant(np.float32(2)), s.constant(np.float32(1))
    with pytest.raises(ModelError, match=r"min=2.0, max=1.0"):
        imported(s.model(s.node("Clip", crossed, low, high)), tmp_path)


@pytest.mark.parametrize(("opset", "axis"), [(11, 1), (11, None), (13, -1), (13, 1), (13, None)])
def test_softmax_over_the_classes(opset: int, axis: int | None, tmp_path: Path) -> None:
    s = ModelBuilder(17, opset=opset)
    attrs = {} if axis is None else {"axis": axis}
    model = s.model(s.node("Softmax", s.gemm(s.input(1, 4), 4, 6), **attrs))
    assert ops(check_equal(model, tmp_path)) == ["FullyConnected", "Softmax"]


@pytest.mark.parametrize("shape", [(1, 4, 3), (1, 4, 3, 2)])
@pytest.mark.parametrize("axis", [1, 2, -1])
def test_softmax_over_any_axis(shape: tuple[int, ...], axis: int, tmp_path: Path) -> None:
    s = ModelBuilder(18)
    check_equal(s.model(s.node("Softmax", s.input(*shape), axis=axis)), tmp_path)


def test_softmax_over_the_channels_of_an_image(tmp_path: Path) -> None:
    s = ModelBuilder(18)
    graph = check_equal(s.model(s.node("Softmax", s.input(1, 4, 3, 3), axis=1)), tmp_path)
    assert ops(graph) == ["Softmax"]
    for opset in (11, 12):  # over everything from the axis on
        s = ModelBuilder(18, opset=opset)
        with pytest.raises(ModelError, match=r"before opset 13 .*; found axis=1 of \[1, 4, 3, 3\]"):
            imported(s.model(s.node("Softmax", s.input(1, 4, 3, 3), axis=1)), tmp_path)


def test_a_final_softmax_is_left_to_the_host(tmp_path: Path) -> None:
    s = ModelBuilder(19)
    x = s.node("Identity", s.node("Softmax", s.gemm(s.input(1, 4), 4, 6)))
    graph = imported(s.model(x), tmp_path, softmax="host")
    assert ops(graph) == ["FullyConnected"]
    assert graph.outputs == ("output",)
    assert graph.meta["softmax_on_host"] == "true"
    assert any("softmax is left to the host" in note for note in graph.notes)


def test_a_softmax_that_others_read_stays(tmp_path: Path) -> None:
    """One flag speaks for all outputs, so all of them must end in a softmax or none leaves."""
    s = ModelBuilder(20)
    x = s.gemm(s.input(1, 4), 4, 6)
    graph = check_equal(s.model(s.node("Softmax", x), x), tmp_path, softmax="host")
    assert graph.meta["softmax_on_host"] == "false"
    assert "Softmax" in ops(graph)


def test_two_outputs_that_end_in_a_softmax(tmp_path: Path) -> None:
    s = ModelBuilder(21)
    x = s.relu(s.gemm(s.input(1, 4), 4, 6))
    heads = [s.node("Softmax", s.gemm(x, 6, size)) for size in (2, 3)]
    graph = imported(s.model(*heads), tmp_path, softmax="host")
    assert ops(graph) == ["FullyConnected"] * 3
    assert set(graph.outputs) == set(heads)
