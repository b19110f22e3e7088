"""Joining all features again or appending to what was joined: both styles need the same memory."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto
from onnx_equal import check_equal

from deployer.analysis.liveness import lifetimes
from deployer.analysis.peak import live_peak
from deployer.frontend.onnx_import import import_model
from deployer.frontend.passes.chain import chain_concats
from deployer.ir.attrs import Window
from deployer.ir.graph import Graph
from deployer.ir.types import QuantParams
from deployer.ir.verify import verify
from deployer.numerics import interpret
from deployer.restructure.tables import as_int8
from deployer.tools.zoo.build import draw, save
from models import ModelBuilder
from unit.quantize.graphs import Draft

POINT = Window((1, 1))
STEADY = settings(deadline=None, derandomize=True, max_examples=60)


def dense_block(*, chained: bool, layers: int = 5) -> ModelProto:
    """A dense block; ``chained`` appends to the last Concat, else all features are listed."""
    s = ModelBuilder(7)
    joined = s.relu(s.conv(s.input(1, 3, 8, 8), (8, 3, 3, 3), pads=[1] * 4))
    features = [joined]
    for index in range(layers):
        y = s.relu(s.batch_norm(joined, 8 + 4 * index))
        y = s.conv(s.relu(s.conv(y, (8, 8 + 4 * index, 1, 1))), (4, 8, 3, 3), pads=[1] * 4)
        features.append(y)
        joined = s.node("Concat", *([joined, y] if chained else features), axis=1)
    return s.model(s.conv(joined, (4, 8 + 4 * layers, 1, 1)))


def peak(graph: Graph) -> int:
    return live_peak(lifetimes(graph)).bytes


def test_both_styles_of_a_dense_block_need_the_same(tmp_path: Path) -> None:
    listed, chained = (check_equal(dense_block(chained=c), tmp_path) for c in (False, True))
    assert peak(listed) == peak(chained)
    joins = [node for node in listed.nodes if node.op == "Concat"]
    assert [len(node.inputs) for node in joins] == [2] * 5
    assert all(b.inputs[0] == a.output for a, b in pairwise(joins))


def test_densenet_needs_what_the_paper_says(tmp_path: Path) -> None:
    """1.72 MiB, table 2.3 of paper 001; every feature kept beside the joined ones takes 2.01."""
    save(draw("densenet121"), tmp_path / "densenet121.onnx")
    graph = import_model(tmp_path / "densenet121.onnx")
    assert peak(as_int8(graph)) == 1_806_336


def late_reader(*, again: bool) -> Graph:
    """Two Concats far apart; with ``again`` their parts are read behind the second too."""
    draft = Draft(1, 8, 8, 4)
    left, right = draft.conv("x", 8, POINT), draft.conv("x", 8, POINT)
    first = draft.concat(left, right, axis=3)
    middle = draft.conv(draft.conv(first, 24, POINT), 4, POINT)
    second = draft.concat(left, right, middle, axis=3)
    end = draft.conv(second, 8, POINT)
    return draft.graph(draft.add(draft.add(end, left), right) if again else end)


def test_parts_that_live_on_are_not_kept_twice() -> None:
    kept = late_reader(again=True)
    assert chain_concats(kept) is kept
    assert peak(chain_concats(late_reader(again=False))) < peak(late_reader(again=False))


def stated(graph: Graph, scales: dict[str, float]) -> Graph:
    values = {n: replace(graph.values[n], quant=QuantParams((s,))) for n, s in scales.items()}
    return replace(graph, values={**graph.values, **values})


@pytest.mark.parametrize("same", [True, False])
def test_stated_scales_are_rounded_to_once(same: bool) -> None:
    """A model that says how its values are quantized keeps its integers."""
    graph = late_reader(again=False)
    last = [node for node in graph.nodes if node.op == "Concat"][-1]
    scales = {name: 0.1 if same else 0.1 + i for i, name in enumerate(last.inputs)}
    found = chain_concats(stated(graph, scales))
    joined = found.producer[last.output].inputs
    assert joined == (last.inputs if not same else (found.nodes[2].output, last.inputs[2]))


def test_other_axes_and_other_orders_are_left_alone() -> None:
    draft = Draft(1, 8, 8, 4)
    left, right = draft.conv("x", 8, POINT), draft.conv("x", 8, POINT)
    wide = draft.concat(left, right, axis=3)
    small = draft.conv(wide, 8, POINT)
    graph = draft.graph(
        draft.conv(draft.concat(right, left, small, axis=3), 8, POINT),
        draft.conv(draft.concat(left, right, small, axis=2), 8, POINT),
    )
    assert chain_concats(graph) is graph


@STEADY
@given(data=st.data())
def test_memory_never_grows_and_the_function_stays(data: st.DataObject) -> None:
    draft = Draft(1, 4, 4, 2, seed=3)
    names, lists = ["x"], [["x"]]
    for _ in range(data.draw(st.integers(2, 9))):
        width = data.draw(st.integers(1, 6))
        names.append(draft.conv(data.draw(st.sampled_from(names)), width, POINT))
        old = data.draw(st.sampled_from(lists))
        lists.append([*old, data.draw(st.sampled_from(names))])
        if data.draw(st.booleans()):
            names.append(draft.concat(*lists[-1], axis=3))
    ends = [n for n in names[1:] if not any(n in node.inputs for node in draft.nodes)]
    graph = draft.graph(*ends)
    found = verify(chain_concats(graph))
    assert peak(found) <= peak(graph)
    x = {"x": np.random.default_rng(0).normal(size=(1, 4, 4, 2)).astype(np.float32)}
    expected, result = interpret.run(graph, x), interpret.run(found, x)
    assert all(np.array_equal(expected[name], result[name]) for name in ends)
