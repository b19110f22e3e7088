"""What a depthwise convolution on packed rows does: counts that its time depends on
(kernels/include/dpl/cortex_m/depthwise.h)."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.kernelset.blocking.cortex_m import RING_CHANNELS, RING_OUTPUTS
from deployer.kernelset.cortex_m.depthwise_plan import RowPlan, plan_of, turns
from deployer.kernelset.kernel import KernelCase


@dataclass(frozen=True)
class RowWork:
    """Of the whole layer. ``threes``: blocks of 3x3, which have loops of their own,
    ``threes_apart`` those of them that do not slide; ``quads``: other blocks of four outputs of a
    channel; ``quad_rows``, ``quad_terms``: times the rows, and the terms, of their windows.
    ``roomed``: blocks whose outputs pass through the room. ``runs``: lists of blocks that are
    walked. ``packed``: words of four channels; ``packed_alone``: of those of one; ``lines``: lines
    of words that are begun. ``weights``: words of weights. ``bands``: of all groups of channels.
    ``quads_apart``, ``alone_apart``: quads and words of one channel of rows that do not slide."""

    threes: int
    threes_apart: int
    quads: int
    quad_rows: int
    quad_terms: int
    roomed: int
    runs: int
    packed: int
    packed_alone: int
    lines: int
    weights: int
    bands: int
    quads_apart: int
    alone_apart: int


def row_work(case: KernelCase) -> RowWork:
    plan = plan_of(case)
    whole, partial = _blocks_of_row(plan)
    height, channels = plan.case.out_shape[1], case.out_channels
    quads = channels * height * (whole + partial)
    own = plan.case.kernel == (3, 3) and plan.rows == 3
    others = 0 if own else quads
    planes, left = divmod(case.in_channels, RING_CHANNELS)
    lines = plan.lines * _packed_rows(plan)
    spill = not turns(case) and plan.case.out_shape[2] >= RING_OUTPUTS * len(plan.phases)
    groups = -(-(planes + (left > 0)) // plan.planes)
    words = lines * (plan.words // RING_CHANNELS)
    return RowWork(
        threes=quads - others,
        threes_apart=0 if plan.slides else quads - others,
        quads=others,
        quad_rows=others * plan.rows,
        quad_terms=others * plan.rows * plan.terms,
        roomed=channels * (plan.bands if spill else height) * partial,
        runs=channels * plan.bands * ((whole > 0) + (partial > 0)),
        packed=words * planes,
        packed_alone=words * left,
        lines=lines * (groups + left),
        weights=channels * plan.weights,
        bands=groups * plan.bands,
        quads_apart=0 if plan.slides else others,
        alone_apart=0 if plan.slides else words * left,
    )


def _blocks_of_row(plan: RowPlan) -> tuple[int, int]:
    """Whole blocks of a row, and those by way of the room."""
    whole = partial = 0
    for outputs in plan.phases:
        count, over = divmod(outputs, RING_OUTPUTS)
        shifts = over > 0 and outputs > RING_OUTPUTS and not (plan.slides and outputs % 2)
        whole += count + shifts
        partial += over > 0 and not shifts
    return whole, partial


def _packed_rows(plan: RowPlan) -> int:
    """Rows of the input that are packed for a group of channels."""
    height, (tall, _) = plan.case.out_shape[1], plan.case.kernel
    stride, dilation = plan.case.stride[0], plan.case.dilation[0]
    if plan.by_remainders:  # those kept are moved, which with short lines is as packing twice
        kept = max(0, (tall - 1) * dilation + 1 - stride)
        return height * stride + plan.bands * 2 * kept
    if dilation == 1:
        return (height - 1) * min(stride, tall) + tall
    return (height - 1) * stride + (tall - 1) * dilation + 1
