"""Constants as C arrays, and requantization tables cut to what a kernel can reach."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from deployer.codegen.pack import pack
from deployer.ir.attrs import Pads, PointAttrs, PoolAttrs, Window
from deployer.ir.graph import Graph, Node, Requant
from deployer.schedule.constants import requant_tables

REQUANT = Requant("i32", "m", "r", "s", -128, 127)


def graph_with(multiplier: list[int], rounding: list[int], shift: list[int]) -> Graph:
    constants = {
        "m": np.array(multiplier, dtype=np.int32),
        "r": np.array(rounding, dtype=np.int32),
        "s": np.array(shift, dtype=np.uint8),
    }
    return Graph("g", {}, (), (), (), constants)


@given(arrays(np.int8, st.integers(1, 70)))
def test_rows_hold_every_number_in_order(array: np.ndarray) -> None:
    packed = pack("w", array)
    numbers = [int(text) for row in packed.rows for text in row.rstrip(",").split(",")]
    assert numbers == array.tolist()
    assert (packed.elements, packed.bytes, packed.c_type) == (array.size, array.nbytes, "int8_t")


def test_different_channels_keep_their_entries() -> None:
    node = Node("n", "Conv2d", (), (), None, REQUANT)
    tables = requant_tables(graph_with([1, 2], [3, 3], [4, 4]), node)
    assert tables.step == 1
    assert tables.multiplier.tolist() == [1, 2]


def test_equal_channels_become_one_entry() -> None:
    node = Node("n", "FullyConnected", (), (), PointAttrs(), REQUANT)
    tables = requant_tables(graph_with([7, 7], [3, 3], [4, 4]), node)
    assert tables.step == 0
    assert [len(t) for t in (tables.multiplier, tables.rounding, tables.shift)] == [1, 1, 1]


def test_a_prelu_keeps_the_entry_of_every_slope() -> None:
    node = Node("n", "PRelu", (), (), PointAttrs(), REQUANT)
    tables = requant_tables(graph_with([7, 7], [3, 3], [4, 4]), node)
    assert tables.multiplier.tolist() == [7, 7]


def test_an_unpadded_pool_keeps_the_entry_of_the_full_window() -> None:
    graph = graph_with([4, 3, 2, 1], [0, 1, 2, 3], [9, 9, 9, 9])
    open_window = PoolAttrs(Window((2, 2)))
    padded = PoolAttrs(Window((2, 2), pads=Pads(top=1)))
    full = requant_tables(graph, Node("p", "AveragePool", (), (), open_window, REQUANT))
    assert (full.multiplier.tolist(), full.rounding.tolist(), full.step) == ([1], [3], 0)
    every = requant_tables(graph, Node("p", "AveragePool", (), (), padded, REQUANT))
    assert (every.multiplier.tolist(), every.step) == ([4, 3, 2, 1], 1)
