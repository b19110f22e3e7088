"""What kernels are called with: the one statement of their argument structs.

``python -m deployer.codegen.kernel_headers`` writes headers of ``kernels/include/dpl`` from this
table and the catalogue; generated code takes its structs' names from here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from deployer.ir import OPS

SUMS, REQUANTIZE = "Conv2dSums", "Requantize"  # parts of an operator: no node has them
_NAME = re.compile(r"(\w+)(?:\[\d+\])?$")
_ELEMENTS = {"s8": "int8_t", "s16": "int16_t", "s32": "int32_t", "f32": "float"}
_LINEAR = ("dpl_tensor_{input} input", "dpl_tensor_{output} output")
_PAIRS = (
    "dpl_tensor_{input} left",
    "dpl_tensor_{input} right",
    "dpl_tensor_{output} output",
)
_WEIGHTS = ("const int8_t *weights", "const int32_t *bias")
_REAL_WEIGHTS = ("const float *weights", "const float *bias")
_BOUNDS = "float low, high"
REAL = "f32"
_BOTH = ("s8", "s16")
_EACH = (*_BOTH, REAL)


@dataclass(frozen=True)
class Arguments:
    """One argument struct for each of ``types``, ``dpl_<name>_<types>_args``.

    ``fields`` are C declarations in order, in which {input} and {output} stand for the first and
    the last of the types, {element} for an element of the input. ``part``: declarations of the
    struct whose elements {part} an array of arguments has. ``meaning`` is the comment of the first
    struct, ``meanings`` those of others by type. ``optional``: fields that are 0 where generated
    code does not state them. ``real_fields``: those of the struct of floats where they differ.
    """

    name: str
    fields: tuple[str, ...]
    meaning: str
    types: tuple[str, ...] = _BOTH
    part: tuple[str, ...] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)
    optional: tuple[str, ...] = ()
    real_fields: tuple[str, ...] = ()

    def struct(self, types: str) -> str:
        """The C name of the struct of ``types``, "s8" or "s8_s16"."""
        return f"dpl_{self.name}_{types}_args"

    def part_struct(self, types: str) -> str:
        """The C name of the struct of a part; "" without parts."""
        if not self.part:
            return ""
        return f"dpl_{self.name}_part" + ("" if types == "s8" else f"_{types}")

    def declarations(self, types: str, fields: tuple[str, ...]) -> tuple[str, ...]:
        """``fields`` of the struct of ``types``, or of its part, as C."""
        first, *_, last = (*types.split("_"), types.split("_")[-1])
        filled = {"input": first, "output": last, "element": _ELEMENTS[first]}
        return tuple(each.format(**filled, part=self.part_struct(types)) for each in fields)

    def fields_of(self, types: str) -> tuple[str, ...]:
        """``fields``, or those of the struct of floats."""
        return self.real_fields if types == REAL and self.real_fields else self.fields

    def names(self, types: str) -> frozenset[str]:
        """The name of every field of the struct of ``types``."""
        return frozenset(name for each in self.fields_of(types) for name in _declared(each))


@dataclass(frozen=True)
class Header:
    """A file of kernels/include/dpl: argument structs that belong together."""

    name: str
    structs: tuple[Arguments, ...]
    meaning: str = ""


def _declared(declaration: str) -> tuple[str, ...]:
    """The names that a C declaration like ``int32_t top, left`` declares."""
    found = (_NAME.search(each.strip()) for each in declaration.split(","))
    return tuple(match[1] for match in found if match)


_WINDOWED = (
    *(*_LINEAR, *_WEIGHTS),
    "dpl_window window",
    "int32_t groups",
    "int32_t input_zero",
    "dpl_requant requant",
    "void *scratch",
)
_REAL_WINDOWED = (
    *(*_LINEAR, *_REAL_WEIGHTS),
    "dpl_window window",
    "int32_t groups",
    _BOUNDS,
    "void *scratch",
)

CONV2D = Arguments(
    "conv2d",
    _WINDOWED,
    "weights: OHWI, I = input.channels / groups. bias: int32 per output channel, the input's zero "
    "point folded in. A padded tap reads input_zero. scratch: as many bytes as the kernel's entry "
    "asks for.",
    types=_EACH,
    meanings={
        REAL: "Output: bias and products, no less than low and no more than high. A padded tap "
        "adds nothing."
    },
    real_fields=_REAL_WINDOWED,
)
DEPTHWISE_CONV2D = Arguments(
    "depthwise_conv2d",
    tuple(each for each in _WINDOWED if each != "int32_t groups"),
    "weights: HWC with C = output.channels = multiplier * input.channels; output channel c reads "
    "input channel c / multiplier.",
    types=_EACH,
    real_fields=tuple(each for each in _REAL_WINDOWED if each != "int32_t groups"),
)
FULLY_CONNECTED = Arguments(
    "fully_connected",
    (*_LINEAR, *_WEIGHTS, "dpl_requant requant", "void *scratch"),
    "weights: OI. Input and output are rank 2: one pixel of channels.",
    types=_EACH,
    real_fields=(*_LINEAR, *_REAL_WEIGHTS, _BOUNDS, "void *scratch"),
)
CONV_TRANSPOSE2D = Arguments(
    "conv_transpose2d",
    _WINDOWED,
    "acc = bias + sum of (x - input_zero) * w over the taps that meet an input; the input's zero "
    "point is not folded into the bias. weights: OHWI, I = input.channels / groups. Output row oy "
    "meets tap ky of input row iy when oy + pads.top = iy * stride_height + ky * dilation_height; "
    "columns alike.",
    types=_EACH,
    real_fields=_REAL_WINDOWED,
)
ADD = Arguments(
    "add",
    (
        *_PAIRS,
        "int32_t multiplier[2]",
        "int32_t rounding",
        "int32_t shift",
        "int32_t low, high",
        "int32_t left_zero, right_zero, output_zero",
    ),
    "y = clamp((left * multiplier[0] + right * multiplier[1] + rounding) >> shift); the three "
    "tensors have one shape. The zero points are those that are in rounding.",
    types=_EACH,
    meanings={REAL: "y = left + sign * right within low and high; sign is 1 or -1."},
    real_fields=(*_PAIRS, "float sign", _BOUNDS),
)
RESCALE = Arguments(
    "rescale",
    (*_LINEAR, "dpl_requant requant"),
    "One multiplier for the tensor; the input's zero point is in the rounding constant.",
    types=(*_EACH, "s8_s16", "s16_s8"),
    meanings={REAL: "y = input within low and high."},
    real_fields=(*_LINEAR, _BOUNDS),
)
MUL = Arguments(
    "mul",
    (*_PAIRS, "int32_t left_zero, right_zero", "dpl_requant requant"),
    "Product: (left - left_zero) * (right - right_zero), then one requantization entry for the "
    "tensor. right has the output's shape, or is one pixel that every pixel of left is multiplied "
    "by. Maximum: the larger of left by the first entry and right by the entry channel_step "
    "further on. right has the output's shape, the zero points are in the rounding.",
    types=_EACH,
    meanings={REAL: "Product, or Maximum: the larger, within low and high. right as for integers."},
    real_fields=(*_PAIRS, _BOUNDS),
)
PRELU = Arguments(
    "prelu",
    (*_LINEAR, "int32_t input_zero", "int32_t first", "dpl_requant requant"),
    "input - input_zero, then entry 0 of the tables from zero up, entry 1 + first + channel below: "
    "the tensors may be some channels of those the tables are for.",
    optional=("first",),
    types=_EACH,
    meanings={REAL: "input, below zero times the slope of its channel, within low and high."},
    real_fields=(*_LINEAR, "const float *slopes", _BOUNDS),
)
TABLE = Arguments(
    "table",
    (*_LINEAR, "const {element} *table"),
    "y = table[x + 128]",
    meanings={
        "s16": "513 entries at every 128th input: with i = x + 32768, j = i >> 7 and f = i & 127, "
        "y = table[j] + (((table[j + 1] - table[j]) * f + 64) >> 7)",
        REAL: "y = function(input)",
    },
    types=_EACH,
    real_fields=(*_LINEAR, "dpl_function function", "float alpha, beta"),
)
CONCAT = Arguments(
    "concat",
    ("const {part} *parts", "int32_t count", "dpl_requant requant"),
    "A part is an input and the window of the output that it fills, of the same shape. Entry i of "
    "the requantization tables serves part i (channel_step 0: one entry serves all).",
    part=_LINEAR,
    types=_EACH,
    real_fields=("const {part} *parts", "int32_t count"),
)
COPY = Arguments(
    "copy",
    _LINEAR,
    "Input and output are windows of one shape: a Slice reads a window of its source.",
    types=_EACH,
)
PAD = Arguments(
    "pad",
    (*_LINEAR, "int32_t top, left, channel", "int32_t value"),
    "The output is value everywhere but in the window of the input's shape at (top, left, channel)"
    ", rows and columns of which may lie beyond it.",
    types=_EACH,
    real_fields=(*_LINEAR, "int32_t top, left, channel", "float value"),
)
BLOCK = Arguments(
    "block",
    (*_LINEAR, "int32_t block", "int32_t top, left", "int32_t column_first"),
    "DepthToSpace: pixel (y, x) of depth becomes block * block pixels of space. SpaceToDepth is "
    "the way back. column_first: input channel is c * block * block + i * block + j (ONNX's CRD), "
    "else (i * block + j) * channels + c. A part of space begins at row top and column left of the "
    "blocks that the part of depth makes; SpaceToDepth has whole blocks.",
    optional=("top", "left"),
    types=_EACH,
)
POOL = Arguments(
    "pool",
    (*_LINEAR, "dpl_window window", "dpl_requant requant", "void *scratch"),
    "Average: entry n - 1 of the requantization tables serves windows with n taps inside the "
    "input, n >= 1; with channel_step 0 one entry serves all. Maximum and minimum: only low and "
    "high of requant are used.",
    types=_EACH,
    meanings={
        REAL: "Average: over the taps inside the input or, with all_taps, over those of the whole "
        "window."
    },
    real_fields=(*_LINEAR, "dpl_window window", "int32_t all_taps", _BOUNDS, "void *scratch"),
)
RESIZE = Arguments(
    "resize",
    (
        *_LINEAR,
        "int32_t factor_height, factor_width",
        "int32_t top, left",
        "int32_t start_height, start_width",
        "int32_t half_pixel",
        "int32_t shift",
    ),
    "Magnification by whole factors. Nearest: output o reads input (o + start) / factor, rounded "
    "down and clamped to the tensor; a start is at least -factor. Linear, factors "
    "powers of two: with n = 2 o + 1 - factor (half_pixel) or 2 o, the two inputs are "
    "floor(n / 2 factor) and the next, clamped to the tensor, weighted 2 factor - f and f for the "
    "remainder f; the sum of four is rounded half up by shift = log2(4 * factor_height * "
    "factor_width). A part of the output begins at row top and column left of the magnified input, "
    "which is then a part too.",
    types=_EACH,
)
RESAMPLE = Arguments(
    "resample",
    (
        *_LINEAR,
        "const int16_t *weights",
        "const int32_t *starts",
        "int32_t taps",
        "int32_t axis",
    ),
    "Along axis 0, rows, or 1, columns, output o is the sum of taps inputs from starts[o] on, "
    "times the weights of row o, which add up to 2^14, rounded half up by 2^14.",
    types=_EACH,
    meanings={REAL: "As for integers; weights add up to 1, starts are whole numbers."},
    real_fields=(
        *_LINEAR,
        "const float *weights",
        "const float *starts",
        "int32_t taps",
        "int32_t axis",
    ),
)
SOFTMAX = Arguments(
    "softmax",
    (*_LINEAR, "const int32_t *table", "int32_t levels", "int32_t output_zero"),
    "Softmax over the channels of each pixel. table: 256 entries of round(2^15 exp(-scale d)). "
    "levels is 1 / output scale.",
    types=("s8", REAL),
    real_fields=_LINEAR,
)
MATMUL = Arguments(
    "matmul",
    (*_PAIRS, "int32_t left_zero, right_zero", "dpl_requant requant", "void *scratch"),
    "Pixel (y, x) of the output has the products of pixel (y, x) of left with each pixel of row y "
    "of right, summed over their channels, then one requantization entry for the tensor.",
    types=("s8", REAL),
    meanings={REAL: "As for integers, each sum times scale, within low and high."},
    real_fields=(*_PAIRS, "float scale", _BOUNDS, "void *scratch"),
)
NORM = Arguments(
    "norm",
    (
        *_LINEAR,
        "const int16_t *scale",
        "const int32_t *offset",
        "int32_t groups",
        "int32_t fraction",
        "uint32_t epsilon[2]",
        "dpl_requant requant",
    ),
    "Numbers less their mean, over their standard deviation, as int16 with fraction bits, times "
    "the scale of a channel, plus its offset, then one requantization entry for the tensor. "
    "LayerNorm: the channels of a pixel are normalized together. GroupNorm: all pixels of each of "
    "groups equal parts of the channels. epsilon: 64 bits, the low ones first, added to the "
    "variance times the square of how many are normalized together.",
    types=("s8", REAL),
    meanings={REAL: "As for integers; epsilon is added to the variance."},
    real_fields=(
        *_LINEAR,
        "const float *scale",
        "const float *offset",
        "int32_t groups",
        "float epsilon",
        _BOUNDS,
    ),
)
TRANSPOSE = Arguments(
    "transpose",
    (
        "const {element} *input",
        "{element} *output",
        "int32_t shape[4]",
        "int32_t input_pitch[4]",
    ),
    "Contiguous tensors of four axes (leading ones are 1): output axis i is input axis perm[i]. "
    "shape is the output's; input_pitch[i] is the input's pitch, in elements, along output axis i.",
    types=_EACH,
)
CONV2D_SUMS = Arguments(
    "conv2d_sums",
    (
        "dpl_tensor_{input} input",
        "dpl_tensor_{output} start",
        "dpl_tensor_{output} output",
        *_WEIGHTS,
        "dpl_window window",
        "int32_t groups",
        "int32_t input_zero",
    ),
    "Output: start, or where it has no data the bias, plus the products of the input. start is the "
    "output of the group before, and may be the same memory. weights: OHWI of these input "
    "channels; groups is 1. Any subset of the products, with or without the bias, fits int32 (the "
    "quantizer's).",
    types=("s8_s32", "s16_s32"),
)
REQUANTIZE_SUMS = Arguments(
    "requantize",
    (*_LINEAR, "dpl_requant requant"),
    "Each sum by its channel's entry.",
    types=("s32_s8", "s32_s16"),
)

HEADERS = (
    Header("conv2d", (CONV2D,)),
    Header("depthwise_conv2d", (DEPTHWISE_CONV2D,)),
    Header("fully_connected", (FULLY_CONNECTED,)),
    Header("conv_transpose2d", (CONV_TRANSPOSE2D,)),
    Header("elementwise", (ADD, RESCALE, MUL, PRELU, TABLE)),
    Header("concat", (CONCAT,)),
    Header("move", (COPY, PAD, BLOCK), "Elements moved, not changed."),
    Header("resize", (RESIZE,)),
    Header("resample", (RESAMPLE,)),
    Header("pool", (POOL,)),
    Header("softmax", (SOFTMAX,)),
    Header("matmul", (MATMUL,)),
    Header("norm", (NORM,)),
    Header("transpose", (TRANSPOSE,)),
    Header(
        "sums",
        (CONV2D_SUMS, REQUANTIZE_SUMS),
        "Layers whose input channels come a group at a time: int32 sums, requantized behind the "
        "last.",
    ),
)
_NAME_OF_OP = {
    **{op: spec.arguments for op, spec in OPS.items() if spec.arguments},
    SUMS: "conv2d_sums",
    REQUANTIZE: "requantize",
}
_OF_NAME = {each.name: each for header in HEADERS for each in header.structs}
_HEADER_OF_NAME = {each.name: header for header in HEADERS for each in header.structs}


def arguments_of(op: str) -> Arguments:
    """The structs that kernels of ``op`` take. Raises KeyError for an operator without kernels."""
    return _OF_NAME[_NAME_OF_OP[op]]


def header_of(op: str) -> Header:
    """The header that has them. Raises KeyError for an operator without kernels."""
    return _HEADER_OF_NAME[_NAME_OF_OP[op]]
