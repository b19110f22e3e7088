"""Every case of every operator, the same on each run."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain

import numpy as np

from catalogue import channelwise, moved, pointwise, pools, products, summed, transposed, windowed
from catalogue.act import S8, Act
from catalogue.case import Case, build
from catalogue.memory import CONTIGUOUS, Region, random_form
from catalogue.problem import Problem
from catalogue.real import of_int8
from deployer.kernelset.arguments import REQUANTIZE, SUMS

Source = Callable[[np.random.Generator, int, Act], Iterator[Problem]]

# problems with int8 and with int16 activations
SOURCES: dict[str, tuple[Source, int, int]] = {
    **windowed.SOURCES,
    **channelwise.SOURCES,
    **pools.SOURCES,
    **transposed.SOURCES,
    **pointwise.SOURCES,
    **products.SOURCES,
    **moved.SOURCES,
    SUMS: (summed.conv2d_sums, 200, 120),
    REQUANTIZE: (summed.requantize_to(S8), 0, 150),
}
# shapes that kernels of their own take, beyond what chance brings of them
SPECIAL: dict[str, tuple[tuple[Source, int], ...]] = {
    "Conv2d": (
        (windowed.pointwise, 120),
        (windowed.conv_3x3, 120),
        (windowed.wide_rows, 48),
        (windowed.interior, 96),
        (windowed.grouped, 140),
        (windowed.odd_rows, 60),
        (windowed.lines, 72),
        (windowed.columns, 60),
        (windowed.bands, 30),
        (windowed.trained, 84),
        (windowed.many_groups, 84),
        (windowed.padded_points, 48),
        (windowed.slid, 60),
        (windowed.apart, 40),
        (windowed.lying, 120),
        (windowed.single_pixels, 112),
        (windowed.blocks, 210),
        (windowed.high_images, 40),
        (windowed.one_channel, 90),
        (windowed.short_rows, 60),
        (windowed.few_outputs, 84),
    ),
    "DepthwiseConv2d": (
        (channelwise.depthwise_3x3, 120),
        (channelwise.depthwise_sizes, 150),
        (channelwise.depthwise_3x3, 60),
        (channelwise.depthwise_high, 192),
        (channelwise.depthwise_points, 96),
        (channelwise.depthwise_long, 84),
        (channelwise.depthwise_multiplied, 192),
        (channelwise.depthwise_small, 150),
        (channelwise.depthwise_side_by_side, 60),
        (channelwise.depthwise_strips, 66),
        (channelwise.depthwise_phases, 84),
        (channelwise.depthwise_columns, 70),
        (channelwise.depthwise_bands, 36),
        (channelwise.depthwise_scales, 110),
        (channelwise.depthwise_neighbours, 72),
        (channelwise.depthwise_pairs, 160),
        (channelwise.depthwise_3x3_multiplied, 48),
        (channelwise.depthwise_blocks, 312),
        (channelwise.depthwise_strided, 36),
    ),
    "ConvTranspose2d": (
        (transposed.common, 120),
        (transposed.few_channels, 96),
        (transposed.wide, 60),
        (transposed.grouped, 120),
        (transposed.columns, 48),
        (transposed.in_bands, 48),
        (transposed.scaled, 72),
        (transposed.many_groups, 84),
        (transposed.strides_of_columns, 96),
    ),
    "FullyConnected": ((pointwise.long_inputs, 84),),
    "AveragePool": (
        (pools.large_average_pool, 18),
        (pools.means, 100),
        (pools.whole_average_pool, 100),
        (pools.strided_average_pool, 110),
        (pools.long_average_pool, 64),
        (pools.tall_average_pool, 105),
        (pools.near_average_pool, 108),
        (pools.small_average_pool, 84),
        (pools.nine_average_pool, 108),
        (pools.column_average_pool, 72),
    ),
    "Resize": ((moved.resize, 96), (moved.resized_columns, 32)),
    "Mul": ((pointwise.few_products, 13),),
    "Transpose": ((pointwise.long_transpose, 4),),
    "MaxPool": (
        (pools.common_pool("MaxPool"), 60),
        (pools.whole_pool("MaxPool"), 140),
        (pools.long_pool("MaxPool"), 64),
        (pools.few_taps_pool("MaxPool"), 105),
        (pools.near_pool("MaxPool"), 108),
        (pools.strided_pool("MaxPool"), 66),
        (pools.small_pool("MaxPool"), 98),
        (pools.tiny_pool("MaxPool"), 80),
        (pools.column_pool("MaxPool"), 48),
    ),
    "Softmax": ((pointwise.long_softmax, 110),),
    **products.SPECIAL,
    "MinPool": (
        (pools.common_pool("MinPool"), 60),
        (pools.few_taps_pool("MinPool"), 105),
        (pools.near_pool("MinPool"), 108),
        (pools.strided_pool("MinPool"), 66),
    ),
}
SPECIAL_WIDE: dict[str, tuple[tuple[Source, int], ...]] = {
    "AveragePool": (
        (pools.whole_average_pool, 110),
        (pools.strided_average_pool, 110),
        (pools.long_average_pool, 64),
        (pools.tall_average_pool, 105),
        (pools.few_taps_average_pool, 84),
        (pools.near_average_pool, 108),
        (pools.small_average_pool, 84),
        (pools.nine_average_pool, 108),
        (pools.column_average_pool, 72),
    ),
    "MaxPool": (
        (pools.whole_pool("MaxPool"), 140),
        (pools.long_pool("MaxPool"), 64),
        (pools.few_taps_pool("MaxPool"), 105),
        (pools.near_pool("MaxPool"), 108),
        (pools.strided_pool("MaxPool"), 66),
        (pools.small_pool("MaxPool"), 98),
        (pools.tiny_pool("MaxPool"), 80),
        (pools.column_pool("MaxPool"), 48),
    ),
    "Conv2d": (
        (windowed.pointwise, 120),
        (windowed.grouped, 140),
        (windowed.odd_rows, 100),
        (windowed.lines, 72),
        (windowed.columns, 60),
        (windowed.bands, 30),
        (windowed.many_groups, 84),
        (windowed.padded_points, 48),
        (windowed.slid, 60),
        (windowed.apart, 40),
        (windowed.high_images, 40),
        (windowed.one_channel, 90),
        (windowed.short_rows, 60),
        (windowed.few_outputs, 84),
    ),
    "ConvTranspose2d": (
        (transposed.few_channels, 96),
        (transposed.wide, 80),
        (transposed.grouped, 120),
        (transposed.columns, 48),
        (transposed.in_bands, 48),
        (transposed.scaled, 72),
        (transposed.many_groups, 84),
        (transposed.strides_of_columns, 96),
    ),
    "DepthwiseConv2d": (
        (channelwise.depthwise_sizes, 150),
        (channelwise.depthwise_high, 96),
        (channelwise.depthwise_points, 96),
        (channelwise.depthwise_long, 84),
        (channelwise.depthwise_multiplied, 192),
        (channelwise.depthwise_small, 150),
        (channelwise.depthwise_side_by_side, 60),
        (channelwise.depthwise_strips, 66),
        (channelwise.depthwise_phases, 84),
        (channelwise.depthwise_columns, 70),
        (channelwise.depthwise_bands, 36),
        (channelwise.depthwise_strided, 36),
    ),
    "Resize": ((moved.resize, 96), (moved.resized_columns, 32)),
    "Mul": ((pointwise.few_products, 13),),
    "Transpose": ((pointwise.long_transpose, 4),),
}
_RETYPED = {"Rescale": pointwise.rescale_to, REQUANTIZE: summed.requantize_to}
_CONTIGUOUS_ONLY = {"FullyConnected", "Transpose"}
_WHOLE_ONLY = _CONTIGUOUS_ONLY | {SUMS, "Concat", "MatMul", "GroupNorm", "Resample"}
_TILED_EVERY = 5


def sources_of(op: str, act: str, out_act: str = "") -> list[tuple[Source, int]]:
    """What gives the problems of an operator, and how many each; the plain ones first."""
    source, narrow, wide = SOURCES[op]
    if out_act and op in _RETYPED:
        source = _RETYPED[op](Act(out_act))
    if act == "s16" or out_act:
        return [(source, wide), *SPECIAL_WIDE.get(op, ())]
    found = [(source, narrow), *SPECIAL.get(op, ())]
    return found if act == "s8" else [(of_int8(each), count) for each, count in found]


@cache
def cases(op: str, act: str, out_act: str = "", contiguous: bool = False) -> tuple[Case, ...]:
    """Whole outputs in every form of memory, and of each fifth problem all tiles of a cut;
    ``contiguous``: whole outputs of tensors without gaps."""
    rng = np.random.default_rng(zlib.crc32(f"{op}{act}{out_act}".removesuffix("s8").encode()))
    found: list[Case | None] = []
    problems = (more(rng, count, Act(act)) for more, count in sources_of(op, act, out_act))
    for i, problem in enumerate(chain.from_iterable(problems)):
        tensors = len(problem.inputs) + 1
        plain = contiguous or op in _CONTIGUOUS_ONLY
        forms = [CONTIGUOUS if plain else random_form(rng) for _ in range(tensors)]
        found.append(build(problem, rng, forms=forms))
        if i % _TILED_EVERY == 0 and op not in _WHOLE_ONLY and not contiguous:
            found += [build(problem, rng, forms=forms, region=r) for r in tiles(problem, rng)]
    return tuple(case for case in found if case is not None)


def tiles(problem: Problem, rng: np.random.Generator) -> Iterator[Region]:
    """The output cut into up to two by two tiles; together they are the whole."""
    height, width = (1, 1, *problem.expected.shape[1:-1])[-2:]
    for top, bottom in _bands(height, rng):
        for left, right in _bands(width, rng):
            yield Region(top, left, bottom, right)


def _bands(extent: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    cut = int(rng.integers(0, extent + 1))
    return [band for band in ((0, cut), (cut, extent)) if band[0] < band[1]]
