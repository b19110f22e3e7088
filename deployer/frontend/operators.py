"""The support table: what each ONNX operator becomes, and what its nodes must be like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from deployer.frontend import movement as m
from deployer.frontend import operands as o
from deployer.frontend import quantized as q
from deployer.frontend import supported as s
from deployer.frontend.supported import Constraint


@dataclass(frozen=True)
class Support:
    """``becomes``: what the operator turns into. ``constraints``: beside the general ones."""

    becomes: str
    constraints: tuple[Constraint, ...] = ()


_CONV = (s.spatial_axes, s.constant_weights, s.one_per_channel, s.whole_groups)
_POOL = (s.spatial_axes, s.regular_pool, s.window_inside)
_ALIAS = Support(
    "an alias: no code; Transpose where NHWC order matters", (o.fixed_shape, o.same_elements)
)
_CURVE = Support("Table")

# They choose, order and repeat elements as indices say: what is left of them is a list of moves.
PICKING = ("Expand", "Gather", "GatherND", "Tile")
_PICKS = Support("nothing, or Slice, Concat, Transpose, Resize, MaxPool", (m.constant_moves,))

OPERATORS: Mapping[str, Support] = MappingProxyType(
    {
        "Abs": _CURVE,
        "Add": Support("Add; a constant joins the layer before", (o.addition,)),
        "AveragePool": Support("AveragePool", (*_POOL[:2], s.exact_ceil, s.window_inside)),
        "BatchNormalization": Support(
            "part of the layer before, else DepthwiseConv2d 1x1",
            (o.inference, s.constant_weights, s.one_per_channel, s.positive_variance),
        ),
        "Cast": Support("nothing", (o.float_cast,)),
        "Clip": Support("a bound of the layer before, else Rescale", (o.constant_bounds,)),
        "Concat": Support("Concat", (m.activations_only, m.axis_behind_batch)),
        "Conv": Support(
            "Conv2d; DepthwiseConv2d when group = input channels", (*_CONV, s.regular_conv)
        ),
        "ConvTranspose": Support("ConvTranspose2d", (*_CONV, s.regular_transposed)),
        q.DEQUANTIZE: Support("nothing: integers are kept as they are", q.OF_DEQUANTIZE),
        "DepthToSpace": Support("DepthToSpace", (s.image, m.whole_blocks)),
        "Div": Support("as Mul", (o.constant_divisor, o.product)),
        "Dropout": Support("nothing", (o.inference,)),
        "Elu": _CURVE,
        "Erf": Support("Table; with its neighbours one GELU"),
        "Expand": _PICKS,
        "Flatten": _ALIAS,
        "Gather": _PICKS,
        "GatherND": _PICKS,
        "Gelu": _CURVE,
        "Gemm": Support(
            "FullyConnected", (s.constant_weights, o.plain_gemm, o.matching_columns, o.row_bias)
        ),
        "GlobalAveragePool": Support("AveragePool", (s.spatial_axes,)),
        "GlobalMaxPool": Support("MaxPool", (s.spatial_axes,)),
        "HardSigmoid": _CURVE,
        "HardSwish": _CURVE,
        "Identity": Support("nothing"),
        "LeakyRelu": _CURVE,
        "MatMul": Support("FullyConnected; a following Add is its bias", (o.dense_product,)),
        "Max": Support("a bound, as Clip", (o.number_operand,)),
        "MaxPool": Support("MaxPool", _POOL),
        "Min": Support("a bound, as Clip", (o.number_operand,)),
        "Mish": _CURVE,
        "Mul": Support(
            "Mul, or part of an activation; a constant joins the layer before", (o.product,)
        ),
        "PRelu": Support("PRelu; Table when all slopes are equal", (o.constant_slope,)),
        "Pad": Support("pads of the Conv or pool behind, else Pad", (m.constant_border,)),
        q.QUANTIZE: Support("the quantization of the layer before, else Rescale", q.OF_QUANTIZE),
        "ReduceMean": Support("AveragePool", (s.spatial_axes, s.spatial_mean)),
        "Relu": Support("a bound of the layer before, else Rescale"),
        "Reshape": _ALIAS,
        "Resize": Support("Resize", (s.spatial_axes, m.whole_magnification)),
        "Sigmoid": Support("Table; times its input one Swish"),
        "Slice": Support("Slice", (m.fixed_range,)),
        "Softmax": Support("Softmax; a final one is left to the host", (o.channel_softmax,)),
        "Softplus": _CURVE,
        "SpaceToDepth": Support("SpaceToDepth", (s.image, m.whole_blocks)),
        "Split": Support("Slice, one per output", (m.axis_behind_batch, m.fixed_parts)),
        "Squeeze": _ALIAS,
        "Sub": Support("Sub; as Add of a constant", (o.addition,)),
        "Tanh": _CURVE,
        "Tile": _PICKS,
        "Transpose": Support("Transpose, where it does not cancel", (o.batch_stays,)),
        "Unsqueeze": _ALIAS,
    }
)


def describe(constraint: Constraint) -> tuple[str, str]:
    """What the constraint needs, and the workaround."""
    needs, _, hint = (constraint.__doc__ or "").partition("Try:")
    return " ".join(needs.split()), " ".join(hint.split())


def markdown() -> str:
    """The support table as it stands in docs/operators.md."""
    rows = ["| ONNX operator | becomes | needs |", "|---|---|---|"]
    for name, support in OPERATORS.items():
        needs = "; ".join(describe(constraint)[0] for constraint in support.constraints)
        rows.append(f"| {name} | {support.becomes} | {needs} |")
    general = "; ".join(describe(constraint)[0] for constraint in s.GENERAL)
    return "\n".join([*rows, "", f"Every node needs {general}."]) + "\n"
