"""Operands that are computed in every inference, and settings nothing serves: each node is refused
with the reason."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto
from onnx_equal import imported

from deployer.errors import ModelError
from deployer.frontend.bounds import excess
from deployer.frontend.limits import MAX_ELEMENTS, MAX_FOLDED_BYTES, MAX_LOOPED, MAX_PRODUCTS
from deployer.frontend.modules import module_path
from models import ModelBuilder


def scalar(s: ModelBuilder, x: str) -> str:
    return s.node("ReduceMean", x, keepdims=0)


def image(s: ModelBuilder) -> str:
    return s.input(1, 4, 6, 6)


FLOAT = np.float32
SIZES = [1, 1, 2, 2]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda s, x: s.node("Pad", x, s.constant([0, 0, 1, 1] * 2), scalar(s, x)),
            "constant_value=computed",
        ),
        (lambda s, x: s.node("Clip", x, scalar(s, x)), "bound reducemean"),
        (lambda s, x: s.node("Clip", x, "", scalar(s, x)), "bound reducemean"),
        (lambda s, x: s.node("Min", x, scalar(s, x)), "the batch of 1 in axis 0"),
        (lambda s, x: s.node("PRelu", x, s.node("Relu", x)), "relu_0_out is computed"),
        (lambda s, x: s.node("Div", x, s.constant(FLOAT([1, 0, 1, 1, 1, 1]))), "a zero"),
    ],
)
def test_operands_that_are_computed_are_named(
    build: Callable[[ModelBuilder, str], str], message: str, tmp_path: Path
) -> None:
    s = ModelBuilder(3)
    model = s.model(build(s, image(s)), checked=False)
    with pytest.raises(ModelError) as caught:
        imported(model, tmp_path)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda s: s.node(
                *("Resize", image(s), s.constant(FLOAT([0, 0, 0, 0, 1, 1, 1, 1]))),
                s.constant(FLOAT(SIZES)),
                coordinate_transformation_mode="tf_crop_and_resize",
            ),
            "coordinate_transformation_mode=tf_crop_and_resize",
        ),
        (lambda s: s.conv(image(s), (4, 4, 1, 1), strides=[1, 70_000]), "strides=[1, 70000]"),
        (lambda s: s.conv(image(s), (4, 4, 1, 1), pads=[0, 0, 70_000, 0]), "pads=[0, 0, 70000"),
        (
            lambda s: s.node(
                "ConvTranspose", image(s), s.weight(4, 3, 2, 2), strides=[2, 2],
                output_padding=[70_000, 0],
            ),
            "output_padding=[70000, 0]",
        ),
        (
            lambda s: s.node(
                "PRelu", image(s), s.constant(np.ones((4, 6, 6), FLOAT))
            ),
            "slopes of shape [4, 6, 6] for [1, 4, 6, 6]",
        ),
    ],
)  # fmt: skip
def test_settings_that_nothing_serves_are_told(
    build: Callable[[ModelBuilder], str], message: str, tmp_path: Path
) -> None:
    s = ModelBuilder(3)
    with pytest.raises(ModelError) as caught:
        imported(s.model(build(s), checked=False), tmp_path)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "inputs", "outputs", "taken", "reason"),
    [
        ("Add", [(3,)], [(3,)], 0, ""),
        ("Add", [(3,)], [None], 0, ""),
        ("Tile", [(3,)], [None], 0, "its size is not known"),
        ("Tile", [(3,)], [(9,)], 0, ""),
        ("Add", [()], [(MAX_ELEMENTS,)], 0, ""),
        ("Add", [()], [(MAX_ELEMENTS, 1), (MAX_ELEMENTS + 1,)], 0, "16,777,217 elements; at"),
        ("Add", [()], [(4,), (2, 2)], MAX_FOLDED_BYTES - 32, ""),
        (
            "Add",
            [()],
            [(4,), (2, 2)],
            MAX_FOLDED_BYTES - 31,
            "all constants that are computed take",
        ),
        ("MatMul", [(1, 1 << 20), (1 << 20, 1024)], [(1, 1024)], 0, ""),
        ("MatMul", [(1, 1 << 20), (1 << 20, 1025)], [(1, 1025)], 0, f"{MAX_PRODUCTS:,} products"),
        ("Gemm", [(1 << 20, 1), (1, 1025)], [(1, 1025)], 0, f"{MAX_PRODUCTS:,} products"),
        ("Add", [(1, 1 << 20), (1,)], [(1, 1025)], 0, ""),
        ("TopK", [(1 << 10, 1), (1 << 10,)], [(1,)], 0, ""),
        ("TopK", [(1 << 10,), (MAX_LOOPED >> 10, 2)], [(1,)], 0, "computing TopK of constants"),
        ("TopK", [(1 << 20, 2), (0,)], [(1,)], 0, "computing TopK of constants"),
        ("TopK", [(1 << 20,), (0,)], [(1,)], 0, ""),
    ],
)
def test_constants_that_cost_too_much_are_not_computed(
    kind: str, inputs: list, outputs: list, taken: int, reason: str
) -> None:
    found = excess(kind, inputs, outputs, taken)
    assert reason in found
    assert bool(found) == bool(reason)


@pytest.mark.parametrize("text", ["(", "1 +", "{'a': 1}", "3", "'text'", "[" * 5000])
def test_a_name_of_modules_that_is_no_list_says_nothing(text: str) -> None:
    assert module_path({"pkg.torch.onnx.name_scopes": text}) == ""


def test_a_file_without_a_version_is_no_model(tmp_path: Path) -> None:
    s = ModelBuilder(1)
    model = s.model(s.conv(s.input(1, 3, 6, 6), (4, 3, 3, 3)))
    model.ClearField("ir_version")
    with pytest.raises(ModelError, match="ONNX"):
        imported(model, tmp_path)


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_weights_in_what_is_no_file_are_not_waited_for(tmp_path: Path, kind: str) -> None:
    s = ModelBuilder(1)
    model = s.model(s.conv(s.input(1, 3, 6, 6), (4, 3, 3, 3)))
    onnx.save(
        model, tmp_path / "net.onnx", save_as_external_data=True, location="side", size_threshold=0
    )
    (tmp_path / "side").unlink()
    if kind == "pipe":
        os.mkfifo(tmp_path / "side")
    else:
        (tmp_path / "side").mkdir()
    from deployer.frontend.onnx_import import import_model

    with pytest.raises(ModelError, match="keeps its weights in 'side', which is no file"):
        import_model(tmp_path / "net.onnx")


def test_a_damaged_weight_is_named(tmp_path: Path) -> None:
    s = ModelBuilder(1)
    model = s.model(s.conv(s.input(1, 3, 6, 6), (4, 3, 3, 3)))
    model.graph.initializer[0].raw_data = b"123"
    assert model.graph.initializer[0].data_type == TensorProto.FLOAT
    with pytest.raises(ModelError) as caught:
        imported(model, tmp_path)
    assert model.graph.initializer[0].name in str(caught.value)
