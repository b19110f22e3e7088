"""What the registry claims of each operator, against what changes when inputs are disturbed.

The nodes are the problems of the catalogue, with windows, pads and shapes of every kind. Most
claims are of the form "this does not depend on that". They are tried on reals, where no saturation
hides a change.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np
import pytest
from catalogue.act import S8
from catalogue.problem import Problem
from catalogue.suite import SOURCES

from deployer.analysis.spatial import need, reaches
from deployer.ir.attrs import (
    BlockAttrs,
    NormAttrs,
    PadAttrs,
    ResampleAttrs,
    ReshapeAttrs,
    ResizeAttrs,
    TableAttrs,
)
from deployer.ir.graph import Node
from deployer.ir.ops import OPS
from deployer.ir.types import QuantParams
from deployer.kernelset.access import NOTHING, first_read
from deployer.kernelset.kernel import case_of
from deployer.numerics import floating, integer
from deployer.numerics.ops.resample import RESAMPLE_BITS
from deployer.numerics.steps import quantize

PROBLEMS, POSITIONS = 36, 24
RUNNING = [op for op, spec in OPS.items() if not spec.alias]
# What holds of an operator on the catalogue's problems, but no stage makes use of.
UNSTATED_CHANNELWISE = {"Resample", "Resize"}
UNSTATED_HOMOGENEOUS = {"Mul", "Slice", "SpaceToDepth", "DepthToSpace"}


def claiming(claim: str) -> list[str]:
    return [op for op in RUNNING if getattr(OPS[op], claim)]


@cache
def problems(op: str) -> tuple[Problem, ...]:
    rng = np.random.default_rng(zlib.crc32(op.encode()))
    return tuple(islice(SOURCES[op][0](rng, 4 * PROBLEMS, S8), PROBLEMS))


def reals(problem: Problem, rng: np.random.Generator) -> list[np.ndarray]:
    """Normal numbers in place of the node's integers; slopes of a PRelu are constants of reals
    alone, tables are none."""
    spec = OPS[problem.node.op]
    shapes = [x.shape for x in problem.inputs]
    if spec.linear or isinstance(problem.node.attrs, NormAttrs):
        shapes += [problem.constant(index).shape for index in (1, 2)]
    if problem.node.op == "Resample":
        starts = problem.constant(2).astype(np.float32)
        shapes.append(problem.constant(1).shape)
        return [*(rng.normal(size=shape).astype(np.float32) for shape in shapes), starts]
    if problem.node.op == "PRelu":
        shapes.append(problem.inputs[0].shape[-1:])
    return [rng.normal(size=shape).astype(np.float32) for shape in shapes]


def drawn(op: str) -> Iterator[tuple[Problem, list[np.ndarray], np.random.Generator]]:
    for number, problem in enumerate(problems(op)):
        rng = np.random.default_rng(number)
        yield problem, reals(problem, rng), rng


def changed(
    node: Node, arrays: list[np.ndarray], index: int, disturbed: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Where the output differs when input ``index`` is disturbed upwards or downwards."""
    before = floating.evaluate(node, arrays)[0]
    found = np.zeros(before.shape, bool)
    for step in (7.0, -7.0):
        other = arrays.copy()
        other[index] = arrays[index] + np.float32(step) * disturbed(arrays[index])
        found |= floating.evaluate(node, other)[0] != before
    return found


def only(shape: tuple[int, ...], at: tuple[int | slice, ...]) -> np.ndarray:
    """Numbers from 1 to 2 at ``at``, 0 elsewhere."""
    mask = np.zeros(shape, np.float32)
    mask[at] = np.random.default_rng(len(shape)).uniform(1, 2, mask[at].shape)
    return mask


def touched_elsewhere(op: str) -> bool:
    """Whether some element of an input changes elements of the output that are not in its place,
    or in its channel where it is broadcast."""
    for problem, arrays, rng in drawn(op):
        shape = problem.expected.shape
        for index, x in enumerate(problem.inputs):
            for flat in rng.choice(x.size, min(x.size, POSITIONS), replace=False):
                at = tuple(int(i) for i in np.unravel_index(flat, x.shape))
                place = at[1:] if x.shape == shape else (..., at[-1])
                found = changed(problem.node, arrays, index, lambda a, at=at: only(a.shape, at))
                allowed = np.zeros(shape[1:], bool)
                if x.shape == shape or x.shape == (1,) * (len(shape) - 1) + shape[-1:]:
                    allowed[place] = True
                if (found & ~allowed).any():
                    return True
    return False


def other_channels_touched(op: str) -> bool:
    """Whether a channel of an input changes channels of the output that are not made of it."""
    for problem, arrays, rng in drawn(op):
        made = np.arange(problem.expected.shape[-1])
        for index, x in enumerate(problem.inputs):
            depth = x.shape[-1]
            for channel in rng.choice(depth, min(depth, 6), replace=False):
                at = (..., int(channel))
                found = changed(problem.node, arrays, index, lambda a, at=at: only(a.shape, at))
                own = made * depth // len(made) == channel
                if found.any(axis=tuple(range(found.ndim - 1)))[~own].any():
                    return True
    return False


@pytest.mark.parametrize("op", RUNNING)
def test_elementwise_operators_read_the_element_in_their_place(op: str) -> None:
    assert OPS[op].elementwise is not touched_elsewhere(op)


@pytest.mark.parametrize("op", RUNNING)
def test_channelwise_operators_read_the_channel_of_their_output(op: str) -> None:
    assert (OPS[op].channelwise or op in UNSTATED_CHANNELWISE) is not other_channels_touched(op)


@pytest.mark.parametrize("op", RUNNING)
def test_a_piece_of_the_output_of_a_spatial_operator_reads_what_its_rule_says(op: str) -> None:
    """Row by row and column by column of each input, on images."""
    images = [each for each in drawn(op) if each[0].expected.ndim == 4]
    if not OPS[op].spatial:
        return
    assert images
    for problem, arrays, _ in images:
        if getattr(problem.node.attrs, "axis", 3) != 3:
            continue  # is_spatial takes a Concat of channels alone
        rules = reaches(problem.graph, problem.node)
        for index, (_, *axes) in enumerate(rules):
            for axis, rule in enumerate(axes):
                for position in range(problem.inputs[index].shape[1 + axis]):
                    found = rows_touched(problem, arrays, index, axis, position)
                    spans = [need(rule, o, o + 1) for o in range(len(found))]
                    stated = np.array([first <= position < last for first, last in spans])
                    assert not (found & ~stated).any(), (problem.node, axis, position)


def test_an_operator_without_a_rule_for_its_rows_is_refused() -> None:
    """A rule by default would compute a region from the wrong rows."""
    problem = problems("Transpose")[0]
    with pytest.raises(NotImplementedError, match=r"Transpose .*no rule"):
        reaches(problem.graph, problem.node)


def rows_touched(
    problem: Problem, arrays: list[np.ndarray], index: int, axis: int, position: int
) -> np.ndarray:
    """The rows (axis 0) or columns of the output that change with one of the input."""
    at = (slice(None),) * (1 + axis) + (position,)
    found = changed(problem.node, arrays, index, lambda a: only(a.shape, at))
    return found.any(axis=tuple(other for other in range(found.ndim) if other != axis))


@pytest.mark.parametrize("op", RUNNING)
def test_access_maps_say_which_row_and_column_is_read_first(op: str) -> None:
    """Exactly, but where a map is a bound. An operator without one cannot lie over its input."""
    tried = 0
    for problem, arrays, _ in drawn(op):
        stated = first_read(case_of(problem.graph, problem.node))
        if OPS[op].access is None:
            assert stated is None
            continue
        if problem.expected.ndim != 4 or stated is None:
            continue
        for axis in (0, 1):
            extent = problem.inputs[0].shape[1 + axis]
            found = [rows_touched(problem, arrays, 0, axis, i) for i in range(extent)]
            first = np.where(np.any(found, axis=0), np.argmax(found, axis=0), NOTHING)
            attrs = problem.node.attrs
            bound = isinstance(attrs, ResizeAttrs) and attrs.mode == "linear"
            # where what lies across is padding everywhere, or one channel is alone in a Softmax
            blind = (stated[1 - axis] == NOTHING).all() or not np.any(found)
            assert (stated[axis] <= first).all(), (problem.node, axis)
            assert bound or blind or np.array_equal(stated[axis], first), (problem.node, axis)
            tried += 1
    assert tried or OPS[op].access is None or op == "FullyConnected"


@pytest.mark.parametrize("op", claiming("keeps_quantization"))
def test_operators_that_keep_the_quantization_give_the_integers_of_their_reals(op: str) -> None:
    """Integers, read at the input's scale, are the definition on reals, rounded."""
    for number, problem in enumerate(problems(op)):
        quant = QuantParams((0.37,), (-128, -9, 0, 64, 127)[number % 5])
        names = (problem.node.inputs[0], problem.node.output)
        values = {n: replace(problem.graph.values[n], quant=quant) for n in names}
        graph = replace(problem.graph, values={**problem.graph.values, **values})
        node = problem.node
        if isinstance(node.attrs, PadAttrs):
            node = replace(node, attrs=replace(node.attrs, value=0.37 * (number - 18)))
        x = problem.inputs[0]
        real = ((x.astype(np.float32) - quant.zero_point) * 0.37).astype(np.float32)
        constants, reals_of = [], []
        if isinstance(node.attrs, ResampleAttrs):
            constants = [problem.constant(index) for index in (1, 2)]
            reals_of = [constants[0] * np.float32(2.0**-RESAMPLE_BITS), constants[1]]
        expected = quantize(floating.evaluate(node, [real, *reals_of]), quant).astype(np.int64)
        found = integer.evaluate(graph, node, [x, *constants]).astype(np.int64)
        if node.requant:
            expected = np.clip(expected, node.rq.low, node.rq.high)
        assert np.abs(found - expected).max() <= isinstance(
            node.attrs, ResampleAttrs | ResizeAttrs
        ), node


def scales_pass(op: str) -> bool:
    """Whether twice an input channel is twice each output channel that reads it, but the bias."""
    for problem, arrays, rng in drawn(op):
        node = problem.node
        if isinstance(node.attrs, TableAttrs):
            node = replace(node, attrs=TableAttrs("leaky_relu", 0.1))
        x = arrays[0]
        factors = rng.uniform(0.5, 4, x.shape[-1]).astype(np.float32)
        channels = problem.expected.shape[-1]
        if channels != len(factors):
            return False
        other = [x * factors, *arrays[1:]]
        before, after = (floating.evaluate(node, each) for each in (arrays, other))
        if not np.allclose(after, before * factors, rtol=1e-4, atol=1e-4):
            return False
    return True


@pytest.mark.parametrize("op", RUNNING)
def test_homogeneous_operators_pass_the_factor_of_a_channel_on(op: str) -> None:
    if OPS[op].homogeneous:
        assert scales_pass(op)
    elif op not in UNSTATED_HOMOGENEOUS:
        assert not scales_pass(op)


@pytest.mark.parametrize("op", claiming("linear"))
def test_weights_along_the_channel_axis_belong_to_one_output_channel(op: str) -> None:
    axis = OPS[op].channel_axis
    for problem, arrays, rng in drawn(op):
        channel = int(rng.integers(problem.expected.shape[-1]))
        at = (slice(None),) * (axis or 0) + (channel,)
        found = changed(problem.node, arrays, 1, lambda a, at=at: only(a.shape, at))
        assert not np.delete(found, channel, axis=-1).any()
        assert problem.constant(1).shape[axis or 0] == problem.expected.shape[-1]


@pytest.mark.parametrize("op", claiming("linear"))
def test_complete_sums_of_nothing_but_zero_points_are_the_same_everywhere(op: str) -> None:
    """An input of zero points adds the zero point times all weights of a row to each output, in the
    padding too; of a transposed convolution it adds nothing."""
    for problem in problems(op):
        node, zero = problem.node, problem.graph.values["x0"].q.zero_point
        weights, bias = (problem.constant(i).astype(np.int64) for i in (1, 2))
        rows = np.moveaxis(weights, OPS[op].channel_axis or 0, 0).reshape(len(bias), -1).sum(axis=1)
        sums = bias + (zero * rows if OPS[op].complete_sums else 0)
        expected = integer.finish(problem.graph, node, sums)
        arrays = [np.full_like(problem.inputs[0], zero), problem.constant(1), problem.constant(2)]
        found = integer.evaluate(problem.graph, node, arrays)
        assert (found == expected).all(), node


@pytest.mark.parametrize("op", claiming("partial_sums"))
def test_partial_sums_add_up(op: str) -> None:
    """The sums over some input channels and over the others are those over all."""
    for problem, (x, weights, bias), rng in drawn(op):
        if getattr(problem.node.attrs, "groups", 1) != 1:
            continue
        some = rng.random(x.shape[-1]) < 0.5
        parts = [
            floating.evaluate(problem.node, [np.where(mask, x, 0), weights, bias * share])
            for mask, share in ((some, 1), (~some, 0))
        ]
        whole = floating.evaluate(problem.node, [x, weights, bias])
        assert np.allclose(sum(parts), whole, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("op", RUNNING)
def test_macs_are_the_products_that_reach_the_output(op: str) -> None:
    """Counted with ones for inputs and weights, where pads and crops take nothing away."""
    for problem, arrays, _ in drawn(op):
        pads = getattr(getattr(problem.node.attrs, "window", None), "pads", None)
        shapes = [array.shape for array in arrays]
        stated = OPS[op].macs(problem.node.attrs, shapes)
        if op == "MatMul":
            ones = [np.ones(shape, np.float32) for shape in shapes]
            assert stated == floating.evaluate(problem.node, ones).sum()
        elif not OPS[op].linear:
            assert stated == 0
        elif not (pads and pads.any) and op != "ConvTranspose2d":
            ones = [np.ones(shape, np.float32) for shape in shapes[:2]]
            zeros = np.zeros(shapes[2], np.float32)
            assert stated == floating.evaluate(problem.node, [*ones, zeros]).sum()


@pytest.mark.parametrize("op", RUNNING)
def test_nodes_have_the_operands_and_shapes_that_are_stated(op: str) -> None:
    spec = OPS[op]
    for problem in problems(op):
        assert spec.activations in (0, len(problem.inputs))
        assert len(problem.node.inputs) == len(problem.inputs) + spec.constants
        assert spec.requantizes is (problem.node.requant is not None)
        for x, table in ((x, problem.constant(1)) for x in problem.inputs if spec.lookup):
            stated = {kind.numpy: found for kind, found in spec.lookup.items()}[x.dtype]
            assert (table.shape, table.dtype) == (stated[0], stated[1].numpy)
        assert floating.evaluate(problem.node, reals(problem, np.random.default_rng(1))).shape == (
            spec.shape(problem.node.attrs, problem.graph.shapes(problem.node.inputs))
        )


def test_an_alias_is_the_bytes_of_its_input() -> None:
    assert [op for op, spec in OPS.items() if spec.alias] == ["Reshape"]
    x = np.arange(48, dtype=np.float32).reshape(1, 4, 3, 4)
    node = Node("n", "Reshape", ("x",), ("y",), ReshapeAttrs((1, 48)))
    assert np.array_equal(floating.evaluate(node, [x]).ravel(), x.ravel())


def test_blocks_are_tried_in_both_orders() -> None:
    """The claims of the block moves were tried with each order of channels."""
    for op in ("DepthToSpace", "SpaceToDepth"):
        orders = {p.node.attrs.column_first for p in problems(op) if _is_block(p)}
        assert orders == {True, False}


def _is_block(problem: Problem) -> bool:
    return isinstance(problem.node.attrs, BlockAttrs)
