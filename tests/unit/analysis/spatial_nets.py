"""Random integer networks of spatial operators, weights that leave a mark; random regions."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st

from deployer.ir.attrs import (
    BlockAttrs,
    ConcatAttrs,
    ConvAttrs,
    ConvTransposeAttrs,
    PadAttrs,
    Pads,
    PointAttrs,
    PoolAttrs,
    ResizeAttrs,
    SliceAttrs,
    TableAttrs,
    Window,
)
from deployer.ir.graph import Graph, Node, Requant
from deployer.ir.ops import OPS, window_output
from deployer.ir.region import Region
from deployer.ir.scope import scope_of
from deployer.ir.types import DType, Layout, QuantParams, Value

QUANT = QuantParams((0.5,), -3)
SMALL = 13  # rows and columns of the largest input
SAME_3 = Window((3, 3), pads=Pads(1, 1, 1, 1))


class SpatialNet:
    """Collects nodes; every method returns the name of the value it made. ``joined``: a Concat
    copies its inputs as they are."""

    def __init__(self, seed: int = 0, *, joined: bool = False) -> None:
        self.joined = joined
        self.rng = np.random.default_rng(seed)
        self.values: dict[str, Value] = {}
        self.constants: dict[str, np.ndarray] = {}
        self.nodes: list[Node] = []
        self.inputs: list[str] = []

    def input(self, height: int, width: int, channels: int) -> str:
        name = f"in{len(self.inputs)}"
        self._value(name, (1, height, width, channels))
        self.inputs.append(name)
        return name

    def conv(self, x: str, channels: int, window: Window) -> str:
        depth = self.values[x].shape[3]
        weights = self._weights((channels, *window.kernel, depth), Layout.OHWI)
        return self._linear("Conv2d", x, ConvAttrs(window), weights, window.taps * depth)

    def depthwise(self, x: str, window: Window) -> str:
        weights = self._weights((*window.kernel, self.values[x].shape[3]), Layout.HWC)
        return self._linear("DepthwiseConv2d", x, ConvAttrs(window), weights, window.taps)

    def up(self, x: str, channels: int, factor: int) -> str:
        _, height, width, _ = self.values[x].shape
        window = Window((factor, factor), (factor, factor))
        return self.transposed(x, channels, window, (height * factor, width * factor))

    def transposed(self, x: str, channels: int, window: Window, output: tuple[int, int]) -> str:
        attrs, depth = ConvTransposeAttrs(window, output), self.values[x].shape[3]
        weights = self._weights((channels, *window.kernel, depth), Layout.OHWI)
        return self._linear("ConvTranspose2d", x, attrs, weights, depth)

    def pool(self, x: str, op: str, window: Window) -> str:
        counts = np.arange(1, window.taps + 1)
        tables = (
            np.ones(window.taps, int),
            np.zeros(window.taps, int),
            np.log2(counts).astype(int),
        )
        return self._node(op, (x,), PoolAttrs(window), self._requant(*tables))

    def add(self, a: str, b: str, op: str = "Add") -> str:
        tables = ([5, 3], [4], [3])
        return self._node(op, (a, b), PointAttrs(), self._requant(*tables))

    def mul(self, a: str, b: str) -> str:
        return self._node("Mul", (a, b), PointAttrs(), self._requant([1], [16], [5]))

    def table(self, x: str) -> str:
        name = self._constant(self.rng.integers(-128, 128, 256).astype(np.int8))
        return self._node("Table", (x, name), TableAttrs("tanh"), None)

    def rescale(self, x: str) -> str:
        return self._node("Rescale", (x,), PointAttrs(), self._requant([3], [2], [2]))

    def prelu(self, x: str) -> str:
        count = 1 + self.values[x].shape[3]
        slopes = self.rng.integers(1, 9, count)
        tables = (slopes, np.full(count, 2), np.full(count, 2))
        return self._node("PRelu", (x,), PointAttrs(), self._requant(*tables))

    def concat(self, *parts: str, axis: int = 3) -> str:
        """Every second part has the output's scale, or all of them."""
        kept = (np.arange(len(parts)) + len(self.nodes)) % 2 == 0
        kept = kept | self.joined
        tables = (np.where(kept, 1, np.arange(1, len(parts) + 1)), ~kept, ~kept)
        return self._node("Concat", parts, ConcatAttrs(axis), self._requant(*tables))

    def slice(self, x: str, begin: tuple[int, int, int], end: tuple[int, int, int]) -> str:
        return self._node("Slice", (x,), SliceAttrs((0, *begin), (1, *end)), None)

    def pad(self, x: str, before: tuple[int, int, int], after: tuple[int, int, int]) -> str:
        return self._node("Pad", (x,), PadAttrs((0, *before), (0, *after), 3.5), None)

    def resize(self, x: str, attrs: ResizeAttrs) -> str:
        return self._node("Resize", (x,), attrs, None)

    def blocks(self, x: str, op: str, attrs: BlockAttrs) -> str:
        return self._node(op, (x,), attrs, None)

    def graph(self, *outputs: str, regions: tuple[Region, ...] = ()) -> Graph:
        """Values nobody reads are outputs too."""
        read = {name for node in self.nodes for name in node.inputs}
        ends = [node.output for node in self.nodes if node.output not in read]
        return Graph(
            "random",
            self.values,
            tuple(self.nodes),
            tuple(self.inputs),
            tuple(dict.fromkeys((*outputs, *ends))),
            self.constants,
            regions=regions,
        )

    def sample(self) -> dict[str, np.ndarray]:
        shapes = {name: self.values[name].shape for name in self.inputs}
        return {n: self.rng.integers(-128, 128, s).astype(np.int8) for n, s in shapes.items()}

    def _linear(self, op: str, x: str, attrs: Any, weights: str, taps: int) -> str:
        channels = {"DepthwiseConv2d": -1}.get(op, 0)
        count = self.constants[weights].shape[channels]
        bias = self._constant(self.rng.integers(-99, 100, count).astype(np.int32))
        shift = max(0, int(np.log2(taps * 16)) - 1)
        tables = (np.ones(count), np.zeros(count), np.full(count, shift))
        return self._node(op, (x, weights, bias), attrs, self._requant(*tables))

    def _weights(self, shape: tuple[int, ...], layout: Layout) -> str:
        return self._constant(self.rng.integers(-20, 21, shape).astype(np.int8), layout)

    def _requant(self, multiplier: Any, rounding: Any, shift: Any) -> Requant:
        tables = zip((multiplier, rounding, shift), (np.int32, np.int32, np.uint8), strict=True)
        names = [self._constant(np.asarray(table).astype(kind)) for table, kind in tables]
        return Requant("i32", *names, -128, 127)

    def _constant(self, array: np.ndarray, layout: Layout = Layout.VECTOR) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = array
        self.values[name] = Value(name, array.shape, DType(array.dtype.name), layout)
        return name

    def _value(self, name: str, shape: tuple[int, ...]) -> None:
        self.values[name] = Value(name, shape, DType.S8, Layout.NHWC, QUANT)

    def _node(self, op: str, inputs: tuple[str, ...], attrs: Any, requant: Requant | None) -> str:
        name = f"{op.lower()}{len(self.nodes)}"
        node = Node(name, op, inputs, (f"{name}_out",), attrs, requant)
        shapes = [self.values[x].shape for x in inputs]
        self._value(node.output, OPS[op].shape(attrs, shapes))
        self.nodes.append(node)
        return node.output


@st.composite
def windows(draw: Any, height: int, width: int, largest: int = 3) -> Window:
    """Any window that fits, every one meeting the image; pads differ from side to side."""
    kernel = (draw(st.integers(1, largest)), draw(st.integers(1, largest)))
    dilation = (draw(st.integers(1, 2)), draw(st.integers(1, 2)))
    stride = (draw(st.integers(1, 2)), draw(st.integers(1, 2)))
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    pads = Pads(*(draw(st.integers(0, spans[i % 2] - 1)) for i in range(4)))
    window = Window(kernel, stride, dilation, pads)
    if min(window_output(window, height, width)) < 1:
        return Window((1, 1), stride)
    return window


@st.composite
def spatial_nets(draw: Any, max_nodes: int = 9, *, joined: bool = False) -> SpatialNet:
    """Branching networks: residual additions, concatenations, strides, dilation, pools."""
    net = SpatialNet(draw(st.integers(0, 2**16)), joined=joined)
    sizes = [draw(st.integers(3, SMALL)) for _ in range(2)]
    made = [net.input(*sizes, draw(st.integers(1, 3))) for _ in range(draw(st.integers(1, 2)))]
    for _ in range(draw(st.integers(2, max_nodes))):
        late = made[-3:] if draw(st.booleans()) else made
        x = draw(st.sampled_from(late))
        made.append(draw(st.sampled_from(_GROWERS))(draw, net, x, made))
    return net


def _conv(draw: Any, net: SpatialNet, x: str, made: list[str]) -> str:
    return net.conv(x, draw(st.integers(1, 4)), draw(windows(*net.values[x].shape[1:3])))


def _depthwise(draw: Any, net: SpatialNet, x: str, made: list[str]) -> str:
    return net.depthwise(x, draw(windows(*net.values[x].shape[1:3])))


def _pool(draw: Any, net: SpatialNet, x: str, made: list[str]) -> str:
    op = draw(st.sampled_from(["MaxPool", "AveragePool"]))
    window = draw(windows(*net.values[x].shape[1:3]))
    return net.pool(x, op, Window(window.kernel, window.stride, pads=_plain(window)))


def _plain(window: Window) -> Pads:
    """Pads below the kernel without its dilation."""
    tall, wide = (k - 1 for k in window.kernel)
    pads = window.pads
    top, bottom = min(pads.top, tall), min(pads.bottom, tall)
    return Pads(top, min(pads.left, wide), bottom, min(pads.right, wide))


def _add(draw: Any, net: SpatialNet, x: str, made: list[str]) -> str:
    alike = [y for y in made if net.values[y].shape == net.values[x].shape]
    return net.add(x, draw(st.sampled_from(alike)), draw(st.sampled_from(["Add", "Sub"])))


def _concat(draw: Any, net: SpatialNet, x: str, made: list[str]) -> str:
    alike = [y for y in made if net.values[y].shape[1:3] == net.values[x].shape[1:3]]
    return net.concat(*draw(st.lists(st.sampled_from(alike), min_size=1, max_size=3)), x)


def _residual(draw: Any, net: SpatialNet, x: str, made: list[str]) -> str:
    return net.add(x, net.conv(net.depthwise(x, SAME_3), net.values[x].shape[3], SAME_3))


def _branches(draw: Any, net: SpatialNet, x: str, made: list[str]) -> str:
    left = net.table(net.conv(x, 2, Window((1, 1))))
    return net.concat(left, net.pool(x, "MaxPool", SAME_3), net.conv(x, 1, SAME_3))


def _point(draw: Any, net: SpatialNet, x: str, made: list[str]) -> str:
    return draw(st.sampled_from([net.table, net.rescale, net.prelu]))(x)


def _slice(draw: Any, net: SpatialNet, x: str, made: list[str]) -> str:
    begin, end = [], []
    for extent in net.values[x].shape[1:]:
        begin.append(draw(st.integers(0, extent - 1)))
        end.append(draw(st.integers(begin[-1] + 1, extent)))
    return net.slice(x, tuple(begin), tuple(end))  # type: ignore[arg-type]


def _up(draw: Any, net: SpatialNet, x: str, made: list[str]) -> str:
    if max(net.values[x].shape[1:3]) > SMALL:
        return net.rescale(x)
    return net.up(x, draw(st.integers(1, 3)), draw(st.integers(1, 2)))


def _transposed(draw: Any, net: SpatialNet, x: str, made: list[str]) -> str:
    """Any kernel, stride and crop: outputs may lie between windows or beyond all of them."""
    if max(net.values[x].shape[1:3]) > SMALL:
        return net.rescale(x)
    kernel = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    stride = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    dilation = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    crop = Pads(*(draw(st.integers(0, spans[i % 2] - 1)) for i in range(2)))
    full = [
        (n - 1) * s + span - pad
        for n, s, span, pad in zip(
            net.values[x].shape[1:3], stride, spans, (crop.top, crop.left), strict=True
        )
    ]
    output = tuple(max(1, n + draw(st.integers(-1, 2))) for n in full)
    window = Window(kernel, stride, dilation, crop)
    return net.transposed(x, draw(st.integers(1, 3)), window, output)  # type: ignore[arg-type]


def _bordered(draw: Any, net: SpatialNet, x: str, made: list[str]) -> str:
    if max(net.values[x].shape[1:3]) > SMALL:
        return net.rescale(x)
    before, after = (tuple(draw(st.integers(0, most)) for most in (3, 3, 1)) for _ in range(2))
    return net.pad(x, before, after)  # type: ignore[arg-type]


def _resize(draw: Any, net: SpatialNet, x: str, made: list[str]) -> str:
    if max(net.values[x].shape[1:3]) > SMALL:
        return net.table(x)
    linear = draw(st.booleans())
    factors = tuple(draw(st.sampled_from([1, 2, 4] if linear else [1, 2, 3])) for _ in range(2))
    if linear:
        return net.resize(x, ResizeAttrs(factors, "linear", draw(st.booleans())))  # type: ignore[arg-type]
    start = tuple(draw(st.integers(-factor, factor)) for factor in factors)
    return net.resize(x, ResizeAttrs(factors, start=start))  # type: ignore[arg-type]


def _blocks(draw: Any, net: SpatialNet, x: str, made: list[str]) -> str:
    """Depth to space of fitting channels; space to depth where block divides the extents."""
    attrs = BlockAttrs(draw(st.integers(2, 3)), draw(st.booleans()))
    _, height, width, _ = net.values[x].shape
    if height % attrs.block == 0 and width % attrs.block == 0 and draw(st.booleans()):
        return net.blocks(x, "SpaceToDepth", attrs)
    if max(height, width) > SMALL:
        return net.rescale(x)
    channels = draw(st.integers(1, 2)) * attrs.block**2
    return net.blocks(net.conv(x, channels, Window((1, 1))), "DepthToSpace", attrs)


def _gate(draw: Any, net: SpatialNet, x: str, made: list[str]) -> str:
    """Scaled by its own mean, as squeeze-and-excitation does."""
    mean = net.pool(x, "AveragePool", Window(net.values[x].shape[1:3]))  # type: ignore[arg-type]
    return net.mul(x, mean)


_GROWERS = [_conv, _conv, _depthwise, _pool, _add, _concat, _residual, _branches, _point, _slice]
_GROWERS += [_up, _gate, _transposed, _bordered, _resize, _resize, _blocks]


@st.composite
def regional(draw: Any, max_nodes: int = 9, *, joined: bool = False) -> tuple[Graph, SpatialNet]:
    """A random network, all of whose nodes are spatial, with one or two random regions."""
    net = draw(spatial_nets(max_nodes, joined=joined))
    plain = net.graph()
    count = len(plain.nodes)
    points = sorted({0, draw(st.integers(0, count)), draw(st.integers(1, count)), count})
    regions: list[Region] = []
    for first, last in pairwise(points):
        if draw(st.integers(0, 3)):
            regions.append(_chained(plain, regions, _region(draw, plain, first, last)))
    return net.graph(regions=tuple(regions)), net


def _chained(graph: Graph, before: list[Region], region: Region) -> Region:
    """Turned round where it continues an overlap, as it must."""
    heads = [other for other in before if other.over and region.over[:1] == other.over[1:]]
    if not heads:
        return region
    if region.fetch and not heads[-1].reverse:
        return replace(region, over=())
    return replace(region, reverse=not heads[-1].reverse)


def _region(draw: Any, graph: Graph, first: int, last: int) -> Region:
    nodes = graph.nodes[first:last]
    grid = nodes[-1].output
    _, height, width, _ = graph.values[grid].shape
    mode = draw(st.sampled_from(["patch", "stream"]))
    region = Region(
        tuple(node.name for node in nodes),
        mode,
        grid,
        rows=_points(draw, height) if mode == "patch" else (),
        columns=_points(draw, width),
        chunk=draw(st.integers(1, 3)) if mode == "stream" else 1,
        reverse=draw(st.booleans()),
    )
    return _fetching(draw, graph, _overlapping(draw, graph, region))


def _overlapping(draw: Any, graph: Graph, region: Region) -> Region:
    """With an overlap when an input dies in it and is read once."""
    scope = scope_of(graph, region)
    inside = set(region.nodes)
    dying = [
        name
        for name in scope.inputs
        if name not in graph.outputs and {n.name for n in graph.consumers[name]} <= inside
    ]
    if not dying or not draw(st.booleans()):
        return region
    over = draw(st.sampled_from(dying)), draw(st.sampled_from(scope.outputs))
    columns = region.columns if region.mode == "patch" else ()
    return replace(region, over=over, columns=columns if len(columns) <= 2 else ())


def _fetching(draw: Any, graph: Graph, region: Region) -> Region:
    scope = scope_of(graph, region)
    inside = set(region.nodes)
    ours = [n for n in scope.inputs if n in graph.inputs and n not in region.over]
    ours = [n for n in ours if n not in graph.outputs]
    ours = [n for n in ours if {c.name for c in graph.consumers[n]} <= inside]
    if not ours or region.mode != "stream" or not draw(st.booleans()):
        return region
    return replace(region, columns=(), reverse=False, fetch=(draw(st.sampled_from(ours)),))


def _points(draw: Any, extent: int) -> tuple[int, ...]:
    inner = draw(st.sets(st.integers(1, max(1, extent - 1)), max_size=3)) - {extent}
    return (0, *sorted(inner), extent) if inner else ()
