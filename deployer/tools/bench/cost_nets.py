"""Networks of single operators over shapes: what the terms of a cost model are fitted to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deployer.ir import (
    LINE_BUFFERS,
    PATCH,
    BlockAttrs,
    Clamp,
    ConcatAttrs,
    Graph,
    Node,
    PadAttrs,
    Pads,
    PointAttrs,
    Region,
    ResizeAttrs,
    ResizeMode,
    SliceAttrs,
    SoftmaxAttrs,
    TableAttrs,
    TransposeAttrs,
    Window,
    is_spatial,
)
from deployer.kernelset import by_symbol
from deployer.tools.bench.operator_net import OperatorNet

SPLITS = ((3, 2), (5, 1), (2, 4))  # rows and columns of patches


def operator_graphs() -> Iterator[Graph]:
    """Float graphs, each small enough for 300 KiB of arena."""
    for build in (
        _convolutions,
        _threes,
        _few_channels,
        _points,
        _transposed,
        _depthwise,
        _pools,
        _whole_pools,
        _elementwise,
        _moves,
        _chains,
    ):
        yield build()


def variants(graph: Graph) -> Iterator[tuple[str, tuple[Region, ...]]]:
    """How an integer graph of single operators is computed: whole, by rows, in patches; with
    opt-in kernels whole only, since each piece fills up their strips; with others that are named in
    fewer ways, which tell their terms apart."""
    yield "whole", ()
    nodes = [node for node in graph.nodes if _divisible(graph, node) and not _opt_in(node)]
    if not nodes:
        return
    yield "rows", tuple(_runs(graph, nodes))
    named = any(node.kernel for node in nodes)
    for split in SPLITS[:1] if named else SPLITS:
        yield f"{split[0]}x{split[1]}", tuple(_patches(graph, node, split) for node in nodes)


def _opt_in(node: Node) -> bool:
    return bool(node.kernel) and by_symbol(node.kernel).opt_in


def _divisible(graph: Graph, node: Node) -> bool:
    shape = graph.values[node.output].shape
    return is_spatial(graph, node) and shape[1] >= 5 and shape[2] >= 4


def _runs(graph: Graph, nodes: Sequence[Node]) -> Iterator[Region]:
    """A region with line buffers a node; a chain of nodes is one."""
    run: list[Node] = []
    for node in nodes:
        run.append(node)
        if node.output in graph.outputs:
            yield Region(tuple(one.name for one in run), LINE_BUFFERS, node.output)
            run = []


def _patches(graph: Graph, node: Node, split: tuple[int, int]) -> Region:
    _, height, width, _ = graph.values[node.output].shape
    rows, columns = (
        tuple(extent * i // count for i in range(count + 1))
        for extent, count in zip((height, width), split, strict=True)
    )
    rows, columns = (points if len(points) > 2 else () for points in (rows, columns))
    return Region((node.name,), PATCH, node.output, rows=rows, columns=columns)


def _same(side: int, stride: int = 1) -> Window:
    pad = side // 2
    return Window((side, side), (stride, stride), pads=Pads(pad, pad, pad, pad))


def _convolutions() -> Graph:
    net = OperatorNet("cost_conv")
    image, wide, deep, odd = (
        net.input(*shape) for shape in ((32, 32, 3), (16, 16, 16), (8, 8, 32), (9, 30, 10))
    )
    net.conv(image, 8, _same(3))
    net.conv(image, 16, _same(3, 2))
    net.conv(wide, 16, _same(3))
    net.conv(wide, 6, _same(3))
    net.conv(wide, 8, _same(5, 2))
    net.conv(deep, 32, _same(3))
    net.conv(odd, 12, Window((3, 3)))
    net.conv(odd, 4, Window((3, 3), dilation=(1, 2)))
    net.conv(wide, 16, _same(3), groups=2)
    net.conv(wide, 32, _same(3), groups=4)
    net.conv(deep, 64, Window((1, 1)), groups=4)
    net.conv(odd, 10, _same(3), groups=5)
    net.conv(net.input(16, 16, 3), 64, Window((5, 5)))
    net.conv(net.input(5, 7, 10), 64, Window((1, 3), (2, 2)))
    net.conv(net.input(16, 18, 5), 40, Window((10, 4), (3, 3)))
    return net.graph()


def _few_channels() -> Graph:
    """What packed rows suit: few channels, small groups, dilated windows."""
    net = OperatorNet("cost_few")
    one, few, many = (net.input(*shape) for shape in ((32, 32, 1), (20, 20, 4), (12, 12, 32)))
    net.conv(one, 2, Window((5, 5), dilation=(2, 2), pads=Pads(4, 4, 4, 4)))
    net.conv(one, 4, Window((9, 1), (2, 2)))
    net.conv(few, 2, _same(5))
    net.conv(few, 4, _same(3), groups=2)
    net.conv(few, 3, Window((3, 3), (3, 3)))
    net.conv(many, 16, _same(3), groups=16)
    net.conv(many, 4, Window((1, 3)), groups=4)
    net.conv(net.input(64, 1, 5), 17, Window((1, 1)))
    net.conv(net.input(12, 24, 2), 8, Window((1, 1)))
    net.conv(net.input(1, 90, 3), 10, Window((1, 5)))
    net.up(few, 2, _same(3))
    net.up(few, 2, Window((4, 4), (2, 2), pads=Pads(1, 1, 1, 1)))
    net.up(one, 3, Window((5, 5), (2, 2), pads=Pads(1, 1, 2, 2)))
    return net.graph()


def _threes() -> Graph:
    """Kernels of 3x3 at stride 1 only."""
    net = OperatorNet("cost_threes")
    for shape, channels in (
        ((24, 24, 8), 8),
        ((12, 12, 32), 32),
        ((7, 26, 20), 6),
        ((6, 8, 96), 10),
    ):
        net.conv(net.input(*shape), channels, _same(3))
    net.conv(net.input(16, 16, 16), 4, Window((3, 3)))
    return net.graph()


def _points() -> Graph:
    net = OperatorNet("cost_point")
    one = Window((1, 1))
    thin, wide, deep, odd = (
        net.input(*shape) for shape in ((24, 24, 8), (12, 12, 32), (6, 6, 96), (10, 40, 5))
    )
    net.conv(thin, 16, one)
    net.conv(thin, 4, one)
    net.conv(wide, 64, one)
    net.conv(wide, 10, Window((1, 1), (2, 2)))
    net.conv(deep, 24, one)
    net.conv(odd, 32, one)
    net.up(wide, 8, Window((2, 2), (2, 2)))
    net.up(deep, 16, Window((4, 4), (2, 2), pads=Pads(1, 1, 1, 1)))
    net.up(thin, 4, Window((3, 3), (2, 2), pads=Pads(0, 0, 1, 1)))
    for features, outputs in ((64, 10), (640, 32), (128, 128), (9, 3)):
        net.dense(net.input(features), outputs)
    return net.graph()


_ONE_OUTPUT = (  # of a channel: input, window
    ((3, 3, 128), _same(3)),
    ((7, 7, 40), _same(3, 2)),
    ((15, 21, 12), Window((3, 3), (3, 3))),
    ((16, 16, 16), Window((1, 1))),
    ((9, 20, 6), Window((1, 1))),
    ((4, 4, 64), Window((1, 1))),
    ((90, 1, 17), Window((1, 1))),
    ((12, 30, 3), Window((1, 1))),
    ((64, 1, 17), Window((3, 1))),
    ((64, 1, 8), Window((3, 1))),
    ((33, 12, 3), Window((7, 1))),
    ((18, 31, 5), _same(3)),
)
_OUTPUTS = (  # input, window, outputs of a channel
    ((8, 9, 30), _same(3, 3), 2),
    ((5, 7, 63), Window((3, 1)), 4),
    ((12, 12, 17), _same(5, 2), 1),
    ((6, 14, 32), Window((2, 2)), 3),
    ((12, 12, 7), _same(5, 3), 4),
    ((14, 16, 10), Window((3, 3), dilation=(2, 2)), 1),
    ((48, 20, 1), _same(5, 2), 2),
    ((1, 96, 10), Window((1, 9)), 2),
    ((25, 10, 5), Window((9, 1), dilation=(2, 2)), 4),
    ((48, 24, 6), Window((9, 1), (2, 2)), 1),
    ((30, 30, 2), Window((10, 4), (3, 3)), 2),
    ((8, 9, 28), _same(3, 3), 4),
    ((9, 8, 18), _same(3), 4),
    ((6, 7, 36), _same(5, 2), 2),
    ((13, 14, 45), _same(3, 3), 1),
    ((12, 9, 22), Window((3, 5), (2, 2)), 1),
    ((6, 6, 16), Window((5, 5)), 8),
    ((9, 9, 12), Window((2, 2)), 4),
    ((7, 9, 22), Window((1, 7)), 4),
    ((5, 6, 13), _same(3), 8),
    ((7, 8, 26), Window((4, 4)), 2),
)


_UP = (  # input, channels, kernel, stride
    ((9, 10, 63), 17, 2, 2),
    ((8, 8, 32), 12, 3, 3),
    ((4, 24, 63), 17, 3, 3),
    ((7, 9, 40), 10, 4, 2),
    ((12, 14, 16), 24, 5, 2),
    ((16, 10, 10), 10, 5, 3),
    ((20, 16, 3), 5, 2, 2),
    ((8, 8, 118), 10, 3, 2),
    ((24, 20, 5), 5, 4, 1),
    ((14, 14, 17), 3, 3, 1),
    ((12, 12, 8), 2, 4, 3),
    ((10, 12, 34), 1, 3, 1),
)


def _transposed() -> Graph:
    net = OperatorNet("cost_up")
    for shape, channels, side, stride in _UP:
        before, after = (max(side - stride, 0) // 2, -(-max(side - stride, 0) // 2))
        pads = Pads(before, before, after, after)
        net.up(net.input(*shape), channels, Window((side, side), (stride, stride), pads=pads))
    return net.graph()


def _depthwise() -> Graph:
    net = OperatorNet("cost_depthwise")
    thin, wide, deep, odd = (
        net.input(*shape) for shape in ((24, 24, 8), (16, 16, 32), (6, 6, 96), (10, 40, 6))
    )
    for x, side, stride in ((thin, 3, 1), (wide, 3, 1), (wide, 3, 2), (wide, 5, 1), (deep, 3, 1)):
        net.depthwise(x, _same(side, stride))
    net.depthwise(odd, _same(3))
    net.depthwise(deep, _same(5))
    net.depthwise(thin, Window((3, 3)))
    for shape, window in _ONE_OUTPUT:
        net.depthwise(net.input(*shape), window)
    for shape, window, multiplier in _OUTPUTS:
        net.depthwise(net.input(*shape), window, multiplier)
    return net.graph()


def _pools() -> Graph:
    net = OperatorNet("cost_pool")
    wide, deep, odd = (net.input(*shape) for shape in ((16, 16, 16), (8, 8, 64), (10, 30, 6)))
    for op in ("MaxPool", "AveragePool"):
        net.pool(op, wide, Window((2, 2), (2, 2)))
        net.pool(op, wide, _same(3))
        net.pool(op, deep, Window((8, 8)))
        net.pool(op, deep, Window((2, 2), (1, 1)))
        net.pool(op, deep, Window((3, 3), (2, 2)))
        net.pool(op, odd, Window((2, 2), (2, 2)))
        net.pool(op, odd, Window((10, 30)))
        net.pool(op, odd, Window((3, 1)))
    return net.graph()


_PLANES = ((5, 7, 17), (12, 12, 3), (25, 10, 8), (4, 4, 118), (9, 16, 40), (8, 12, 64))


def _whole_pools() -> Graph:
    net = OperatorNet("cost_whole")
    for shape in _PLANES:
        x = net.input(*shape)
        for op in ("MaxPool", "AveragePool"):
            net.pool(op, x, Window(shape[:2]))
    return net.graph()


def _elementwise() -> Graph:
    net = OperatorNet("cost_elementwise")
    for shape in ((16, 16, 16), (8, 12, 48), (10, 30, 6)):
        x, y = net.input(*shape), net.input(*shape)
        for op in ("Add", "Sub", "Mul"):
            net.node(op, x, y, attrs=PointAttrs())
        net.prelu(x)
        net.node("Table", x, attrs=TableAttrs("hard_swish"))
        net.node("Rescale", x, attrs=PointAttrs(Clamp(0.0, 1.0)))
    for features in (10, 64):
        net.node("Softmax", net.input(features), attrs=SoftmaxAttrs())
    return net.graph()


def _moves() -> Graph:
    net = OperatorNet("cost_move")
    for height, width, channels in ((16, 16, 16), (8, 12, 32), (10, 20, 8), (6, 8, 20)):
        x, y = (net.input(height, width, channels) for _ in range(2))
        net.node("Concat", x, y, attrs=ConcatAttrs(3))
        half = (1, height, width, channels // 2)
        net.node("Slice", x, attrs=SliceAttrs((0, 0, 0, 0), half))
        net.node("Pad", x, attrs=PadAttrs((0, 1, 1, 0), (0, 1, 1, 0)))
        net.node("DepthToSpace", x, attrs=BlockAttrs(2))
        net.node("SpaceToDepth", x, attrs=BlockAttrs(2))
        net.node("Transpose", x, attrs=TransposeAttrs((0, 3, 1, 2)))
        net.node("Transpose", x, attrs=TransposeAttrs((0, 1, 3, 2)))
    for height, width, channels in ((8, 8, 16), (4, 6, 32), (5, 10, 8), (3, 12, 12), (6, 3, 4)):
        x = net.input(height, width, channels)
        for mode in ResizeMode:
            net.node("Resize", x, attrs=ResizeAttrs((2, 2), mode))
    for height, width, channels in ((16, 16, 10), (24, 1, 17), (12, 16, 24)):
        x = net.input(height, width, channels)
        for factors in ((1, 2), (2, 2)):
            net.node("Resize", x, attrs=ResizeAttrs(factors, ResizeMode.NEAREST))
    return net.graph()


def _chains() -> Graph:
    """Runs of cheap nodes: what a region's search for the next call costs."""
    net = OperatorNet("cost_chain")
    for length in (2, 4, 8, 12):
        x = net.input(16, 8, 4)
        for _ in range(length):
            x = net.conv(x, 4, Window((1, 1)))
    x = net.input(16, 8, 4)
    for _ in range(3):
        branches = net.conv(x, 4, Window((1, 1))), net.depthwise(x, _same(3))
        x = net.node("Add", *branches, attrs=PointAttrs())
    return net.graph()
