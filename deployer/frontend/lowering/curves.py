"""Functions of single elements, and Softmax."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from deployer.frontend.attributes import concat_axis
from deployer.frontend.builder import Builder
from deployer.frontend.lowering.layers import affine, prelu
from deployer.frontend.lowering.shapes import alias
from deployer.frontend.net import Op
from deployer.ir import COMPOSED, Clamp, PointAttrs, SoftmaxAttrs, TableAttrs

# By ONNX operator: the function's name, and the defaults of its attributes alpha and beta (gamma).
CURVES: Mapping[str, tuple[str, float, float]] = MappingProxyType(
    {
        "Abs": ("abs", 0.0, 0.0),
        "Ceil": ("ceil", 0.0, 0.0),
        "Celu": ("celu", 1.0, 0.0),
        "Elu": ("elu", 1.0, 0.0),
        "Erf": ("erf", 0.0, 0.0),
        "Exp": ("exp", 0.0, 0.0),
        "Floor": ("floor", 0.0, 0.0),
        "HardSigmoid": ("hard_sigmoid", 0.2, 0.5),
        "HardSwish": ("hard_swish", 0.0, 0.0),
        "LeakyRelu": ("leaky_relu", 0.01, 0.0),
        "Log": ("log", 0.0, 0.0),
        "Mish": ("mish", 0.0, 0.0),
        "Reciprocal": ("reciprocal", 0.0, 0.0),
        "Round": ("round", 0.0, 0.0),
        "Selu": ("selu", 1.67326319217681884765625, 1.05070102214813232421875),
        "Sigmoid": ("sigmoid", 0.0, 0.0),
        "Sign": ("sign", 0.0, 0.0),
        "Softplus": ("softplus", 0.0, 0.0),
        "Softsign": ("softsign", 0.0, 0.0),
        "Sqrt": ("sqrt", 0.0, 0.0),
        "Tanh": ("tanh", 0.0, 0.0),
        "ThresholdedRelu": ("thresholded_relu", 1.0, 0.0),
    }
)


def curve(b: Builder, op: Op) -> None:
    name, alpha, beta = CURVES[op.type]
    second = op.attrs.get("gamma" if op.type == "Selu" else "beta", beta)
    attrs = TableAttrs(name, float(op.attrs.get("alpha", alpha)), float(second))
    b.pointwise(op, "Table", [op.first], attrs)


_POWERS = MappingProxyType({0.5: "sqrt", -1.0: "reciprocal"})


def power(b: Builder, op: Op) -> None:
    """Pow by a number."""
    exponent = float(b.net.constants[op.input(1)].item())
    if exponent == 1.0:
        alias(b, op)
        return
    known = _POWERS.get(exponent)
    attrs = TableAttrs("power", exponent) if known is None else TableAttrs(known)
    b.pointwise(op, "Table", [op.first], attrs)


def composed(b: Builder, op: Op) -> None:
    """A function of one variable that several nodes wrote out: an attribute has its expression."""
    attrs = TableAttrs(COMPOSED, expression=str(op.attrs[COMPOSED]))
    b.pointwise(op, "Table", [op.first], attrs)


def negate(b: Builder, op: Op) -> None:
    """A scale of -1, which joins the layer before as any other does."""
    axis = b.order(op.first)[-1]
    channels = b.net.shapes[op.first][axis]
    affine(b, op, op.first, axis, (np.full(channels, -1.0), np.zeros(channels)))


def gelu(b: Builder, op: Op) -> None:
    exact = op.attrs.get("approximate", "none") == "none"
    b.pointwise(op, "Table", [op.first], TableAttrs("gelu" if exact else "gelu_tanh"))


def slopes(b: Builder, op: Op) -> None:
    """PRelu; one slope for all elements makes it a leaky ReLU."""
    slope = b.net.constants[op.input(1)]
    if np.any(slope != slope.flat[0]):
        prelu(b, op)
        return
    b.pointwise(op, "Table", [op.first], TableAttrs("leaky_relu", float(slope.flat[0])))


def relu(b: Builder, op: Op) -> None:
    b.pointwise(op, "Rescale", [op.first], PointAttrs(Clamp(0.0, None)))


def clip(b: Builder, op: Op) -> None:
    low, high = (_bound(b.net.constant(op, i)) for i in (1, 2))
    b.pointwise(op, "Rescale", [op.first], PointAttrs(Clamp(low, high)))


def _bound(constant: np.ndarray | None) -> float | None:
    """None for no bound and for one that no float32 passes."""
    if constant is None or abs(constant.item()) >= float(np.finfo(np.float32).max):
        return None
    return float(constant.item())


def quantize(b: Builder, op: Op) -> None:
    """A Rescale to the stated quantization: what passes may move but not drop."""
    x, quant = op.first, b.net.quants[op.output]
    if len(b.net.shapes[x]) <= 4:
        b.emit(op, "Rescale", [x], PointAttrs(), quant=quant)
        return
    inner = b.fresh(f"{op.name}/image")
    b.emit(op, "Rescale", [b.image(op, x)], PointAttrs(), output=inner, quant=quant)
    b.reshape(op, inner, b.shape(op.output), output=op.output)


def softmax(b: Builder, op: Op) -> None:
    x = op.first
    if len(b.net.shapes[x]) == 2:
        b.emit(op, "Softmax", [x], SoftmaxAttrs())
        return
    b.along(op, "Softmax", [x], SoftmaxAttrs(), axis=concat_axis(b.net, op))
