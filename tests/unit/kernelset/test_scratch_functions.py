"""Sizes that both the planner and the C of kernels work out: C's own, called on this machine."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.ir.attrs import Pads
from deployer.kernelset.blocking.cortex_m import WEIGHT_OVERREAD_BYTES
from deployer.kernelset.cortex_m.strips import by_strips
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.layouts import WeightLayout, packed_bytes
from deployer.kernelset.layouts.x8c4 import blocks_of
from deployer.kernelset.select import by_symbol
from deployer.resources import data_root

CORES = 8
SOURCES = {
    "strips": """
        #include "dpl/cortex_m/columns.h"
        #include "dpl/cortex_m/high_s8.h"
        #include "dpl/cortex_m/finish.h"
        int pair_bytes(int values) { return 4 * piece_words(values / 4 * WORDS_OF_FOUR); }
        int strip_triples(int values, int channels) { return sizes_of(values, channels).triples; }
    """,
    "winograd": """
        #include "dpl/cortex_m/winograd.h"
        int pair_bytes(int channels) { return 4 * channel_words(channels); }
    """,
    "gemv": """
        #include "dpl/cortex_m/gemv.h"
        int block_bytes(int channels, int words) { return 4 * block_words(channels, words); }
    """,
    "planes": """
        #include "dpl/pulp/spread.h"
        int bytes_3x3(int stride, int height, int width, int channels) {
            const dpl_tensor_s8 output = {.height = height, .width = width, .channels = channels};
            return dpl_planes_of_3x3(stride, &output, channels).bytes;
        }
        int bytes_any(const int *kernel, const int *stride, int height, int width) {
            const dpl_window w = {kernel[0], kernel[1], stride[0], stride[1], 1, 1, {0, 0, 0, 0}};
            const dpl_planes p = dpl_planes_of(&w, height, width);
            return p.bytes + dpl_spread_bytes(&p, &w);
        }
    """,
}

sizes, extents, sides = st.integers(1, 40), st.integers(1, 200), st.integers(1, 9)


@pytest.fixture(scope="module")
def c(
    tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], ctypes.CDLL]:
    """A library of functions around those of the kernels' headers."""
    tool("gcc")
    work = tmp_path_factory.mktemp("functions")

    def library(name: str) -> ctypes.CDLL:
        image, source = work / f"{name}.so", work / f"{name}.c"
        if not image.exists():
            source.write_text(SOURCES[name])
            include = f"-I{data_root() / 'kernels/include'}"
            flags = ("-std=c11", "-O2", "-shared", "-fPIC", include)
            subprocess.run(["gcc", *flags, source, "-o", image], check=True)
        return ctypes.CDLL(str(image))

    return library


def conv(
    op: str, shape: tuple[int, int], depth: int, channels: int, kernel: tuple[int, int], **more: int
) -> KernelCase:
    stride = (more.get("down", 1), more.get("across", 1))
    inputs = ((1, *(n * s + k for n, s, k in zip(shape, stride, kernel, strict=True)), depth),)
    outputs = (1, *shape, channels)
    return KernelCase(op, "s8", "s8", inputs, outputs, kernel, stride, pads=Pads(), rule="i32")


@given(extents, extents, sides, sides)
def test_a_strip_has_the_triples_that_the_kernel_makes(
    c: Callable[[str], ctypes.CDLL], depth: int, channels: int, tall: int, wide: int
) -> None:
    case = conv("Conv2d", (9, 9), depth, channels, (tall, wide))
    values = -(-tall * wide * depth // 4) * 4
    assert by_strips(case).run == 3 * c("strips").strip_triples(values, channels)


@given(st.integers(1, 9), sides, st.integers(1, 33))
def test_a_pair_of_channels_takes_the_bytes_that_the_kernel_steps(
    c: Callable[[str], ctypes.CDLL], channels: int, taps: int, depth: int
) -> None:
    weights = np.ones((channels, 1, taps, depth), np.int8)
    stepped = -(-channels // 2) * c("strips").pair_bytes(-(-taps * depth // 4) * 4)
    for layout in (WeightLayout.X2C4, WeightLayout.X2C4_ORDERED):
        assert packed_bytes(layout, weights, (1, 1)) == stepped + WEIGHT_OVERREAD_BYTES


@given(st.integers(1, 9), st.integers(1, 9))
def test_a_pair_of_winograd_takes_the_bytes_that_the_kernel_steps(
    c: Callable[[str], ctypes.CDLL], channels: int, fours: int
) -> None:
    weights = np.ones((channels, 3, 3, 4 * fours), np.int8)
    stepped = -(-channels // 2) * c("winograd").pair_bytes(4 * fours)
    assert packed_bytes(WeightLayout.WINOGRAD, weights, (1, 1)) == stepped + WEIGHT_OVERREAD_BYTES


@given(st.integers(1, 40), st.integers(1, 70))
def test_blocks_of_a_dense_layer_take_the_bytes_that_the_kernel_steps(
    c: Callable[[str], ctypes.CDLL], channels: int, depth: int
) -> None:
    blocks, left = blocks_of(channels)
    words = -(-depth // 8) * 4
    stepped = blocks * c("gemv").block_bytes(8, words)
    stepped += left // 2 * c("gemv").block_bytes(2, words)
    stepped += left % 2 * c("gemv").block_bytes(1, words)
    weights = np.ones((channels, depth), np.int8)
    assert packed_bytes(WeightLayout.X8C4, weights, (1, 1)) == stepped + WEIGHT_OVERREAD_BYTES


@given(sizes, sizes, st.integers(1, 300), st.sampled_from((1, 2)))
def test_planes_of_3x3_fit_the_scratch_with_less_than_a_group_to_spare(
    c: Callable[[str], ctypes.CDLL], height: int, width: int, channels: int, stride: int
) -> None:
    """A smaller tensor may fill what is spared."""
    shape, channels = (height, width), 4 * channels
    case = conv("DepthwiseConv2d", shape, channels, channels, (3, 3), down=stride, across=stride)
    taken, group = (c("planes").bytes_3x3(stride, *shape, n) for n in (channels, 4))
    scratch = by_symbol("dpl_depthwise_conv2d_s8__xpulpv2").scratch(case)
    assert 0 <= scratch - CORES * (4 + taken) < CORES * group


@given(sizes, sizes, sides, st.integers(1, 9), st.integers(1, 3), st.integers(1, 3))
def test_planes_of_any_window_take_the_scratch_that_the_kernel_divides(
    c: Callable[[str], ctypes.CDLL],
    height: int,
    width: int,
    tall: int,
    wide: int,
    down: int,
    across: int,
) -> None:
    tall = tall + 1 if (tall, wide) == (3, 3) else tall
    case = conv("DepthwiseConv2d", (height, width), 8, 8, (tall, wide), down=down, across=across)
    pair = ctypes.c_int * 2
    own = c("planes").bytes_any(pair(tall, wide), pair(down, across), height, width)
    scratch = by_symbol("dpl_depthwise_conv2d_s8__xpulpv2").scratch(case)
    assert scratch == CORES * (4 + own)
