"""How often a kernel call does what: counts that a board's cost of each term is multiplied with.

| term | counted |
|---|---|
| call | calls |
| row, row_block | rows of the output; times blocks of output channels |
| pixel, block | output pixels; times blocks of output channels |
| gap | output pixels of which a core computes some channels only |
| tap_row | blocks times the rows of the window |
| run | blocks times the stretches of input that lie in one piece (a row of the window, or a tap) |
| element, copied | output elements; those that a Concat only copies |
| mac | products, blocks filled up |
| single, single_mac | channels that no block holds, and their products |
| pair, fours | pairs of output channels; times fours of the values of a window |
| column, gathered | values of a window that are copied; those that do not come in fours |
| stretch, border | stretches of input of a window; rows of windows that reach beyond the input |
| tile_in, tile_out, tile_fours | of 2x2 outputs: input channels, pairs of output channels, both |
| eights_in, eights_out, eights | the same in eights of either, tiles filled up to eights |
| quad, quad_row, quad_taps | fours of outputs of a channel of a convolution on packed rows; times
rows, times pairs of taps |
| spread | pairs of taps of all channels, in every call |
| threes, quads, quad_rows, quad_terms | of depthwise ones on packed rows: fours of outputs of a
channel, those of 3x3; others; times rows, times terms of their windows |
| roomed, runs | fours that fewer outputs fill; lists of fours that are walked |
| words, words_alone, lines | words of a packed line, of four channels and of one; lines |
| weights | words of weights, in every call |
| channels, scaled | output channels, in every call; output elements of one tap |
| folded | rows of the window times the input elements below a row of outputs |
| crossed | runs that fold a window's columns, times the input elements below a row of outputs |
| added | a window's columns but one, times channels |
| apart, sided | output pixels at a stride, made one by one; rows with pads at a side |
| made, made_short | pixels of rows that a nearest Resize does not copy: of many channels, of few |
| packed | input elements at the output's pixels, times the stride's rows and columns |
| lanes, lane_taps | runs of four channels of a depthwise pixel, filled up; times taps |
| passes | times that a depthwise pixel's channels begin anew |
| listed, row_taps | taps of windows that reach beyond the input; of a window, in every row |
| alone_taps | lane_taps of elements that are loaded by themselves |
| shared, shared_taps | fours of outputs of one or two channels of a depthwise pixel; times taps |
| realigned | fours of input channels at the output's pixels whose pixels fill no words |
| edge | blocks times rows of the window, of pixels whose window reaches beyond the input |
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from deployer.analysis import node_macs
from deployer.ir import (
    ConcatAttrs,
    ConvAttrs,
    ConvTransposeAttrs,
    DType,
    Graph,
    Node,
    PoolAttrs,
    RequantRule,
    ResizeAttrs,
    Window,
)
from deployer.kernelset import BEGUN_WINDOWS, FEW_WINDOWS, Kernel, case_of, row_work
from deployer.kernelset import BLOCK_CHANNELS as BLOCK
from deployer.restructure.plane_terms import conv_terms, packed_elements, transposed_terms

Counts = Mapping[str, float]
_NINE = 9  # taps, the most common number
_OF_SOME = {  # terms that a kernel must name
    *("pair", "fours", "column", "gathered", "stretch", "border", "packed", "folded"),
    *("crossed", "added", "apart", "sided", "made", "made_short"),
    *("eights_in", "eights_out", "eights"),
    *("tile_in", "tile_out", "tile_fours", "quad", "quad_row", "quad_taps", "spread"),
    *("threes", "quads", "quad_rows", "quad_terms", "roomed", "runs"),
    *("words", "words_alone", "lines", "weights", "channels"),
    *("lanes", "lane_taps", "passes", "listed", "row_taps", "realigned"),
    *("alone_taps", "shared", "shared_taps", "scaled"),
}
_OF_ALL = {"row", "pixel"}


@dataclass(frozen=True)
class Terms:
    """Counts of a core in a call of h x w pixels: those of ``pixel`` times h·w, of ``row`` times h,
    of ``once`` and one call. Padding is spread over all pixels."""

    pixel: Counts
    row: Counts = field(default_factory=lambda: {"row": 1.0})
    once: Counts = field(default_factory=dict)


def whole(graph: Graph, node: Node) -> tuple[int, int]:
    """Rows and columns of the output; 1 and 1 for other ranks than 4."""
    shape = graph.values[node.output].shape
    return (shape[1], shape[2]) if len(shape) == 4 else (1, 1)


def channels_of(graph: Graph, node: Node) -> int:
    """Output elements of a pixel."""
    tall, wide = whole(graph, node)
    return math.prod(graph.values[node.output].shape) // (tall * wide)


def terms_of(graph: Graph, node: Node, channels: int | None = None) -> Terms:
    """The terms of ``node``'s kernel on a core that computes so many channels, None for all."""
    attrs, every = node.attrs, channels_of(graph, node)
    count = every if channels is None else channels
    if node.op == "DepthwiseConv2d":
        return _depthwise(graph, node, count)
    if isinstance(attrs, ConvAttrs):
        return _conv(graph, node, count)
    if isinstance(attrs, PoolAttrs):
        return _pool(attrs.window, count, whole(graph, node)[1])
    if isinstance(attrs, ResizeAttrs):
        return _resize(attrs, count, every)
    if isinstance(attrs, ConvTransposeAttrs) or node.op == "FullyConnected":
        return _products(graph, node, count)
    if isinstance(attrs, ConcatAttrs):
        return _concat(graph, node, count / every)
    return Terms({"pixel": 1, "gap": float(count < every), "element": count})


def of_kernel(terms: Terms, kernel: Kernel) -> Terms:
    """Those of ``terms`` that the kernel's time depends on: no others tell its launches apart."""

    def kept(name: str) -> bool:
        if kernel.terms:
            return name in kernel.terms or name in _OF_ALL
        return name not in _OF_SOME

    parts = terms.pixel, terms.row, terms.once
    return Terms(*({name: n for name, n in part.items() if kept(name)} for part in parts))


def _conv(graph: Graph, node: Node, channels: int) -> Terms:
    window, groups = node.attrs.window, node.attrs.groups
    blocks = -(-channels // groups // BLOCK) * groups if groups > 1 else -(-channels // BLOCK)
    every = graph.values[node.inputs[0]].shape[3]
    depth, read = every // groups, channels * every / channels_of(graph, node)
    merged = window.dilation[1] == 1 and groups == 1
    tall, wide = window.kernel
    pixel = {
        "block": blocks,
        "element": channels,
        "tap_row": blocks * tall,
        "run": blocks * (tall if merged else tall * wide),
        "mac": blocks * BLOCK * window.taps * depth,
        "edge": blocks * tall * _border(graph, node),
        **_columns(window.taps * depth, channels, groups, gathered=depth % BLOCK > 0),
        "stretch": tall if merged else tall * wide,
        **_tiles(graph, node, depth, channels),
        "border": tall * _border(graph, node, folded=False),
        "packed": packed_elements(window, read),
    }
    quads, once = conv_terms(window, whole(graph, node), depth, channels)
    return Terms({**pixel, **quads}, {"row": 1, "row_block": blocks}, once)


def _columns(values: int, channels: int, groups: int, *, gathered: bool) -> Counts:
    """Of kernels that copy windows, ``values`` of each group, and take channels in pairs."""
    pairs, fours = -(-channels // 2), -(-values // BLOCK)
    copied = {"column": fours * BLOCK * groups, "gathered": gathered * values * groups}
    return {"pixel": 1, "pair": pairs, "fours": pairs * fours, **copied}


def _tiles(graph: Graph, node: Node, depth: int, channels: int) -> Counts:
    """Of kernels that make 2x2 outputs at a time, the last column's filled up."""
    columns = whole(graph, node)[1]
    tiles = -(-columns // 2) / (2 * columns)  # to a pixel
    pairs, fours = -(-channels // 2), -(-depth // BLOCK)
    return {
        "tile_in": tiles * fours * BLOCK,
        "tile_out": tiles * pairs,
        "tile_fours": tiles * pairs * fours,
        **_eights(graph, node, depth, channels),
    }


def _eights(graph: Graph, node: Node, depth: int, channels: int) -> Counts:
    """Of kernels that make eight tiles of 2x2 outputs at a time, by eight channels."""
    rows, columns = whole(graph, node)
    tiles = -(-(-(-rows // 2) * -(-columns // 2)) // 8) * 8 / (rows * columns)  # to a pixel
    ins, outs = -(-depth // 8), -(-channels // 8)
    return {"eights_in": tiles * ins, "eights_out": tiles * outs, "eights": tiles * ins * outs}


def _depthwise(graph: Graph, node: Node, channels: int) -> Terms:
    window, every = node.attrs.window, channels_of(graph, node)
    alike = every == graph.values[node.inputs[0]].shape[3]
    blocks = channels // BLOCK if alike else 0
    single = channels - BLOCK * blocks
    rows = _on_rows(graph, node, channels / every)
    pixel = {
        "pixel": 1,
        "block": blocks,
        "tap_row": blocks * window.kernel[0],
        "mac": blocks * BLOCK * window.taps,
        "edge": blocks * window.taps * _border(graph, node),
        "packed": channels / every * _inputs(graph, node),
        **rows.pixel,
        **_lanes(graph, node, channels),
        "single": single,
        "single_mac": single * window.taps,
        "scaled": channels,
    }
    row = {"row": 1, "row_block": blocks + single, "row_taps": window.taps, **rows.row}
    return Terms(pixel, row, {"channels": channels, **rows.once})


def _inputs(graph: Graph, node: Node) -> int:
    """Input elements at an output pixel, times the stride's rows and columns."""
    return int(graph.values[node.inputs[0]].shape[3] * math.prod(node.attrs.window.stride))


def _on_rows(graph: Graph, node: Node, share: float) -> Terms:
    """Of kernels that pack rows, for a ``share`` of the channels."""
    work, (tall, wide) = row_work(case_of(graph, node)), whole(graph, node)
    each = share / (tall * wide)
    pixel = {
        "threes": work.threes * each,
        "quads": work.quads * each,
        "quad_rows": work.quad_rows * each,
        "quad_terms": work.quad_terms * each,
        "roomed": work.roomed * each,
        "words": work.packed * each,
        "words_alone": work.packed_alone * each,
    }
    row = {"lines": work.lines * share / tall, "runs": work.runs * share / tall}
    return Terms(pixel, row, {"weights": work.weights * share})


def _lanes(graph: Graph, node: Node, channels: int) -> Counts:
    """Of kernels that make four channels of a pixel after another, of each multiplier."""
    window, image = node.attrs.window, graph.values[node.inputs[0]]
    every, wide_type = image.shape[3], image.dtype is DType.S16
    multiplier = channels_of(graph, node) // every
    inputs = channels // multiplier
    fours, over = -(-inputs // BLOCK), every % BLOCK > 0
    cut = over and not (wide_type and every % 2 == 0)  # pixels are no whole words
    shared = -(-inputs // 2) if multiplier == 2 else inputs * -(-multiplier // BLOCK)
    lanes, apart = fours * multiplier, window.stride[0] * window.stride[1]
    few = FEW_WINDOWS if window.taps == _NINE or wide_type else FEW_WINDOWS // 2
    few += BEGUN_WINDOWS // -(-every // BLOCK)
    _, tall, wide, _ = image.shape
    pixels = max(apart, tall * wide / math.prod(whole(graph, node)))  # of the input, an output's
    copied = cut and window.taps * multiplier > few * pixels
    return {
        "lanes": lanes,
        "lane_taps": lanes * window.taps,
        "alone_taps": lanes * window.taps * (cut and not copied),
        "shared": shared,
        "shared_taps": shared * window.taps,
        "passes": multiplier * (1 + over),
        "listed": window.taps * _border(graph, node),
        "realigned": copied * fours * pixels,
    }


def _pool(window: Window, channels: int, columns: int) -> Terms:
    blocks, single = divmod(channels, BLOCK)
    (tall, wide), stride = window.kernel, window.stride[1]
    under = (columns - 1) * stride + (wide - 1) * window.dilation[1] + 1
    pixel = {
        "pixel": 1,
        "block": blocks,
        "tap_row": (blocks + single) * tall,
        "mac": blocks * BLOCK * window.taps,
        "single": single,
        "single_mac": single * window.taps,
        "folded": channels * tall * under / columns,
        "crossed": channels * (wide - 1).bit_length() * under / columns,
        "added": channels * (wide - 1),
        "apart": float(stride > 1),
    }
    return Terms(pixel, {"row": 1, "sided": float(window.pads.left + window.pads.right > 0)})


def _resize(attrs: ResizeAttrs, channels: int, every: int) -> Terms:
    made, short = 1 / attrs.factors[0], channels <= 4 * BLOCK
    pixel = {
        "pixel": 1,
        "gap": float(channels < every),
        "element": channels,
        "made": made * (not short),
        "made_short": made * short,
    }
    return Terms(pixel)


def _products(graph: Graph, node: Node, channels: int) -> Terms:
    """Blocks of channels, each with its share of the products of all."""
    tall, wide = whole(graph, node)
    blocks = -(-channels // BLOCK)
    each = node_macs(graph, node) / (tall * wide) / channels_of(graph, node)
    pixel = {"block": blocks, "element": channels, "mac": each * blocks * BLOCK}
    if node.op == "FullyConnected":
        return Terms(pixel, {})
    window, every = node.attrs.window, graph.values[node.inputs[0]].shape[3]
    quads, once = transposed_terms(window, (tall, wide), every // node.attrs.groups, channels)
    packed = channels * every / channels_of(graph, node)
    return Terms({"pixel": 1, **pixel, **quads, "packed": packed}, once=once)


def _concat(graph: Graph, node: Node, share: float) -> Terms:
    """A ``share`` of each part; those whose requantization changes nothing are copied."""
    sizes = [math.prod(graph.values[name].shape) for name in graph.activations(node)]
    tall, wide = whole(graph, node)
    copied = sum(size for i, size in enumerate(sizes) if _unchanged(graph, node, i))
    each = share / (tall * wide)
    pixel = {
        "pixel": len(sizes),
        "element": (sum(sizes) - copied) * each,
        "copied": copied * each,
    }
    return Terms(pixel, {"row": len(sizes)})


def _unchanged(graph: Graph, node: Node, part: int) -> bool:
    if node.requant is None:
        return True
    names = node.requant.multiplier, node.requant.rounding, node.requant.shift
    entries = (graph.constants[name] for name in names)
    multiplier, rounding, shift = (int(table[part % len(table)]) for table in entries)
    rule = node.requant.rule
    one = rule == RequantRule.SHIFT or (rule == RequantRule.I32 and multiplier == 1)
    return one and rounding == 0 and shift == 0


def _border(graph: Graph, node: Node, *, folded: bool = True) -> float:
    """Share of the pixels whose window reaches beyond the input; none where that adds nothing:
    with ``folded`` at a zero point of 0."""
    window, pads = node.attrs.window, node.attrs.window.pads
    source = graph.values[node.inputs[0]]
    if folded and node.op == "Conv2d" and source.quant is not None and source.quant.zero_point == 0:
        return 0.0
    inside = 1.0
    for axis, made in enumerate(whole(graph, node)):
        span = (window.kernel[axis] - 1) * window.dilation[axis] + 1
        before, stride = (pads.top, pads.left)[axis], window.stride[axis]
        first = max(-(-before // stride), 0)
        end = min((source.shape[1 + axis] - span + before) // stride + 1, made)
        inside *= max(end - first, 0) / made
    return 1.0 - inside
