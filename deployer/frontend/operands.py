"""Constraints of dense layers, arithmetic, activations and shapes; written like those of
supported.py."""

from __future__ import annotations

import math

import numpy as np

from deployer.frontend.attributes import concat_axis, transpose_perm
from deployer.frontend.net import Net, Op, Shape, along_axis
from deployer.frontend.supported import FLOATS
from deployer.ir import COMPOSED

_MAX_EXPONENT = 1024

# Dense


def plain_gemm(net: Net, op: Op) -> str:
    """transA = 0

    Try: transpose before the export
    """
    return "transA=1" if op.attrs.get("transA", 0) else ""


def matching_columns(net: Net, op: Op) -> str:
    """a weight matrix with as many columns as there are inputs

    Try: check the exporter; this is not valid ONNX
    """
    inputs, weights = net.shapes[op.first], net.shapes[op.input(1)]
    columns = weights[-1:] if op.attrs.get("transB", 0) else weights[:1]
    if len(weights) == 2 and columns == inputs[-1:]:
        return ""
    return f"inputs {list(inputs)}, weights {list(weights)}"


def row_bias(net: Net, op: Op) -> str:
    """a bias that is a scalar or one number per output

    Try: add anything else with Add
    """
    bias = net.constant(op, 2)
    outputs = net.shapes[op.output][-1]
    if bias is None or bias.size == 1 or (bias.size == outputs == bias.shape[-1]):
        return ""
    return f"C of shape {list(bias.shape)}"


def matrix_product(net: Net, op: Op) -> str:
    """an activation times a constant matrix, on either side, or two activations of batch 1 whose
    axes before the last two are the same, or 1 on one side

    Try: repeat the smaller operand with Expand
    """
    matrices = [net.shapes[name] for name in op.inputs if name in net.constants]
    if not matrices:
        sides = [net.shapes[name] for name in op.inputs]
        whole = min(map(len, sides)) >= 2 and all(side[0] == 1 for side in sides)
        fits = whole and product_rows(*sides) is not None
    else:
        (matrix,), (x,) = matrices, net.activations(op)
        single = len(matrix) > 1 and math.prod(matrix[:-2]) == 1
        fits = single and 2 <= len(net.shapes[x]) == len(net.shapes[op.output])
    shapes = (list(net.shapes[name]) for name in op.inputs)
    return "" if fits else "shapes " + " and ".join(map(str, shapes))


def product_rows(left: Shape, right: Shape) -> tuple[int, int] | None:
    """How many matrices either side of a product of activations has: as many, or one for all;
    None where they meet in another way."""
    rank = max(len(left), len(right))
    before = [(1,) * (rank - len(shape)) + shape[:-2] for shape in (left, right)]
    counts = math.prod(before[0]), math.prod(before[1])
    return counts if before[0] == before[1] or 1 in counts else None


# Elementwise


def two_operands(net: Net, op: Op) -> str:
    """one or two operands, not all of them constant

    Try: check the exporter; this is not valid ONNX
    """
    given = [name for name in op.inputs if name]
    fits = len(given) == len(op.inputs) and 1 <= len(given) <= 2 and net.activations(op)
    return "" if fits else f"{len(given)} inputs"


def constant_slope(net: Net, op: Op) -> str:
    """constant slopes: one number, or one along one axis

    Try: export in evaluation mode, with one slope per channel
    """
    slope, shape = net.constant(op, 1), net.shapes[op.first]
    if slope is None:
        return f"{op.input(1)} is computed"
    if along_axis(slope, shape) is None or net.shapes[op.output] != shape:
        return f"slopes of shape {list(slope.shape)} for {list(shape)}"
    return ""


def constant_divisor(net: Net, op: Op) -> str:
    """a constant divisor without zeros

    Try: check the weights; a division by an activation is a product with its Reciprocal
    """
    divisor = net.constant(op, 1)
    if divisor is None:
        return f"{op.input(1)} is computed"
    return "" if np.all(divisor) else "a zero"


def constant_exponent(net: Net, op: Op) -> str:
    """an exponent that is one constant number, of at most 1024 in size

    Try: write powers of a constant as Exp of a product
    """
    exponent = net.constant(op, 1)
    if exponent is None:
        return f"{op.input(1)} is computed"
    same = net.shapes[op.output] == net.shapes[op.first]
    if exponent.size != 1 or not same:
        return f"an exponent of shape {list(exponent.shape)}"
    return "" if abs(exponent.item()) <= _MAX_EXPONENT else f"an exponent of {exponent.item():g}"


def positive_alpha(net: Net, op: Op) -> str:
    """an alpha above 0

    Try: check the exporter; this is not valid ONNX
    """
    alpha = float(op.attrs.get("alpha", 1.0))
    return "" if alpha > 0 else f"alpha={alpha}"


def constant_bounds(net: Net, op: Op) -> str:
    """constant scalar bounds, min not above max

    Try: bounds as plain numbers
    """
    for index in (1, 2):
        bound = net.constant(op, index)
        if op.input(index) and (bound is None or bound.size != 1 or np.isnan(bound).any()):
            return f"bound {op.input(index)}"
    low, high = net.constant(op, 1), net.constant(op, 2)
    if low is not None and high is not None and low.item() > high.item():
        return f"min={low.item()}, max={high.item()}"
    return ""


def inference(net: Net, op: Op) -> str:
    """inference, not training mode

    Try: export in evaluation mode
    """
    flag = op.attrs.get("training_mode", 0)
    if op.type == "Dropout" and op.input(2):
        flag = net.constants.get(op.input(2), 1)
    return "training_mode=1" if np.any(flag) else ""


def end_behind(net: Net, op: Op) -> str:
    """nothing behind it but the end of the network, and a layer before it

    Try: end the network before it (--cut NAME) and do this step on the host
    """
    if op.first not in net.producer:
        return f"{op.first}, an input"
    return f"{next(iter(net.readers[op.output])).name!r} behind it"


def float_cast(net: Net, op: Op) -> str:
    """a cast from one floating-point type to another

    Try: leave integer arithmetic to the host
    """
    return "" if op.attrs.get("to") in FLOATS else f"to={op.attrs.get('to')}"


def channel_softmax(net: Net, op: Op) -> str:
    """one axis behind the batch (before opset 13 the axes behind it have size 1)

    Try: move other softmaxes to the host
    """
    shape, axis = net.shapes[op.first], concat_axis(net, op)
    whole = net.opset < 13 and math.prod(shape[axis + 1 :]) != 1
    return f"axis={axis} of {list(shape)}" if axis == 0 or whole else ""


# Shapes


def fixed_shape(net: Net, op: Op) -> str:
    """a target shape that folds to a constant

    Try: --input-shape for every input, or sizes as plain numbers
    """
    computed = [name for name in op.inputs[1:] if name and name not in net.constants]
    return f"{computed[0]} is computed" if computed else ""


def same_elements(net: Net, op: Op) -> str:
    """as many elements behind it as before

    Try: check the shape given for the input: a target shape in the model was made for another one
    """
    before, behind = net.shapes[op.first], net.shapes[op.output]
    fits = math.prod(before) == math.prod(behind)
    return "" if fits else f"{list(before)} to {list(behind)}"


def batch_stays(net: Net, op: Op) -> str:
    """a permutation that leaves axis 0 in place

    Try: keep the batch axis first
    """
    perm = transpose_perm(net, op)
    whole = sorted(perm) == list(range(len(net.shapes[op.first])))
    return "" if whole and perm[0] == 0 else f"perm={list(perm)}"


def one_variable(net: Net, op: Op) -> str:
    """the elements of one activation, and numbers, on which it and what it reads depend alone

    Try: rewrite the model without it, or end the network before it (--cut NAME)
    """
    return "" if COMPOSED in op.attrs else f"{op.output} depends on more"
