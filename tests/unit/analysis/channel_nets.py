"""Random integer networks with a region in groups of channels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from deployer.ir.attrs import ConvAttrs, PointAttrs, ReshapeAttrs, Window
from deployer.ir.channels import SUM, channel_faults, role, unit
from deployer.ir.graph import Graph
from deployer.ir.region import CHANNELS, Region
from deployer.ir.scope import scope_of
from deployer.ir.types import Layout
from unit.analysis.spatial_nets import SAME_3, SpatialNet, windows

POINT = Window((1, 1))


class ChannelNet(SpatialNet):
    """With dense layers, and depthwise ones of several channels for each."""

    def flatten(self, x: str) -> str:
        return self._node("Reshape", (x,), ReshapeAttrs((1, self.values[x].elements)), None)

    def dense(self, x: str, channels: int) -> str:
        depth = self.values[x].shape[1]
        weights = self._weights((channels, depth), Layout.OI)
        return self._linear("FullyConnected", x, PointAttrs(), weights, depth)

    def spread(self, x: str, window: Window, multiplier: int) -> str:
        channels = self.values[x].shape[3]
        weights = self._weights((*window.kernel, channels * multiplier), Layout.HWC)
        attrs = ConvAttrs(window, channels)
        return self._linear("DepthwiseConv2d", x, attrs, weights, window.taps)


@st.composite
def in_groups(draw: Any) -> tuple[Graph, ChannelNet]:
    """One region in two groups or more: branches, whole inputs beside it, values read behind it."""
    net = ChannelNet(draw(st.integers(0, 2**16)))
    sides = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    before = net.conv(net.input(*sides, draw(st.integers(1, 4))), draw(st.integers(1, 4)), POINT)
    made = [draw(st.sampled_from(_STARTS))(draw, net, before)]
    first = 2 if net.nodes[1].op == "Reshape" else 1
    for _ in range(draw(st.integers(0, 4))):
        rank = len(net.values[made[-1]].shape)
        grow = draw(st.sampled_from(_KEEPERS if rank == 4 else _FLAT_KEEPERS))
        made.append(grow(draw, net, made[-1], made, before))
    if draw(st.integers(0, 3)):
        _end(draw, net, draw(st.sampled_from(made[-2:])))
    last = len(net.nodes)
    if draw(st.booleans()):
        net.rescale(net.nodes[-1].output)
    plain = net.graph(*_outputs(draw, net, made))
    return _cut(draw, net, plain, (first, last)), net


def _cut(draw: Any, net: ChannelNet, plain: Graph, run: tuple[int, int]) -> Graph:
    nodes = plain.nodes[slice(*run)]
    names = tuple(node.name for node in nodes)
    region = Region(names, CHANNELS, nodes[-1].output)
    whole = unit(scope_of(plain, region))
    cuts = [replace(region, channels=(0, point, whole)) for point in range(1, whole)]
    sound = [cut.channels[1] for cut in cuts if not any(channel_faults(scope_of(plain, cut)))]
    assume(sound)
    inner = draw(st.sets(st.sampled_from(sound), min_size=1, max_size=4))
    region = replace(region, channels=(0, *sorted(inner), whole))
    return net.graph(*plain.outputs, regions=(region,))


def _outputs(draw: Any, net: ChannelNet, made: list[str]) -> tuple[str, ...]:
    return tuple(draw(st.sets(st.sampled_from(made), max_size=1)))


def _expand(draw: Any, net: ChannelNet, x: str) -> str:
    return net.conv(x, draw(st.integers(2, 9)), draw(windows(*net.values[x].shape[1:3])))


def _spread(draw: Any, net: ChannelNet, x: str) -> str:
    return net.spread(x, SAME_3, draw(st.integers(1, 3)))


def _dense(draw: Any, net: ChannelNet, x: str) -> str:
    return net.dense(net.flatten(x), draw(st.integers(2, 9)))


def _window(draw: Any, net: ChannelNet, x: str, made: list[str], before: str) -> str:
    window = draw(windows(*net.values[x].shape[1:3]))
    if draw(st.booleans()):
        return net.spread(x, window, draw(st.integers(1, 2)))
    plain = Window(window.kernel, window.stride)
    small = any(k > n for k, n in zip(window.kernel, net.values[x].shape[1:3], strict=True))
    op = draw(st.sampled_from(["MaxPool", "AveragePool"]))
    return net.pool(x, op, POINT if small else plain)


def _point(draw: Any, net: ChannelNet, x: str, made: list[str], before: str) -> str:
    return draw(st.sampled_from([net.table, net.rescale, net.prelu]))(x)


def _flat_point(draw: Any, net: ChannelNet, x: str, made: list[str], before: str) -> str:
    return draw(st.sampled_from([net.table, net.rescale]))(x)


def _add(draw: Any, net: ChannelNet, x: str, made: list[str], before: str) -> str:
    alike = [y for y in (*made, before) if net.values[y].shape == net.values[x].shape]
    return net.add(x, draw(st.sampled_from(alike)), draw(st.sampled_from(["Add", "Sub"])))


def _twin(draw: Any, net: ChannelNet, x: str, made: list[str], before: str) -> str:
    """Added to other channels made from the whole input."""
    same = net.values[before].shape[1:3] == net.values[x].shape[1:3]
    if not same:
        return net.rescale(x)
    return net.add(net.conv(before, net.values[x].shape[3], SAME_3), x)


def _gate(draw: Any, net: ChannelNet, x: str, made: list[str], before: str) -> str:
    size = net.values[x].shape[1:3]
    return net.mul(x, net.pool(x, "AveragePool", Window((size[0], size[1]))))


def _beside(draw: Any, net: ChannelNet, x: str, made: list[str], before: str) -> str:
    """Added to another input."""
    _, *shape = net.values[x].shape
    return net.add(x, net.input(*shape))


_STARTS = [_expand, _expand, _spread, _spread, _dense]
_KEEPERS = [_window, _window, _point, _point, _add, _beside, _twin, _gate]
_FLAT_KEEPERS = [_flat_point, _add]


def _end(draw: Any, net: ChannelNet, x: str) -> str:
    """What sums over the channels."""
    channels = draw(st.integers(1, 6))
    if len(net.values[x].shape) == 2:
        return net.dense(x, channels)
    if draw(st.booleans()):
        return net.dense(net.flatten(x), channels)
    return net.conv(x, channels, draw(windows(*net.values[x].shape[1:3])))


def sums(graph: Graph) -> bool:
    """Whether the graph's region ends in sums over channels."""
    scope = scope_of(graph, graph.regions[0])
    return role(scope, scope.nodes[-1]) == SUM
