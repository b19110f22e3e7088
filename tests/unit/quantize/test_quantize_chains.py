"""A Concat that others read too takes the scale of the one that continues it, within limits."""

from __future__ import annotations

import numpy as np
import pytest

from deployer.ir.attrs import PadAttrs, Window
from deployer.ir.graph import Graph
from deployer.ir.types import QuantParams
from deployer.quantize.calibrate import Spread
from deployer.quantize.share import shared, sources, with_pad_values
from unit.quantize.graphs import Draft


def chain(*, seen: bool = False) -> tuple[Graph, str, str]:
    """One Concat read by a convolution, whose output the other joins to it."""
    draft = Draft(1, 2, 2, 2)
    first = draft.concat(draft.rescale("x"), draft.rescale("x"), axis=3)
    second = draft.concat(first, draft.conv(first, 2, Window((1, 1))), axis=3)
    return draft.graph(*([first, second] if seen else [second])), first, second


OWN = QuantParams((1.0,), 0)


@pytest.mark.parametrize(
    ("joined", "continues"),
    [
        (QuantParams((1.0,), 3), True),
        (QuantParams((1.0,), 5), True),  # 2 per cent are 5.1 steps
        (QuantParams((1.0,), 6), False),
        (QuantParams((1.0,), -6), False),
        (QuantParams((1.5,), 0), True),
        (QuantParams((1.51,), 0), False),
        (QuantParams((0.97,), 0), True),
        (QuantParams((0.95,), 0), False),
        (QuantParams((1.0,), 0, bits=16), False),
    ],
)
def test_a_chain_has_one_scale_where_it_is_hardly_coarser(
    joined: QuantParams, continues: bool
) -> None:
    graph, first, second = chain()
    found = shared(graph, {first: OWN, second: joined})
    assert found[first] == (joined if continues else OWN)
    assert found[second] == joined


def test_stated_scales_and_outputs_keep_theirs() -> None:
    graph, first, second = chain()
    joined = QuantParams((1.0,), 3)
    assert shared(graph, {first: OWN, second: joined}, {first})[first] == OWN
    graph, first, second = chain(seen=True)
    assert shared(graph, {first: OWN, second: joined})[first] == OWN


def test_inputs_that_nothing_else_reads_take_the_joined_scale() -> None:
    """Through operators that move elements; not what is read elsewhere or is an output."""
    draft = Draft(1, 2, 2, 2)
    moved, other, kept = draft.rescale("x"), draft.rescale("x"), draft.rescale("x")
    turned = draft.transpose(moved, 0, 2, 1, 3)
    joined = draft.concat(turned, other, kept, axis=3)
    graph = draft.graph(joined, kept)
    quants = {name: QuantParams((1.0,), i) for i, name in enumerate((moved, other, kept, joined))}
    found = shared(graph, quants)
    assert sources(graph)[turned] == moved
    assert found[moved] == found[other] == found[joined] == quants[joined]
    assert found[kept] == quants[kept]
    assert shared(graph, {joined: OWN}) == {joined: OWN}


def test_a_concat_of_one_quantization_keeps_it() -> None:
    draft = Draft(1, 2, 2, 2)
    left, right = draft.rescale("x"), draft.rescale("x")
    joined = draft.concat(left, right, axis=3)
    graph = draft.graph(joined, left, right)
    wide = QuantParams((9.0,))
    same = {left: OWN, right: OWN, joined: wide}
    assert shared(graph, same)[joined] == OWN
    assert shared(graph, same, {joined})[joined] == wide
    assert shared(graph, {**same, right: wide})[joined] == wide
    assert shared(graph, {left: OWN, joined: wide})[joined] == wide


@pytest.mark.parametrize(
    ("value", "ends"), [(0.5, (-1.0, 2.0)), (-3.0, (-3.0, 2.0)), (7.0, (-1.0, 7.0))]
)
def test_what_a_pad_adds_is_in_the_range(value: float, ends: tuple[float, float]) -> None:
    draft = Draft(1, 2, 2, 2)
    first = draft.rescale("x")
    padded = draft.node("Pad", first, attrs=PadAttrs((0, 1, 0, 0), (0, 0, 0, 0), value))
    graph = draft.graph(padded)
    found = with_pad_values(graph, {first: Spread(-1.0, 2.0, np.zeros(2))})
    assert (found[first].low, found[first].high) == ends
    assert with_pad_values(graph, {}) == {}
