"""Scratch that entries ask for, beside what kernels write of it: no less, and no more than what
inner loops read behind it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from catalogue.act import Act
from catalogue.blob import Trial, trials
from catalogue.case import build
from catalogue.numbers import activations, linear, scaling, weights
from catalogue.problem import Problem, pose
from catalogue.scratch import Measured, Meter, meter, with_scratch
from catalogue.target import gap8, host
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deployer.ir.attrs import ConvAttrs, Pads, PointAttrs, Window
from deployer.ir.ops import window_output
from deployer.kernelset.blocking.neon import SCRATCH_CORES

# Scratch of kernels for NEON is for several cores: measured there alone.
ONE_CORE = replace(host(1), families=("ref", "cortex_m"))
HOSTS = {"host": 2, "host-4-cores": 2}  # one case of so many of each kernel
TARGETS = {target.name: target for target in (ONE_CORE, host(SCRATCH_CORES), gap8(8))}
LOOSE = 1 << 30  # the largest of several layouts, whose sizes differ
# Bytes behind the last that is written, least and most: what inner loops read there, and where
# channels fill no words a window more than is gathered. Of two windows the room of a third
# stays empty.
UNWRITTEN = {
    "dpl_conv2d_s8__armv7em_1x1": (12, 12),
    "dpl_conv2d_s16__armv7em_1x1": (12, 12),
    "dpl_conv2d_s8__armv7em_channel": (64, LOOSE),
    "dpl_conv2d_s16__armv7em_channel": (64, LOOSE),
    "dpl_conv2d_s8__armv7em": (12, 26),
    "dpl_conv2d_s16__armv7em": (12, 26),
    "dpl_conv2d_s8__armv7em_rows": (12, 12),
    "dpl_conv2d_s16__armv7em_rows": (12, 12),
    "dpl_conv2d_s8__armv7em_groups": (12, 12),
    "dpl_conv2d_s16__armv7em_groups": (12, 12),
    "dpl_conv2d_s8__armv7em_planes": (16, LOOSE),
    "dpl_conv2d_s16__armv7em_planes": (16, LOOSE),
    "dpl_conv2d_s16__armv7em_direct": (4, LOOSE),
    "dpl_conv2d_s8__armv7em_bytes": (0, LOOSE),
    "dpl_conv2d_s8__armv7em_singles": (0, 0),
    "dpl_conv2d_s8__armv7em_halves": (4, LOOSE),
    "dpl_conv2d_s8__armv7em_triple": (12, 26),
    "dpl_conv2d_s8__armv7em_winograd": (0, 0),
    "dpl_conv_transpose2d_s8__armv7em": (12, LOOSE),
    "dpl_conv_transpose2d_s16__armv7em": (12, LOOSE),
    "dpl_conv_transpose2d_s8__armv7em_joined": (12, LOOSE),
    "dpl_conv_transpose2d_s16__armv7em_joined": (12, LOOSE),
    "dpl_conv_transpose2d_s8__armv7em_groups": (12, LOOSE),
    "dpl_conv_transpose2d_s16__armv7em_groups": (12, LOOSE),
    "dpl_conv_transpose2d_s16__armv7em_direct": (20, LOOSE),
    "dpl_conv_transpose2d_s8__armv7em_halves": (24, LOOSE),
    "dpl_conv_transpose2d_s8__armv7em_planes": (16, LOOSE),
    "dpl_conv_transpose2d_s16__armv7em_planes": (16, LOOSE),
    "dpl_depthwise_conv2d_s8__armv7em_3x3": (48, 64),
    "dpl_depthwise_conv2d_s8__armv7em_indirect": (0, 0),
    "dpl_depthwise_conv2d_s8__armv7em_channels": (0, LOOSE),
    "dpl_depthwise_conv2d_s16__armv7em_channels": (0, LOOSE),
    "dpl_depthwise_conv2d_s8__armv7em_pixels": (0, LOOSE),
    "dpl_depthwise_conv2d_s16__armv7em_pixels": (0, LOOSE),
    "dpl_depthwise_conv2d_s8__armv7em_several": (0, 0),
    "dpl_depthwise_conv2d_s16__armv7em_several": (0, 0),
    "dpl_depthwise_conv2d_s8__armv7em": (64, LOOSE),
    "dpl_depthwise_conv2d_s16__armv7em": (64, LOOSE),
    "dpl_fully_connected_s8__armv7em": (0, 8),
    "dpl_fully_connected_s8__armv7em_long": (0, 8),
    "dpl_fully_connected_s16__armv7em": (8, 8),
    "dpl_matmul_s8__armv7em": (0, 0),
    "dpl_average_pool_s8__armv7em": (10, LOOSE),
    "dpl_average_pool_s16__armv7em": (12, LOOSE),
    "dpl_average_pool_s8__armv7em_whole": (0, LOOSE),
    "dpl_average_pool_s16__armv7em_whole": (0, LOOSE),
    "dpl_average_pool_s8__armv7em_pixels": (0, LOOSE),
    "dpl_max_pool_s8__armv7em_whole": (0, LOOSE),
    "dpl_max_pool_s16__armv7em_whole": (0, LOOSE),
    "dpl_max_pool_s8__armv7em": (8, LOOSE),
    "dpl_max_pool_s16__armv7em": (8, LOOSE),
    "dpl_min_pool_s8__armv7em": (8, LOOSE),
    "dpl_conv2d_s8__armv8a": (0, LOOSE),
    "dpl_conv2d_s8__armv8a_winograd": (0, LOOSE),
    "dpl_conv2d_s16__armv8a": (0, LOOSE),
    "dpl_conv2d_s8__armv8a_groups": (64, LOOSE),
    "dpl_conv2d_s16__armv8a_groups": (64, LOOSE),
    "dpl_conv2d_s8__armv8a_planes": (22, LOOSE),
    "dpl_conv2d_s16__armv8a_planes": (22, LOOSE),
    "dpl_conv2d_s8__armv8a_deep": (0, 15),
    "dpl_conv2d_s16__armv8a_deep": (0, 15),
    "dpl_conv2d_s8__armv8a_outputs": (0, 15),
    "dpl_conv2d_s16__armv8a_outputs": (0, 15),
    "dpl_conv2d_f32__armv8a": (0, LOOSE),
    "dpl_conv_transpose2d_s8__armv8a": (0, LOOSE),
    "dpl_conv_transpose2d_s16__armv8a": (0, LOOSE),
    "dpl_conv_transpose2d_s8__armv8a_groups": (64, LOOSE),
    "dpl_conv_transpose2d_s16__armv8a_groups": (64, LOOSE),
    "dpl_conv_transpose2d_s8__armv8a_planes": (14, LOOSE),
    "dpl_conv_transpose2d_s16__armv8a_planes": (0, LOOSE),
    "dpl_conv_transpose2d_s8__armv8a_deep": (0, 15),
    "dpl_conv_transpose2d_s16__armv8a_deep": (0, 15),
    "dpl_conv_transpose2d_s8__armv8a_scatter": (0, LOOSE),
    "dpl_conv_transpose2d_s16__armv8a_scatter": (0, LOOSE),
    "dpl_conv_transpose2d_s8__armv8a_wide": (64, LOOSE),
    "dpl_conv_transpose2d_s16__armv8a_wide": (22, LOOSE),
    "dpl_conv_transpose2d_f32__armv8a": (0, LOOSE),
    "dpl_depthwise_conv2d_s8__armv8a": (0, LOOSE),
    "dpl_depthwise_conv2d_s16__armv8a": (0, LOOSE),
    "dpl_depthwise_conv2d_s8__armv8a_planes": (22, LOOSE),
    "dpl_depthwise_conv2d_s16__armv8a_planes": (78, LOOSE),
    "dpl_depthwise_conv2d_f32__armv8a": (0, LOOSE),
    "dpl_fully_connected_s8__armv8a": (1, 15),
    "dpl_fully_connected_s16__armv8a": (2, 14),
    "dpl_matmul_s8__armv8a": (0, LOOSE),
    "dpl_matmul_f32__armv8a": (0, LOOSE),
    "dpl_conv2d_s8__xpulpv2": (0, LOOSE),
    "dpl_conv2d_s8__xpulpv2_interior": (16, LOOSE),
    "dpl_conv2d_s8__xpulpv2_blocked": (64, LOOSE),
    "dpl_conv2d_s8__xpulpv2_pixel": (1, 3),
    "dpl_conv2d_s16__xpulpv2": (0, LOOSE),
    "dpl_conv_transpose2d_s16__xpulpv2": (16, LOOSE),
    "dpl_depthwise_conv2d_s16__xpulpv2": (0, LOOSE),
    "dpl_fully_connected_s16__xpulpv2": (0, LOOSE),
    "dpl_conv2d_s8__xpulpv2_column": (1, LOOSE),
    "dpl_conv_transpose2d_s8__xpulpv2": (0, LOOSE),
    "dpl_depthwise_conv2d_s8__xpulpv2": (0, LOOSE),
    "dpl_depthwise_conv2d_s8__xpulpv2_3x3": (0, LOOSE),
    "dpl_depthwise_conv2d_s8__xpulpv2_pairs": (0, LOOSE),
    "dpl_depthwise_conv2d_s8__xpulpv2_point": (0, LOOSE),
    "dpl_fully_connected_s8__xpulpv2": (0, 3),
}
WEIGHT_BYTES = 24 * 1024  # so that a case fits the driver's room
MAX_WIDE_VALUES = 250  # of a window of int16, so that a sum fits int32
SIZES = st.integers(1, 12)
CHANNELS = st.one_of(st.integers(1, 20), st.sampled_from([31, 64, 100, 129]))


@pytest.fixture(scope="module")
def meters(
    tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Meter]:
    made: dict[str, Meter] = {}

    def of(name: str) -> Meter:
        target = TARGETS[name]
        for program in filter(None, (target.compiler, target.emulator)):
            tool(program)
        if name not in made:
            made[name] = meter(target, tmp_path_factory.mktemp(name))
        return made[name]

    return of


def test_every_kernel_with_scratch_is_measured() -> None:
    kernels = {kernel.symbol for target in TARGETS.values() for kernel in with_scratch(target)}
    assert kernels == set(UNWRITTEN)


@pytest.mark.parametrize("name", TARGETS)
def test_kernels_write_their_scratch_to_its_end(name: str, meters: Callable[[str], Meter]) -> None:
    """In some case of the catalogue nothing is left but what is read."""
    unwritten = defaultdict(list)
    step, by = HOSTS.get(name, 5), meters(name)
    some = [trial for kernel in by.kernels for trial in trials([kernel])[::step]]
    for one in measured(by, some):
        unwritten[one.trial.kernel.symbol].append(one.unwritten)
    assert {symbol: min(found) for symbol, found in unwritten.items()} == {
        symbol: UNWRITTEN[symbol][0] for symbol in unwritten
    }


def measured(by: Meter, listed: list[Trial]) -> Iterator[Measured]:
    """Each within its bounds."""
    for one in by.measure(listed):
        least, most = UNWRITTEN[one.trial.kernel.symbol]
        if one.stated:
            about = f"{one.trial.kernel.symbol} {one.trial.case.met}: {one}"
            assert least <= one.unwritten <= most, about
            yield one


@st.composite
def windows(draw: st.DrawFn) -> tuple[Window, int, int]:
    """A window and the size of an input that it fits."""
    pair = st.tuples(st.integers(1, 5), st.integers(1, 5))
    stride = st.sampled_from([(1, 1), (1, 1), (2, 2), (1, 2), (3, 1)])
    kernel = draw(st.one_of(st.sampled_from([(1, 1), (3, 3)]), pair))
    pads = Pads(*(draw(st.integers(0, side - 1)) for side in (*kernel, *kernel)))
    window = Window(kernel, draw(stride), pads=pads)
    height, width = (side + draw(SIZES) for side in kernel)
    assert min(window_output(window, height, width)) > 0
    return window, height, width


@st.composite
def layers(draw: st.DrawFn, op: str, act: Act) -> Problem:
    """A layer of ``op``: strips of few and of many columns, weights in the cache and beyond."""
    rng, depth = np.random.default_rng(draw(st.integers(0, 1 << 16))), draw(CHANNELS)
    if op == "FullyConnected":
        shape, x = (draw(CHANNELS), depth), (1, depth)
        return _posed(op, PointAttrs(), rng, act, weights(rng, shape), x)
    window, height, width = draw(windows())
    if op == "Conv2d" and act.symmetric:
        depth = min(depth, MAX_WIDE_VALUES // window.taps)
    x4 = (1, height, width, depth)
    if op == "DepthwiseConv2d":
        w = weights(rng, (*window.kernel, depth))
        return _posed(op, ConvAttrs(window, depth), rng, act, w, x4)
    most = max(1, WEIGHT_BYTES // (window.taps * depth))
    w = weights(rng, (min(draw(CHANNELS), most), *window.kernel, depth))
    return _posed(op, ConvAttrs(window, 1), rng, act, w, x4)


def _posed(
    op: str,
    attrs: ConvAttrs | PointAttrs,
    rng: np.random.Generator,
    act: Act,
    w: np.ndarray,
    shape: tuple[int, ...],
) -> Problem:
    scale = scaling(rng, act)
    by_channel = w.reshape(-1, w.shape[-1]).T if op == "DepthwiseConv2d" else w.reshape(len(w), -1)
    bias, multipliers = linear(rng, act, by_channel, scale)
    x = activations(rng, act, shape)
    return pose(op, attrs, [x], {"w": w, "b": bias}, scale, multipliers)


@pytest.mark.parametrize("act", ["s8", "s16"])
@pytest.mark.parametrize("op", ["Conv2d", "DepthwiseConv2d", "FullyConnected"])
@pytest.mark.parametrize("name", HOSTS)
def test_scratch_of_drawn_shapes_is_what_kernels_use(
    name: str, op: str, act: str, meters: Callable[[str], Meter]
) -> None:
    by = meters(name)

    @settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
    @given(layers(op, Act(act)))
    def check(problem: Problem) -> None:
        case = build(problem, np.random.default_rng(1))
        assert case is not None
        able = [kernel for kernel in by.kernels if kernel.takes(case.seen)]
        list(measured(by, [Trial(kernel, case) for kernel in able]))

    check()


def test_scratch_too_small_is_noticed(meters: Callable[[str], Meter]) -> None:
    by = meters("host")
    winograd = next(k for k in by.kernels if k.symbol == "dpl_conv2d_s8__armv7em_winograd")
    least = replace(winograd, scratch=lambda case: winograd.scratch(case) - 4)
    case = next(trial.case for trial in trials([winograd]))
    with pytest.raises(AssertionError, match="AddressSanitizer"):
        by.measure([Trial(least, case)])
