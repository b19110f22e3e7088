"""What a Concat would copy is brought to its place by steps that run in tiles."""

from __future__ import annotations

import numpy as np
import pytest

from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph
from deployer.ir.views import copied
from deployer.numerics import interpret
from deployer.plan.aliases import whole_tensor_aliases
from deployer.plan.concat_parts import LEAST_BYTES, with_parts_in_tiles
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.samples import synthetic_samples
from deployer.restructure.spilled import Spilling, with_spills
from unit.plan.planner_requests import request_for
from unit.quantize.graphs import Draft

SAME = Window((3, 3), pads=Pads(1, 1, 1, 1))
HALF = Window((2, 2), (2, 2))
GAP8 = request_for("gap8")


def skipping(side: int) -> Graph:
    """A Concat of a convolution and of what is skipped, which is spilled meanwhile."""
    draft = Draft(1, side, side, 4, seed=3)
    skipped = draft.conv("x", 8, SAME)
    up = draft.deconv(draft.conv(draft.largest(skipped, HALF), 8, SAME), 8, HALF, (side, side))
    float_graph = draft.graph(draft.conv(draft.concat(up, skipped, axis=3), 4, SAME))
    options = QuantOptions(equalize="off", bias_correction="off")
    graph = quantize(float_graph, synthetic_samples(float_graph, seed=0), options).graph
    return with_spills(graph, Spilling({graph.nodes[0].output}, {}))


def outputs(graph: Graph) -> np.ndarray:
    rng = np.random.default_rng(2)
    given = {"x": rng.integers(-128, 128, graph.values["x"].shape, dtype=np.int8)}
    return interpret.run(graph, given)[graph.outputs[0]]


def test_a_concat_of_what_was_fetched_copies_nothing_itself() -> None:
    graph = skipping(24)
    before = whole_tensor_aliases(graph, GAP8).graph
    (concat,) = (node for node in before.nodes if node.op == "Concat")
    fetched = [i for i, name in enumerate(concat.inputs) if before.producer[name].op == "Slice"]
    assert fetched
    assert set(fetched) <= set(copied(before, concat))
    found = with_parts_in_tiles(graph, GAP8)
    after = whole_tensor_aliases(found, GAP8).graph
    (joined,) = (node for node in after.nodes if node.op == "Concat")
    assert joined.name == concat.name
    assert not copied(after, joined)
    assert [after.producer[joined.inputs[i]].op for i in fetched] == ["Rescale"] * len(fetched)
    assert (outputs(found) == outputs(graph)).all()
    assert len(set(outputs(graph).ravel().tolist())) > 8


def test_what_is_small_is_copied() -> None:
    graph = skipping(8)
    assert graph.values[graph.nodes[0].output].bytes < LEAST_BYTES
    assert with_parts_in_tiles(graph, GAP8) is graph


@pytest.mark.parametrize("board", ["nucleo-f767zi", "rpi3"])
def test_boards_without_tiles_copy(board: str) -> None:
    graph = skipping(24)
    assert with_parts_in_tiles(graph, request_for(board)) is graph
