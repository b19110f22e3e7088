"""Kernels keep the promise of their access order: outputs that lie over inputs are right.

Two proofs. Runs compare results, and half of the inputs are noise, in which an overwritten element
that changes nothing is rare. The trace does not depend on data: it has every load and store of a
kernel in the order of the C source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from catalogue.overlap import Needs, Placing, placings, run_overlapped, trace
from catalogue.target import Target, aarch64, cortex_m7, host, kernels_of, rv32

from deployer.ir.ops import OPS, Family
from deployer.ir.ops.access import same
from deployer.kernelset.access import NOTHING, first_read, hwc
from deployer.kernelset.families import alignment_of
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import AccessOrder
from deployer.kernelset.overlap_offset import order_of

OPTIMIZED = Target("optimized", "gcc", ("-O3",), "port_hosted.c")
TRACED = Target("traced", "gcc", ("-O1",), "port_hosted.c")
TARGETS = {target.name: target for target in (OPTIMIZED, cortex_m7(), aarch64(), rv32())}
AT_ONCE = ("s8__ref", "s16__ref", "f32__fp32", "f32__armv8a")
NO_OFFSET = {f"dpl_fully_connected_{name}" for name in AT_ONCE}
IN_PLACE = {op for op, spec in OPS.items() if spec.elementwise}
POOLS = {op for op, spec in OPS.items() if spec.family is Family.POOL}
# Of these the order in the source may allow less than whole blocks do. Softmax and LayerNorm have
# read a channel before they write it; SpaceToDepth has done with a block's first row when it reads
# the second.
NOT_TIGHT = {"Softmax", "LayerNorm", "SpaceToDepth"}
# Bytes that are read before the first element of them is written: 32 elements and the last eight.
READ_AT_ONCE = {"dpl_rescale_s8_s16__armv8a": 40}
# They read many pixels of few channels into a buffer before they write one: of small images all.
HOLDS_PIXELS = {"dpl_concat_s8__armv8a", "dpl_concat_s16__armv8a"}
# They keep rows of the input that windows share, which their orders in bands do not say.
KEEPS_ROWS = {
    *("dpl_depthwise_conv2d_s8__armv7em", "dpl_depthwise_conv2d_s16__armv7em"),
    *("dpl_conv2d_s8__armv7em_channel", "dpl_conv2d_s16__armv7em_channel"),
    *("dpl_conv2d_s8__armv7em_planes", "dpl_conv2d_s16__armv7em_planes"),
}
# They copy the pixel that multiplies all others before the first.
PIXEL_ONCE = {"dpl_mul_s8__armv8a", "dpl_mul_s16__armv8a"}


def ordered(target: Target) -> tuple[Kernel, ...]:
    """The kernels that state an order."""
    return tuple(kernel for kernel in kernels_of(target) if kernel.order)


KERNELS = ordered(host(1))


@cache
def placed(kernel: Kernel, cores: int) -> tuple[Placing, ...]:
    """Worked out once for all targets that run the kernel."""
    return tuple(placings([kernel], cores=cores))


def all_placed(kernels: Sequence[Kernel], cores: int = 1) -> list[Placing]:
    return [placing for kernel in kernels for placing in placed(kernel, cores)]


@pytest.fixture(scope="module")
def listed() -> list[Placing]:
    return all_placed(KERNELS)


@pytest.fixture(scope="module")
def traced(
    listed: list[Placing], tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> list[Needs]:
    tool("gcc")
    return trace(TRACED, listed, tmp_path_factory.mktemp("traced"))


def ops(listed: list[Placing]) -> set[str]:
    return {placing.seen.op for placing in listed}


def block_bytes(placing: Placing) -> int:
    """What may lie between an order in whole blocks and one element by element."""
    case = placing.seen
    order = order_of(placing.trial.kernel, case)
    width = int((case.out_act or case.act)[1:]) // 8
    pixel, row = case.out_channels * width, hwc(case.out_shape)[1] * case.out_channels * width
    if case.op == "DepthToSpace":
        return hwc(case.in_shapes[0])[1] * case.in_channels * width
    once = placing.trial.kernel.symbol in PIXEL_ONCE and case.in_shapes[0] != case.in_shapes[1]
    if once or placing.trial.kernel.symbol in HOLDS_PIXELS:
        return hwc(case.out_shape)[0] * row
    if order is None or order.elementwise:
        height, across, _ = hwc(case.in_shapes[placing.index])
        if height * across == 1:  # the one pixel is read ahead
            return hwc(case.out_shape)[0] * row
        return READ_AT_ONCE.get(placing.trial.kernel.symbol, 0)
    if order.run:
        return order.run * pixel * order.rows * max(order.columns, 1)
    if case.mode == "nearest":  # a row is read for the first of its copies alone
        copies = hwc(case.out_shape)[0] // hwc(case.in_shapes[0])[0] + abs(case.before[1])
        return row * (1 + copies)
    kept = 0
    if placing.trial.kernel.symbol in KEEPS_ROWS:
        kept = (case.kernel[0] - 1) * case.dilation[0] // case.stride[0] * row
    return rows_bytes(case, order, pixel, row) + kept


def rows_bytes(case: KernelCase, order: AccessOrder, pixel: int, row: int) -> int:
    """The same of an order in rows or columns."""
    if order.rows != 1:
        return (order.rows or hwc(case.out_shape)[0]) * row + beside_bytes(case)
    if order.once and hwc(case.in_shapes[0])[1] == 1:  # a column may be copied as a row
        return hwc(case.out_shape)[0] * row
    along_channels = order.parts and case.in_channels < case.out_channels
    return pixel if along_channels or order.columns == 1 else row


def is_padding_alone(case: KernelCase) -> bool:
    """Whether all windows lie beside the input."""
    read = first_read(case)
    return read is not None and any(np.min(axis) == NOTHING for axis in read)


def beside_bytes(case: KernelCase) -> int:
    """Of a row's columns that read nothing and are read by nothing, for pads wider than a window:
    an order in rows does not tell them from others."""
    if case.op != "DepthwiseConv2d":
        return 0
    (_, across, channels), (_, columns, outputs) = hwc(case.in_shapes[0]), hwc(case.out_shape)
    taps = range(0, case.kernel[1] * case.dilation[1], case.dilation[1])
    read = [[x * case.stride[1] - case.pads.left + tap for tap in taps] for x in range(columns)]
    inside = [{column for column in row if 0 <= column < across} for row in read]
    idle, unread = sum(not row for row in inside), across - len(set().union(*inside))
    return (idle * outputs + unread * channels) * (int(case.act[1:]) // 8)


@pytest.mark.parametrize("name", TARGETS)
def test_outputs_over_inputs_are_right(
    name: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Compiled as for boards: what a compiler makes of restrict must fit the order, too."""
    target = TARGETS[name]
    for program in filter(None, (target.compiler, target.emulator)):
        tool(program)
    listed = all_placed(ordered(target))
    failed, closer = run_overlapped(target, listed, tmp_path)
    assert not failed, f"{len(failed)} of {len(listed)}, first: {listed[min(failed)].about}"
    with_offset = [placing for placing in listed if placing.offset > 0]
    assert ops([listed[n] for n in closer]) | NOT_TIGHT == ops(with_offset) | NOT_TIGHT


def test_every_order_but_at_once_allows_overlaps(listed: list[Placing]) -> None:
    """How often is a matter of the cases: small outputs are within one block."""
    sharing = [kernel for kernel in KERNELS if kernel.symbol not in NO_OFFSET]
    assert ops(listed) == {op for kernel in sharing for op in kernel.ops}
    for kernel in KERNELS:
        count = sum(placing.trial.kernel == kernel for placing in listed)
        assert count >= 60 or kernel.symbol in NO_OFFSET, (kernel.symbol, count)


def test_no_load_needs_more_than_the_offset(listed: list[Placing], traced: list[Needs]) -> None:
    for placing, needs in zip(listed, traced, strict=True):
        if is_padding_alone(placing.seen):  # what is read decides nothing
            continue
        assert needs.offset <= placing.offset, f"needs {needs.offset}: {placing.about}"


def test_an_offset_exceeds_the_need_by_less_than_a_block(
    listed: list[Placing], traced: list[Needs]
) -> None:
    for placing, needs in zip(listed, traced, strict=True):
        spare = placing.offset - needs.offset
        step = alignment_of([placing.trial.kernel.family])
        assert spare < block_bytes(placing) + step, f"needs {needs.offset}: {placing.about}"


def test_cores_may_share_what_is_in_place(tool: Callable[[str], str], tmp_path: Path) -> None:
    tool("gcc")
    cores = ("-DDPL_CORES=3",)
    listed = all_placed(KERNELS, cores=3)
    assert ops(listed) == IN_PLACE
    assert {placing.offset for placing in listed} == {0}
    found = trace(replace(TRACED, flags=(*TRACED.flags, *cores)), listed, tmp_path)
    assert set(found) == {Needs(0, crossed=False)}
    failed, _ = run_overlapped(replace(OPTIMIZED, flags=("-O3", *cores)), listed, tmp_path)
    assert not failed, listed[min(failed)].about


def test_cores_that_meet_are_noticed(tool: Callable[[str], str], tmp_path: Path) -> None:
    """Bands of a convolution in place: a core overwrites rows that its neighbour reads."""
    tool("gcc")
    convolutions = [kernel for kernel in KERNELS if kernel.op == "Conv2d"]
    listed = all_placed(convolutions)
    found = trace(replace(TRACED, flags=("-O1", "-DDPL_CORES=3")), listed, tmp_path)
    assert sum(needs.crossed for needs in found) > len(found) // 2


def without_maps(monkeypatch: pytest.MonkeyPatch, **facts: object) -> list[Placing]:
    """What may overlap of pools whose facts are changed so."""
    for op in POOLS:
        monkeypatch.setitem(OPS, op, replace(OPS[op], **facts))
    return placings([kernel for kernel in KERNELS if kernel.op in POOLS], cores=1)


def test_an_operator_without_an_access_map_shares_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert without_maps(monkeypatch)
    assert not without_maps(monkeypatch, access=None)


def test_an_access_map_of_another_operator_is_noticed(
    monkeypatch: pytest.MonkeyPatch, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Pools that are taken to read the pixel in their place overwrite what they still need."""
    tool("gcc")
    failed, _ = run_overlapped(OPTIMIZED, without_maps(monkeypatch, access=same), tmp_path)
    assert len(failed) > 100
