"""Values in the outer memory and layers in parts of their rows: the same integers in less."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.analysis.liveness import lifetimes
from deployer.ir.attrs import ConvTransposeAttrs, Pads, ResizeAttrs, Window
from deployer.ir.graph import Graph, Node
from deployer.ir.verify import InvariantError, verify
from deployer.numerics import interpret
from deployer.numerics.tiled import run_tiled
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.samples import synthetic_samples
from deployer.restructure.part_bytes import PartBytes, members, rows_computed
from deployer.restructure.row_parts import has_parts, has_row_parts, has_rows, row_parts, rows_read
from deployer.restructure.spilled import Spilling, may_be_spilled, with_spills
from unit.quantize.graphs import Draft

SAME = Window((3, 3), pads=Pads(1, 1, 1, 1))
HALF = Window((2, 2), (2, 2))
WIDE = Window((4, 4), (2, 2), pads=Pads(1, 1, 1, 1))
NONE = frozenset[str]()


def hourglass() -> Graph:
    """A small U-Net: two scales, what is skipped joined by a Concat and by an Add."""
    draft = Draft(1, 22, 12, 3, seed=5)
    skipped = draft.conv(draft.conv("x", 8, SAME), 8, SAME)
    small = draft.conv(draft.largest(skipped, HALF), 12, SAME)
    smaller = draft.average(draft.table(small, "hard_swish"), SAME)
    up = draft.deconv(smaller, 8, WIDE, (22, 12))
    both = draft.concat(skipped, up, axis=3)
    last = draft.conv(draft.depthwise(both, SAME), 8, SAME)
    taller = draft.node("Resize", draft.add(last, skipped), attrs=ResizeAttrs((2, 1)))
    return draft.graph(draft.conv(taller, 4, SAME))


@pytest.fixture(scope="module")
def graph() -> Graph:
    found = hourglass()
    options = QuantOptions(equalize="off", bias_correction="off")
    return quantize(found, synthetic_samples(found, seed=0), options).graph


def same(graph: Graph, found: Graph) -> None:
    """On the reference, and in buffers that hold poison while no value in them lives."""
    rng = np.random.default_rng(1)
    inputs = {"x": rng.integers(-128, 128, graph.values["x"].shape, dtype=np.int8)}
    plain = interpret.run(graph, inputs)
    for outputs in (interpret.run(found, inputs), run_tiled(found, inputs)):
        for name in graph.outputs:
            assert (plain[name] == outputs[name]).all(), name


def spillable(graph: Graph) -> list[str]:
    return [name for name in ("x", *graph.producer) if may_be_spilled(graph, name)]


def dividable(graph: Graph) -> list[Node]:
    return [node for node in graph.nodes if has_parts(graph, node, 2)]


def test_every_layer_of_an_image_has_parts(graph: Graph) -> None:
    assert {node.op for node in dividable(graph)} >= {
        *("Conv2d", "DepthwiseConv2d", "ConvTranspose2d", "MaxPool", "AveragePool"),
        *("Concat", "Add", "Table", "Resize"),
    }


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_the_integers_are_the_same_whatever_is_spilled_and_divided(
    graph: Graph, data: st.DataObject
) -> None:
    spilled = data.draw(st.sets(st.sampled_from(spillable(graph))))
    counts = {
        node.name: data.draw(st.integers(1, 5))
        for node in dividable(graph)
        if data.draw(st.booleans())
    }
    counts = {
        name: count
        for name, count in counts.items()
        if count == 1 or has_parts(graph, next(n for n in graph.nodes if n.name == name), count)
    }
    same(graph, with_spills(graph, Spilling(spilled, counts)))


def test_a_spilled_value_has_no_bytes_in_the_arena(graph: Graph) -> None:
    value = next(n.output for n in graph.nodes if len(graph.consumers.get(n.output, ())) == 3)
    found = with_spills(graph, Spilling({value}, {}))
    assert found.spilled == {value}
    assert value in {buffer.id for buffer in lifetimes(graph)}
    assert value not in {buffer.id for buffer in lifetimes(found)}
    kept = next(buffer for buffer in lifetimes(found) if buffer.id == f"{value}.near")
    assert kept.upper - kept.lower <= 2


def test_a_near_reader_reads_what_is_still_there(graph: Graph) -> None:
    value = next(n.output for n in graph.nodes if len(graph.consumers.get(n.output, ())) == 3)
    first = graph.consumers[value][0].name
    found = with_spills(graph, Spilling({value}, {}, near={(value, first)}))
    reader = next(node for node in found.nodes if node.name == first)
    assert reader.inputs[0] == f"{value}.near"
    same(graph, found)


def test_parts_of_a_value_lie_one_after_the_other(graph: Graph) -> None:
    node = next(node for node in graph.nodes if node.op == "Conv2d")
    found = with_spills(graph, Spilling({node.output}, {node.name: 3}))
    joined = found.producer[node.output]
    assert joined.op == "Concat"
    assert [found.producer[part].attrs.spilled for part in joined.inputs] == [True] * 3
    assert not any(buffer.id == node.output for buffer in lifetimes(found))
    same(graph, found)


def test_an_inlined_value_exists_part_by_part(graph: Graph) -> None:
    concat = next(node for node in graph.nodes if node.op == "Concat")
    (reader,) = graph.consumers[concat.output]
    up = graph.producer[concat.inputs[1]]
    choice = Spilling(
        {concat.inputs[0], up.inputs[0]}, {reader.name: 4}, inlined={concat.output, up.output}
    )
    found = with_spills(graph, choice)
    same(graph, found)
    assert concat.output not in found.values
    assert max(v.shape[1] for n, v in found.values.items() if n.startswith(concat.output)) < 22
    inner = [node.name for node in members(graph, reader, choice.inlined)]
    assert inner == [up.name, concat.name, reader.name]
    computed = list(rows_computed(graph, reader, 4, choice.inlined))
    assert _rows_of(computed, reader) == 22
    assert _rows_of(computed, concat) == 22 + 6  # two rows more beside each of three cuts


def _rows_of(computed: list[tuple[Node, tuple[int, int]]], node: Node) -> int:
    return sum(end - begin for each, (begin, end) in computed if each is node)


def test_a_resize_makes_all_copies_of_a_row(graph: Graph) -> None:
    resize = next(node for node in graph.nodes if node.op == "Resize")
    assert has_rows(graph, resize, (2, 6))
    assert not has_rows(graph, resize, (2, 5))
    assert all(begin % 2 == 0 for begin, _ in row_parts(graph, resize, 5))


def test_more_parts_take_fewer_bytes(graph: Graph) -> None:
    node = next(node for node in graph.nodes if node.op == "Conv2d")
    out = Spilling({"x", node.output}, {})
    parts = PartBytes(graph, out, lambda name: 1000)
    found = [parts.most(node, count) for count in (2, 4, 11)]
    assert found == sorted(found, reverse=True)
    rows = (2 + 2) * 12 * 3 + 2 * 12 * 8  # of a part in the middle of eleven
    assert found[-1] == rows + 1000


def test_rows_of_a_transposed_convolution(graph: Graph) -> None:
    node = next(node for node in graph.nodes if isinstance(node.attrs, ConvTransposeAttrs))
    parts = row_parts(graph, node, 4)
    assert parts == ((0, 6), (6, 12), (12, 18), (18, 22))
    assert [dict(rows_read(graph, node, rows))[node.first] for rows in parts] == [
        *((0, 4), (2, 7), (5, 10), (8, 11)),
    ]


def test_what_another_name_reads_or_leaves_the_network_is_not_spilled(graph: Graph) -> None:
    assert not may_be_spilled(graph, graph.outputs[0])
    draft = Draft(1, 4, 4, 4, seed=1)
    first = draft.conv("x", 4, SAME)
    aliased = draft.graph(draft.dense(draft.reshape(first, 1, 64), 3))
    assert not may_be_spilled(aliased, first)
    assert not has_row_parts(aliased, aliased.nodes[-1])


def test_a_spilled_value_is_fetched_by_rows_or_not_at_all(graph: Graph) -> None:
    node = next(node for node in graph.nodes if node.op == "Conv2d")
    found = with_spills(graph, Spilling({node.output}, {}))
    fetch = next(n for n in found.nodes if n.inputs[0] == node.output)
    resident = replace(fetch, attrs=replace(fetch.attrs, fetched=False))
    nodes = tuple(resident if n is fetch else n for n in found.nodes)
    with pytest.raises(InvariantError, match="arrives by rows"):
        verify(replace(found, nodes=nodes))
    first, spill = found.nodes[:2]
    with pytest.raises(InvariantError, match="nothing fetches it"):
        verify(replace(found, nodes=(first, spill), outputs=(first.output,)))
