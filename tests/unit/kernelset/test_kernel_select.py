"""What a kernel sees of a node, and which kernel a node gets."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from deployer.errors import ModelError, UsageError
from deployer.ir.attrs import (
    ConvAttrs,
    ConvTransposeAttrs,
    PadAttrs,
    Pads,
    PointAttrs,
    PoolAttrs,
    ReshapeAttrs,
    ResizeAttrs,
    SliceAttrs,
    SoftmaxAttrs,
    Window,
)
from deployer.ir.graph import Graph, Node, Requant
from deployer.ir.types import DType, Layout, Value
from deployer.kernelset.kernel import Kernel, KernelCase, case_of
from deployer.kernelset.select import by_symbol, families, in_fallback, select

selection = import_module("deployer.kernelset.select")

WINDOW = Window((3, 5), stride=(2, 1), dilation=(1, 2), pads=Pads(1, 2, 3, 4))


def graph_of(node: Node, values: list[Value], constants: dict[str, np.ndarray]) -> Graph:
    return Graph("g", {v.name: v for v in values}, (node,), ("x",), ("y",), constants)


def conv(act: DType = DType.S8, weights: DType = DType.S8) -> tuple[Graph, Node]:
    """8x8x4 to 5x4x6 with two groups."""
    requant = Requant("q16", "m", "r", "s", -128, 127)
    node = Node("conv_1", "Conv2d", ("x", "w", "b"), ("y",), ConvAttrs(WINDOW, 2), requant)
    values = [
        Value("x", (1, 8, 8, 4), act, Layout.NHWC),
        Value("w", (6, 3, 5, 2), weights, Layout.OHWI),
        Value("b", (6,), DType.S32, Layout.VECTOR),
        Value("y", (1, 5, 6, 6), act, Layout.NHWC),
    ]
    constants = {"w": np.zeros((6, 3, 5, 2), np.int8), "b": np.zeros(6, np.int32)}
    return graph_of(node, values, constants), node


def simple(
    op: str, attrs: Any, act: DType = DType.S8, out: DType | None = None
) -> tuple[Graph, Node]:
    types = {"x": act, "z": act, "y": out or act}
    values = [Value(name, (1, 4, 4, 8), kind, Layout.NHWC) for name, kind in types.items()]
    inputs = ("x", "z") if op in ("Add", "Sub") else ("x",)
    node = Node("n", op, inputs, ("y",), attrs)
    return graph_of(node, values, {}), node


def test_case_of_a_convolution() -> None:
    assert case_of(*conv()) == KernelCase(
        op="Conv2d",
        act="s8",
        weights="s8",
        in_shapes=((1, 8, 8, 4),),
        out_shape=(1, 5, 6, 6),
        kernel=(3, 5),
        stride=(2, 1),
        dilation=(1, 2),
        pads=Pads(1, 2, 3, 4),
        groups=2,
        rule="q16",
    )


def test_case_of_an_addition_has_two_inputs_and_no_weights() -> None:
    case = case_of(*simple("Add", PointAttrs()))
    assert case.in_shapes == ((1, 4, 4, 8), (1, 4, 4, 8))
    assert (case.weights, case.rule, case.kernel, case.groups) == ("", "", (1, 1), 1)


@pytest.mark.parametrize(
    ("op", "attrs", "before"),
    [
        ("Pad", PadAttrs((0, 1, 2, 0), (0, 1, 1, 3)), (0, 1, 2, 0)),
        ("Slice", SliceAttrs((0, 3, 0, 1), (1, 4, 4, 8)), (0, 3, 0, 1)),
        ("Add", PointAttrs(), ()),
    ],
)
def test_case_says_where_a_window_begins(op: str, attrs: Any, before: tuple[int, ...]) -> None:
    assert case_of(*simple(op, attrs)).before == before


def test_case_of_a_pool_has_its_window() -> None:
    assert case_of(*simple("MaxPool", PoolAttrs(Window((2, 3))))).kernel == (2, 3)


def test_case_of_a_transposed_convolution_has_its_window_and_groups() -> None:
    case = case_of(*simple("ConvTranspose2d", ConvTransposeAttrs(WINDOW, (4, 4), groups=4)))
    assert (case.kernel, case.stride, case.dilation) == ((3, 5), (2, 1), (1, 2))
    assert (case.pads, case.groups) == (Pads(1, 2, 3, 4), 4)


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_resize_has_a_kernel_for_each_mode(mode: str) -> None:
    node = simple("Resize", ResizeAttrs((2, 2), mode))
    assert case_of(*node).mode == mode
    assert select(["ref"], *node).symbol == f"dpl_resize_{mode}_s8__ref"


@pytest.mark.parametrize("act", [DType.S8, DType.S16])
def test_activations_choose_the_kernel(act: DType) -> None:
    name = act.name.lower()
    assert select([], *conv(act)).symbol == f"dpl_conv2d_{name}__ref"
    assert select([], *simple("Sub", PointAttrs(), act)).symbol == f"dpl_add_{name}__ref"
    assert case_of(*conv(act)).out_act == ""


@pytest.mark.parametrize(
    ("act", "out", "types"),
    [
        (DType.S8, DType.S8, "s8"),
        (DType.S16, DType.S16, "s16"),
        (DType.S8, DType.S16, "s8_s16"),
        (DType.S16, DType.S8, "s16_s8"),
    ],
)
def test_rescale_has_a_kernel_for_each_pair_of_types(act: DType, out: DType, types: str) -> None:
    node = simple("Rescale", PointAttrs(), act, out)
    assert select(["ref"], *node).symbol == f"dpl_rescale_{types}__ref"


def test_no_other_operator_changes_the_type() -> None:
    with pytest.raises(ModelError) as caught:
        select(["ref"], *simple("Add", PointAttrs(), DType.S8, DType.S16))
    assert "s8 activations to s16" in caught.value.why[0]


def test_softmax_has_no_int16_kernel() -> None:
    with pytest.raises(ModelError, match="no kernel computes n \\(Softmax\\)"):
        select(["ref"], *simple("Softmax", SoftmaxAttrs(), DType.S16))


def test_one_function_adds_and_subtracts() -> None:
    add, sub = (select(["ref"], *simple(op, PointAttrs())) for op in ("Add", "Sub"))
    assert add is sub
    assert by_symbol(add.symbol) is add
    assert not add.takes(case_of(*simple("Mul", PointAttrs())))


def test_select_falls_back_to_portable_kernels() -> None:
    assert select([], *conv()).symbol == "dpl_conv2d_s8__ref"
    assert select(["ref"], *simple("Add", PointAttrs())).symbol == "dpl_add_s8__ref"


def test_first_kernel_that_takes_the_case_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    only_1x1 = Kernel("dpl_conv2d_s8__armv7em_1x1", "Conv2d", when=lambda c: c.kernel == (1, 1))
    grouped = Kernel("dpl_conv2d_s8__armv7em_groups", "Conv2d", when=lambda c: c.groups == 2)
    table = {**families(), "cortex_m": (only_1x1, grouped)}
    monkeypatch.setattr(selection, "_FAMILIES", table)
    assert select(["cortex_m", "ref"], *conv()) is grouped
    assert select(["ref", "cortex_m"], *conv()).symbol == "dpl_conv2d_s8__ref"
    assert by_symbol(only_1x1.symbol) is only_1x1


@pytest.mark.parametrize(
    ("act", "weights", "said"),
    [(DType.F32, DType.F32, "f32 activations"), (DType.S8, DType.S16, "s16 weights")],
)
def test_types_without_a_kernel_are_refused(act: DType, weights: DType, said: str) -> None:
    with pytest.raises(ModelError) as caught:
        select(["ref"], *conv(act, weights))
    assert "conv_1" in caught.value.what
    assert "Conv2d" in caught.value.what
    assert said in caught.value.why[0]


def test_unknown_family_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        select(["ref", "reff"], *conv())
    assert caught.value.hints == ("did you mean ref?",)


def test_unknown_symbol_is_refused() -> None:
    with pytest.raises(UsageError, match="dpl_conv2d_s8__nothing"):
        by_symbol("dpl_conv2d_s8__nothing")


def test_alias_has_no_kernel() -> None:
    with pytest.raises(ValueError, match="Reshape is an alias"):
        select(["ref"], *simple("Reshape", ReshapeAttrs((1, 128))))


@pytest.mark.parametrize(
    ("kernel", "portable"),
    [
        ("dpl_conv2d_s8__ref", True),
        ("dpl_add_s8__ref_wide", True),
        ("dpl_conv2d_s8__armv7em_winograd", False),
        ("dpl_add_s8__reference", False),
    ],
)
def test_portable_kernels_are_known_by_name(kernel: str, portable: bool) -> None:
    assert in_fallback(kernel) == portable
