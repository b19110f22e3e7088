"""Every invariant of a graph, broken once."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from deployer.ir.attrs import PointAttrs
from deployer.ir.graph import Graph
from deployer.ir.verify import InvariantError, verify
from unit.ir.nets import PEAKS, Net
from unit.ir.strategies import STEADY, graphs


def chain() -> Graph:
    net = Net("chain")
    a = net.conv(net.input(1, 4, 4, 2), 3, 3, name="a")
    return net.graph(net.conv(a, 5, name="b"))


def with_node(index: int, **fields: Any) -> Graph:
    nodes = list(chain().nodes)
    nodes[index] = dataclasses.replace(nodes[index], **fields)
    return dataclasses.replace(chain(), nodes=tuple(nodes))


def without_value(name: str) -> Graph:
    values = {key: value for key, value in chain().values.items() if key != name}
    return dataclasses.replace(chain(), values=values)


def with_constant(name: str, array: np.ndarray) -> Graph:
    return dataclasses.replace(chain(), constants={**chain().constants, name: array})


def without_constant(name: str) -> Graph:
    constants = {key: array for key, array in chain().constants.items() if key != name}
    return dataclasses.replace(chain(), constants=constants)


def with_shape(name: str, shape: tuple[int, ...]) -> Graph:
    value = dataclasses.replace(chain().values[name], shape=shape)
    return dataclasses.replace(chain(), values={**chain().values, name: value})


def swapped() -> Graph:
    return dataclasses.replace(chain(), nodes=chain().nodes[::-1])


BROKEN: dict[str, tuple[Callable[[], Graph], str]] = {
    "constant without a value": (lambda: without_value("a_w"), "constant without a value"),
    "constant of another shape": (
        lambda: with_constant("a_b", np.zeros(4, np.int32)),
        r"constant a_b: \(4,\) is not \(3,\)",
    ),
    "constant of another type": (
        lambda: with_constant("a_b", np.zeros(3, np.int16)),
        "constant a_b: int16",
    ),
    "two nodes of one name": (lambda: with_node(1, name="a"), "two nodes of one name"),
    "unknown operator": (lambda: with_node(0, op="Einsum"), "unknown operator Einsum"),
    "foreign attributes": (lambda: with_node(0, attrs=PointAttrs()), "attributes of another"),
    "read before written": (swapped, r"b: reads \['a_out'\] before it exists"),
    "read of nothing": (
        lambda: with_node(1, inputs=("ghost", "b_w", "b_b")),
        r"reads \['ghost'\]",
    ),
    "written twice": (lambda: with_node(1, outputs=("a_out",)), "b: writes a value twice"),
    "input overwritten": (lambda: with_node(1, outputs=("in0",)), "b: writes a value twice"),
    "shape against the rule": (
        lambda: with_shape("b_out", (1, 4, 4, 6)),
        r"b: shape \(1, 4, 4, 6\), the rule gives \(1, 4, 4, 5\)",
    ),
    "lost requantization": (lambda: without_constant("a_shift"), "a: requant constants missing"),
    "no requantization": (lambda: with_node(0, requant=None), "integer without requantization"),
    "output of nobody": (
        lambda: dataclasses.replace(chain(), outputs=("ghost",)),
        "an output nobody produces",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_each_broken_invariant_is_named(case: str) -> None:
    build, message = BROKEN[case]
    with pytest.raises(InvariantError, match=message):
        verify(build())


@pytest.mark.parametrize("build", PEAKS, ids=lambda build: build.__name__)
def test_whole_networks_pass(build: Callable[[], Graph]) -> None:
    graph = build()
    assert verify(graph) is graph


@STEADY
@given(graphs())
def test_random_networks_pass(graph: Graph) -> None:
    assert verify(graph) is graph
