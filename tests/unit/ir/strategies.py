"""Random graphs, allocation problems and plans."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from deployer.allocate.problem import Problem
from deployer.ir.graph import Graph
from deployer.ir.plan import Buffer
from unit.ir.nets import Net

STEADY = settings(deadline=None, derandomize=True)  # the same examples every time
NAMES = st.text(alphabet="abcXYZ019_/:.-", min_size=1, max_size=12).map(lambda text: f"{text}_")


@st.composite
def graphs(draw: Any, max_nodes: int = 12) -> Graph:
    """Branching graphs of several inputs and outputs, with aliases, unread and repeated values."""
    net = Net(draw(NAMES))
    side = draw(st.integers(1, 4))
    made = [net.input(1, side, side, draw(st.integers(1, 5))) for _ in range(draw(_COUNT))]
    for _ in range(draw(st.integers(0, max_nodes))):
        x = draw(st.sampled_from(made))
        made.append(draw(st.sampled_from(_GROWERS[len(net.values[x].shape)]))(draw, net, x, made))
    outputs = draw(st.lists(st.sampled_from(made), min_size=1, max_size=3, unique=True))
    return net.graph(*outputs)


def _conv(draw: Any, net: Net, x: str, made: list[str]) -> str:
    return net.conv(x, draw(st.integers(1, 5)), draw(st.sampled_from([1, 3])))


def _depthwise(draw: Any, net: Net, x: str, made: list[str]) -> str:
    return net.depthwise(x, stride=draw(st.integers(1, 2)))


def _add(draw: Any, net: Net, x: str, made: list[str]) -> str:
    same = [other for other in made if net.values[other].shape == net.values[x].shape]
    return net.add(x, draw(st.sampled_from(same)))


def _flatten(draw: Any, net: Net, x: str, made: list[str]) -> str:
    return net.reshape(x)


def _transpose(draw: Any, net: Net, x: str, made: list[str]) -> str:
    return net.transpose(x, 0, 2, 1, 3)


def _unflatten(draw: Any, net: Net, x: str, made: list[str]) -> str:
    return net.reshape(x, 1, 1, net.values[x].elements, 1)


def _dense(draw: Any, net: Net, x: str, made: list[str]) -> str:
    return net.dense(x, draw(st.integers(1, 20)))


_COUNT = st.integers(1, 2)
_GROWERS = {4: [_conv, _depthwise, _add, _flatten, _transpose], 2: [_unflatten, _dense, _add]}


@st.composite
def problems(
    draw: Any, max_buffers: int = 14, largest: int = 60, alignment: int | None = None
) -> Problem:
    """Problems of one memory that holds everything."""
    align = alignment or draw(st.sampled_from([1, 4, 16]))
    count = draw(st.integers(0, max_buffers))
    buffers = []
    for i in range(count):
        lower = draw(st.integers(0, 9))
        upper = lower + draw(st.integers(1, 5))
        buffers.append(Buffer(f"b{i}", lower, upper, draw(st.integers(0, largest))))
    return Problem(tuple(buffers), (("sram", 100_000),), align)
