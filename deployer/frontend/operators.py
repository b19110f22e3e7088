"""The support table: what each ONNX operator becomes, and what its nodes must be like."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from deployer.frontend import movement as m
from deployer.frontend import norm_constraints as n
from deployer.frontend import operands as o
from deployer.frontend import quantized as q
from deployer.frontend import supported as s
from deployer.frontend.builder import Builder
from deployer.frontend.lowering import (
    broadcast,
    curves,
    dense,
    images,
    layers,
    moves,
    norms,
    pairs,
    recurrent,
    shapes,
)
from deployer.frontend.net import Op
from deployer.frontend.one_variable import COMPOSING
from deployer.frontend.recurrences import CONSTRAINTS as OF_RECURRENT
from deployer.frontend.supported import Constraint


@dataclass(frozen=True)
class Support:
    """``becomes``: what the operator turns into. ``constraints``: beside the general ones.
    ``lower``: adds the nodes of an ONNX node that meets them. ``parameters``: whether constants
    among its inputs are trained numbers, not sizes, axes or bounds."""

    becomes: str
    constraints: tuple[Constraint, ...] = ()
    lower: Callable[[Builder, Op], None] = field(kw_only=True)
    parameters: bool = True


_CONV = (s.spatial_axes, s.constant_weights, s.one_per_channel, s.whole_groups)
_POOL = (s.spatial_axes, s.regular_pool, s.window_inside)
_ALIAS = Support(
    "an alias: no code; Transpose where NHWC order matters",
    (o.fixed_shape, o.same_elements),
    lower=shapes.reshape,
)
_ALIAS_BY_NUMBERS = replace(_ALIAS, parameters=False)
_CURVE = Support("Table", lower=curves.curve)

# They choose, order and repeat elements as indices say: what is left of them is a list of moves.
PICKING = ("Expand", "Gather", "GatherND", "Tile")
_PICKS = Support(
    "nothing, or Slice, Concat, Transpose, Resize, MaxPool", (m.constant_moves,), lower=moves.moved
)
# Chains of Adds, where there are several operands.
_CHAINED = Support("Add, one for each operand more", (o.two_operands,), lower=shapes.alias)


def _reduction(pool: str) -> Support:
    """Of a reduction to one window of ``pool``."""
    return Support(pool, (s.fixed_axes,), lower=images.reduced(pool), parameters=False)


# Means of absolute values or squares, by the number of elements, maybe their root.
_SUMMED = replace(_reduction("AveragePool"), becomes="AveragePool, with Table, Mul, a factor")

# A step: dense layers, tables of the gates, products and sums of single elements.
_RECURRENT = Support(
    "Conv2d 1x1 of all inputs; of each step FullyConnected, Table, Mul, Add",
    OF_RECURRENT,
    lower=recurrent.recurrent,
)

# Where all depends on one activation, they are gone before the check but for the last.
_COMPOSED = Support(
    "Table, with what stands around it",
    (o.one_variable,),
    lower=curves.composed,
    parameters=False,
)

# Final ones are gone before the check.
_CHOICE = Support("nothing: a final one is left to the host", (o.end_behind,), lower=shapes.alias)
CHOOSING = ("ArgMax", "ArgMin")
LOGARITHMS = ("LogSoftmax",)

_SUPPORTED: Mapping[str, Support] = MappingProxyType(
    {
        "Abs": _CURVE,
        "Add": Support(
            "Add; a constant joins the layer before, else DepthwiseConv2d 1x1",
            (o.two_operands,),
            lower=pairs.arithmetic,
        ),
        "ArgMax": _CHOICE,
        "ArgMin": _CHOICE,
        "AveragePool": Support(
            "AveragePool", (*_POOL[:2], s.exact_ceil, s.window_inside), lower=images.pool
        ),
        "BatchNormalization": Support(
            "part of the layer before, else DepthwiseConv2d 1x1",
            (o.inference, s.constant_weights, s.one_per_channel, s.positive_variance),
            lower=layers.batch_norm,
        ),
        "Cast": Support("nothing", (o.float_cast,), lower=shapes.alias),
        "Ceil": _CURVE,
        "Celu": Support("Table", (o.positive_alpha,), lower=curves.curve),
        "Clip": Support(
            "a bound of the layer before, else Rescale",
            (o.constant_bounds,),
            lower=curves.clip,
            parameters=False,
        ),
        "Concat": Support(
            "Concat; a constant is the bias of a FullyConnected",
            (m.real_constants, m.axis_behind_batch),
            lower=broadcast.concat,
        ),
        "Conv": Support(
            "Conv2d; DepthwiseConv2d when group = input channels",
            (*_CONV, s.regular_conv),
            lower=layers.conv,
        ),
        "ConvTranspose": Support(
            "ConvTranspose2d", (*_CONV, s.regular_transposed), lower=layers.conv_transpose
        ),
        q.DEQUANTIZE: Support(
            "nothing: integers are kept as they are",
            q.OF_DEQUANTIZE,
            lower=shapes.alias,
            parameters=False,
        ),
        "DepthToSpace": Support("DepthToSpace", (s.image, m.whole_blocks), lower=images.blocks),
        "Div": Support(
            "as Mul, of the reciprocal",
            (o.two_operands, o.constant_divisor),
            lower=pairs.arithmetic,
        ),
        "Dropout": Support("nothing", (o.inference,), lower=shapes.alias, parameters=False),
        "Elu": _CURVE,
        "Erf": Support("Table; with its neighbours one GELU", lower=curves.curve),
        "Exp": _CURVE,
        "Expand": _PICKS,
        "Flatten": _ALIAS,
        "Floor": _CURVE,
        "Gather": _PICKS,
        "GatherND": _PICKS,
        "Gelu": Support("Table", lower=curves.gelu),
        "Gemm": Support(
            "FullyConnected, of several rows Conv2d 1x1",
            (s.constant_weights, o.plain_gemm, o.matching_columns, o.row_bias),
            lower=dense.gemm,
        ),
        "GRU": _RECURRENT,
        "GlobalAveragePool": Support("AveragePool", (s.spatial_axes,), lower=images.global_pool),
        "GlobalMaxPool": Support("MaxPool", (s.spatial_axes,), lower=images.global_pool),
        n.GROUP: Support("GroupNorm", n.OF_GROUPS, lower=norms.group_norm),
        "HardSigmoid": _CURVE,
        "HardSwish": _CURVE,
        "Identity": Support("nothing", lower=shapes.alias),
        n.INSTANCE: Support("GroupNorm", n.OF_IMAGES, lower=norms.instance_norm),
        n.LAYER: Support(
            "LayerNorm, of several axes GroupNorm", n.OF_LAYERS, lower=norms.layer_norm
        ),
        "LSTM": _RECURRENT,
        "LeakyRelu": _CURVE,
        "Log": _CURVE,
        "LogSoftmax": _CHOICE,
        "MatMul": Support(
            "FullyConnected, of several rows Conv2d 1x1, a following Add is its bias; of two "
            "activations MatMul",
            (o.matrix_product,),
            lower=dense.matmul,
        ),
        "Max": Support(
            "Maximum; a bound, as Clip, of a number",
            (o.two_operands,),
            lower=pairs.maximum,
            parameters=False,
        ),
        "MaxPool": Support("MaxPool", _POOL, lower=images.pool),
        "Min": Support(
            "a bound, as Clip, of a number; else Maximum of negatives",
            (o.two_operands,),
            lower=pairs.extreme,
            parameters=False,
        ),
        "Mean": _CHAINED,
        "Mish": _CURVE,
        "Mul": Support(
            "Mul, or part of an activation; a constant joins the layer before, else "
            "DepthwiseConv2d 1x1",
            (o.two_operands,),
            lower=pairs.arithmetic,
        ),
        "Neg": Support("part of the layer before, else DepthwiseConv2d 1x1", lower=curves.negate),
        "PRelu": Support(
            "PRelu; Table when all slopes are equal", (o.constant_slope,), lower=curves.slopes
        ),
        "Pad": Support(
            "pads of the Conv or pool behind, else Pad",
            (m.constant_border,),
            lower=shapes.pad,
            parameters=False,
        ),
        "Pow": Support("Table", (o.constant_exponent,), lower=curves.power, parameters=False),
        q.QUANTIZE: Support(
            "the quantization of the layer before, else Rescale",
            q.OF_QUANTIZE,
            lower=curves.quantize,
            parameters=False,
        ),
        "RNN": _RECURRENT,
        "Reciprocal": _CURVE,
        "ReduceL1": _SUMMED,
        "ReduceL2": _SUMMED,
        "ReduceMax": _reduction("MaxPool"),
        "ReduceMean": _reduction("AveragePool"),
        "ReduceMin": _reduction("MinPool"),
        "ReduceSum": _SUMMED,
        "ReduceSumSquare": _SUMMED,
        "Relu": Support("a bound of the layer before, else Rescale", lower=curves.relu),
        "Reshape": _ALIAS_BY_NUMBERS,
        "Resize": Support(
            "Resize; AveragePool of halves; Resample along each axis",
            (s.spatial_axes, m.regular_resize),
            lower=images.resize,
            parameters=False,
        ),
        "Round": _CURVE,
        "Selu": _CURVE,
        "Sigmoid": Support("Table; times its input one Swish", lower=curves.curve),
        "Sign": _CURVE,
        "Slice": Support(
            "Slice; steps by MaxPool, Slice and Concat; Focus is SpaceToDepth",
            (m.fixed_range,),
            lower=shapes.crop,
            parameters=False,
        ),
        "Softmax": Support(
            "Softmax; a final one is left to the host", (o.channel_softmax,), lower=curves.softmax
        ),
        "Softplus": _CURVE,
        "Softsign": _CURVE,
        "SpaceToDepth": Support("SpaceToDepth", (s.image, m.whole_blocks), lower=images.blocks),
        "Split": Support(
            "Slice, one per output",
            (m.axis_behind_batch, m.fixed_parts),
            lower=shapes.split,
            parameters=False,
        ),
        "Sqrt": _CURVE,
        "Squeeze": _ALIAS_BY_NUMBERS,
        "Sub": Support("Sub; as Add of a constant", (o.two_operands,), lower=pairs.arithmetic),
        "Sum": _CHAINED,
        "Tanh": _CURVE,
        "ThresholdedRelu": _CURVE,
        "Tile": _PICKS,
        "Transpose": Support(
            "Transpose, where it does not cancel", (o.batch_stays,), lower=shapes.transpose
        ),
        "Unsqueeze": _ALIAS_BY_NUMBERS,
    }
)
OPERATORS: Mapping[str, Support] = MappingProxyType(
    dict(sorted({**_SUPPORTED, **dict.fromkeys(COMPOSING, _COMPOSED)}.items()))
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
