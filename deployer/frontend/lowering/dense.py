"""Products with constant matrices: dense layers, and 1x1 convolutions over sequences."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from deployer.frontend.builder import Builder
from deployer.frontend.lowering.products import product
from deployer.frontend.lowering.weights import Permute, add_bias, add_weights
from deployer.frontend.net import Op
from deployer.ir import ConvAttrs, Layout, PointAttrs, Window


@dataclass(frozen=True)
class _Factor:
    """A constant matrix: which input it is, what takes it to (outputs, inputs), along which ONNX
    axis of the other input it works, and what it and the bias are multiplied by."""

    index: int
    permute: Permute
    axis: int
    alpha: float = 1.0
    beta: float = 1.0


def gemm(b: Builder, op: Op) -> None:
    permute: Permute = np.asarray if op.attrs.get("transB", 0) else np.transpose
    alpha, beta = op.attrs.get("alpha", 1.0), op.attrs.get("beta", 1.0)
    last = len(b.net.shapes[op.first]) - 1
    _product(b, op, _Factor(1, permute, last, alpha, beta))


def matmul(b: Builder, op: Op) -> None:
    """A matrix on the right works along the last axis, one on the left along the axis before."""
    rank = len(b.net.shapes[op.output])
    if len(b.net.activations(op)) == 2:
        product(b, op)
    elif op.input(1) in b.net.constants:
        _product(b, op, _Factor(1, lambda weights: _matrix(weights).T, rank - 1))
    else:
        _product(b, op, _Factor(0, _matrix, rank - 2))


def _matrix(weights: np.ndarray) -> np.ndarray:
    """Without axes of 1 in front."""
    return weights.reshape(weights.shape[-2:])


def _product(b: Builder, op: Op, factor: _Factor) -> None:
    shape = b.net.shapes[op.input(1 - factor.index)]
    (_one_row if math.prod(shape) == shape[factor.axis] else _many_rows)(b, op, factor)


def _one_row(b: Builder, op: Op, factor: _Factor) -> None:
    x = op.input(1 - factor.index)
    operands = _operands(b, op, factor, Layout.OI, factor.permute)
    shape = b.net.shapes[x]
    if len(shape) == 2:
        b.emit(op, "FullyConnected", [x, *operands], PointAttrs())
        return
    flat = b.reshape(op, x, (1, shape[factor.axis]))
    inner = b.fresh(f"{op.name}/dense")
    b.emit(op, "FullyConnected", [flat, *operands], PointAttrs(), output=inner)
    b.reshape(op, inner, b.shape(op.output), output=op.output)


def _many_rows(b: Builder, op: Op, factor: _Factor) -> None:
    x = op.input(1 - factor.index)

    def kernels(weights: np.ndarray) -> np.ndarray:
        return factor.permute(weights)[:, None, None, :]

    operands = _operands(b, op, factor, Layout.OHWI, kernels)
    b.along(op, "Conv2d", [x, *operands], ConvAttrs(Window((1, 1))), axis=factor.axis)


def _operands(
    b: Builder, op: Op, factor: _Factor, layout: Layout, permute: Permute
) -> tuple[str, str]:
    kernel, channels = add_weights(b, op, layout, permute, factor=factor.alpha, index=factor.index)
    return kernel, add_bias(b, op, channels, factor.beta)
