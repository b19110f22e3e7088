"""The support table: what each ONNX operator becomes, and what its nodes must be like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from deployer.frontend import supported as s
from deployer.frontend.supported import Constraint


@dataclass(frozen=True)
class Support:
    """``becomes``: what the operator turns into. ``constraints``: beside the general ones."""

    becomes: str
    constraints: tuple[Constraint, ...] = ()


_POOL = (s.two_axes, s.regular_pool, s.window_inside)
_ALIAS = Support("an alias: no code; Transpose where NHWC order matters", (s.fixed_shape,))

OPERATORS: Mapping[str, Support] = MappingProxyType(
    {
        "Add": Support("Add; a constant joins the layer before", (s.addition,)),
        "AveragePool": Support("AveragePool", (*_POOL[:2], s.exact_ceil, s.window_inside)),
        "BatchNormalization": Support(
            "part of the layer before, else DepthwiseConv2d 1x1",
            (s.inference, s.constant_weights, s.one_per_channel, s.positive_variance),
        ),
        "Cast": Support("nothing", (s.float_cast,)),
        "Clip": Support("a bound of the layer before, else Rescale", (s.constant_bounds,)),
        "Conv": Support(
            "Conv2d; DepthwiseConv2d when group = input channels",
            (s.two_axes, s.constant_weights, s.one_per_channel, s.whole_groups, s.regular_conv),
        ),
        "Div": Support("as Mul", (s.constant_divisor, s.constant_operand)),
        "Dropout": Support("nothing", (s.inference,)),
        "Flatten": _ALIAS,
        "Gemm": Support(
            "FullyConnected", (s.constant_weights, s.plain_gemm, s.matching_columns, s.row_bias)
        ),
        "GlobalAveragePool": Support("AveragePool", (s.two_axes,)),
        "GlobalMaxPool": Support("MaxPool", (s.two_axes,)),
        "Identity": Support("nothing"),
        "MatMul": Support("FullyConnected; a following Add is its bias", (s.dense_product,)),
        "MaxPool": Support("MaxPool", _POOL),
        "Mul": Support("part of the layer before", (s.constant_operand,)),
        "Pad": Support(
            "pads of the Conv or pool behind, else DepthwiseConv2d 1x1", (s.two_axes, s.zero_border)
        ),
        "ReduceMean": Support("AveragePool", (s.two_axes, s.spatial_mean)),
        "Relu": Support("a bound of the layer before, else Rescale"),
        "Reshape": _ALIAS,
        "Softmax": Support("Softmax; a final one is left to the host", (s.channel_softmax,)),
        "Squeeze": _ALIAS,
        "Sub": Support("as Add of a constant", (s.constant_operand,)),
        "Transpose": Support("Transpose, where it does not cancel", (s.batch_stays,)),
        "Unsqueeze": _ALIAS,
    }
)


def describe(constraint: Constraint) -> tuple[str, str]:
    """What the constraint needs, and the workaround."""
    needs, _, hint = (constraint.__doc__ or "").partition("Try:")
    return needs.strip(), " ".join(hint.split())


def markdown() -> str:
    """The support table as it stands in docs/operators.md."""
    rows = ["| ONNX operator | becomes | needs |", "|---|---|---|"]
    for name, support in OPERATORS.items():
        needs = "; ".join(describe(constraint)[0] for constraint in support.constraints)
        rows.append(f"| {name} | {support.becomes} | {needs} |")
    general = "; ".join(describe(constraint)[0] for constraint in s.GENERAL)
    return "\n".join([*rows, "", f"Every node needs {general}."]) + "\n"
