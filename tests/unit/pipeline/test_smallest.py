"""The smallest memory that is told is one in which the network is planned."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deployer.errors import UsageError
from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph
from deployer.pipeline.options import Job, Options, make_job
from deployer.pipeline.restructured import restructured
from deployer.pipeline.smallest import STEP, smallest_arena
from deployer.pipeline.streamed import scheduled_to_fit
from deployer.pipeline.verdict import judge
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.samples import synthetic_samples
from unit.quantize.graphs import Draft

SAME = Window((3, 3), pads=Pads(1, 1, 1, 1))


@pytest.fixture(scope="module")
def graph() -> Graph:
    """Some 25 KB alive in one dense step, 48 KB of weights."""
    draft = Draft(1, 1, 1, 12_000, seed=3)
    found = draft.graph(draft.dense(draft.reshape(draft.table("x", "sigmoid"), 1, 12_000), 4))
    options = QuantOptions(equalize="off", bias_correction="off")
    return quantize(found, synthetic_samples(found, seed=0), options).graph


def _job(folder: Path, board: str, size: int | None = None) -> Job:
    model = folder / "net.onnx"
    model.write_bytes(b"the graph stands in for the imported file")
    job = make_job(model, board, options=Options(), output=folder)
    if size is None:
        return job
    l2, *others = job.board.memories
    small = replace(job.board, memories=(replace(l2, size=size), *others))
    return replace(job, board=small, target=small)


def _fits(job: Job, graph: Graph) -> bool:
    found = scheduled_to_fit(job, restructured(job, graph))
    return judge(found, job.board).refusal is None


def test_it_is_planned_with_that_size_and_not_with_a_step_less(
    graph: Graph, tmp_path: Path
) -> None:
    size = smallest_arena(_job(tmp_path, "gap8"), graph)
    assert size is not None
    assert size % STEP == 0
    assert size < 512 << 10
    assert _fits(_job(tmp_path, "gap8", size), graph)
    assert not _fits(_job(tmp_path, "gap8", size - STEP), graph)


def test_larger_ones_than_the_board_has_are_tried(graph: Graph, tmp_path: Path) -> None:
    size = smallest_arena(_job(tmp_path, "gap8"), graph)
    assert size is not None
    low = size // 2 // STEP * STEP
    assert not _fits(_job(tmp_path, "gap8", low), graph)
    assert smallest_arena(_job(tmp_path, "gap8", low), graph) == size
    assert smallest_arena(_job(tmp_path, "gap8", STEP), graph) is None


def test_an_arena_in_several_memories_has_no_smallest_one(graph: Graph, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="may lie in"):
        smallest_arena(_job(tmp_path, "nucleo-f767zi"), graph)
