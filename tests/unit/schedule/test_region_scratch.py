"""Kernels with scratch inside regions: a tile needs less than the whole operator."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import pytest

from deployer.analysis.liveness import lifetimes, scratch_id
from deployer.ir.graph import Graph
from deployer.ir.region import CHANNELS, LINE_BUFFERS, PATCH, Region
from deployer.kernelset.cortex_m.planes import plane_scratch
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.restructure.plan import Planner
from deployer.schedule.order import schedule
from deployer.schedule.region_scratch import region_scratch
from unit.analysis.channel_nets import POINT, ChannelNet
from unit.analysis.spatial_nets import SAME_3, SpatialNet

select = import_module("deployer.kernelset.select")

FAMILIES = ("columns",)


def columns(case: KernelCase) -> int:
    """im2col of a whole output: nine taps of every channel for every pixel."""
    _, height, width, _ = case.out_shape
    return 9 * case.in_channels * height * width


@pytest.fixture(autouse=True)
def family(monkeypatch: pytest.MonkeyPatch) -> None:
    """A family whose convolution unrolls its input."""
    kernel = Kernel("dpl_conv2d_s8__ref", op="Conv2d", scratch=columns)
    monkeypatch.setattr(select, "_FAMILIES", {**select._FAMILIES, "columns": (kernel,)})


def two_convolutions() -> Graph:
    net = SpatialNet()
    net.conv(net.conv(net.input(8, 6, 2), 4, SAME_3), 4, SAME_3)
    return net.graph()


def with_region(mode: str, **split: tuple[int, ...]) -> Graph:
    graph = two_convolutions()
    names = tuple(node.name for node in graph.nodes)
    return replace(graph, regions=(Region(names, mode, graph.outputs[0], **split),))


def test_a_step_has_the_scratch_of_its_largest_piece() -> None:
    graph = with_region(PATCH, rows=(0, 3, 8), columns=(0, 6))
    first, last = schedule(graph, FAMILIES).steps
    assert last.scratch == 9 * 4 * 5 * 6
    assert first.scratch == 9 * 2 * 6 * 6  # a halo row above


def test_a_kernel_with_line_buffers_needs_a_row() -> None:
    steps = schedule(with_region(LINE_BUFFERS), FAMILIES).steps
    assert [step.scratch for step in steps] == [9 * 2 * 6, 9 * 4 * 6]


def test_without_regions_scratch_is_that_of_the_operator() -> None:
    steps = schedule(two_convolutions(), FAMILIES).steps
    assert [step.scratch for step in steps] == [9 * 2 * 48, 9 * 4 * 48]


def test_the_arena_holds_no_more_than_that() -> None:
    order = schedule(with_region(LINE_BUFFERS), FAMILIES)
    buffers = lifetimes(order.graph, {step.node: step.scratch for step in order.steps})
    sizes = {buffer.id: buffer.size for buffer in buffers}
    assert [sizes[scratch_id(step.node)] for step in order.steps] == [108, 216]


def test_the_case_of_a_piece_has_its_pads() -> None:
    """At the border of the tensor a piece is padded, inside it reads its halo."""
    seen: list[KernelCase] = []

    def watch(case: KernelCase) -> int:
        seen.append(case)
        return 4

    kernel = Kernel("dpl_conv2d_s8__ref", op="Conv2d", scratch=watch)
    select._FAMILIES["columns"] = (kernel,)  # type: ignore[index]
    region_scratch(FAMILIES, with_region(PATCH, rows=(0, 4, 8)))
    found = {(case.pads.top, case.pads.bottom, case.in_shapes[0][1]) for case in seen}
    assert found == {(1, 0, 5), (0, 1, 5), (1, 0, 6), (0, 1, 6)}


def in_groups(points: tuple[int, ...]) -> Graph:
    """Two convolutions around a depthwise one of 12 channels, in groups from point to point."""
    net = ChannelNet(1)
    net.conv(net.spread(net.conv(net.input(5, 4, 6), 12, POINT), SAME_3, 2), 8, POINT)
    graph = net.graph()
    names = tuple(node.name for node in graph.nodes)
    region = Region(names, CHANNELS, graph.outputs[0], channels=points)
    return replace(graph, regions=(region,))


def test_groups_of_channels_have_the_scratch_of_the_one_that_needs_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Packed weights of few channels have room, those of many are packed one after another."""
    seen: list[KernelCase] = []

    def packed(case: KernelCase) -> int:
        seen.append(case)
        return 10 * case.out_channels if case.out_channels <= 8 else 10

    kernel = Kernel("dpl_conv2d_s8__ref", op="Conv2d", scratch=packed)
    monkeypatch.setattr(select, "_FAMILIES", {**select._FAMILIES, "columns": (kernel,)})
    graph = in_groups((0, 4, 12))
    assert region_scratch(FAMILIES, graph)[graph.nodes[0].name] == 80
    assert {(case.in_channels, case.out_channels) for case in seen} == {(6, 4), (6, 8)}


def test_packed_rows_of_fewer_channels_may_need_more_scratch() -> None:
    """Why a region's groups are counted: the kernel keeps the weights of 8 channels packed, not of
    120, whichever of both the planner had in mind."""
    wide = KernelCase("Conv2d", "s8", "s8", ((1, 3, 3, 8),), (1, 3, 3, 120))
    assert plane_scratch(replace(wide, out_shape=(1, 3, 3, 8))) > plane_scratch(wide)


def test_the_planner_counts_pieces() -> None:
    graph = two_convolutions()
    scratch = {step.node: step.scratch for step in schedule(graph, FAMILIES).steps}
    buffered = with_region(LINE_BUFFERS)
    whole = Planner(graph, scratch=scratch).measured(buffered)
    pieces = Planner(graph, scratch=scratch, pieces=lambda g: region_scratch(FAMILIES, g))
    assert pieces.measured(buffered).arena < whole.arena
