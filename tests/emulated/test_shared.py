"""Values in each other's bytes on every board: views of a Concat, in place, overlapping."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute, open_store
from emulated.targets import BOARDS
from unit.quantize.graphs import Draft

SAME = Window((3, 3), pads=Pads(1, 1, 1, 1))


def views() -> Graph:
    """Branches that join, and join again: nothing is left to copy."""
    draft = Draft(1, 12, 10, 3, seed=1)
    first = draft.conv("x", 6, SAME)
    joined = draft.concat(draft.conv(first, 5, SAME), draft.average(first, SAME), axis=3)
    wide = draft.concat(draft.conv(joined, 3, SAME), draft.depthwise(joined, SAME), axis=3)
    return draft.graph(draft.dense(draft.reshape(draft.average(wide, Window((12, 10))), 1, 14), 5))


def in_place() -> Graph:
    """A residual addition and functions of one variable, where most bytes are alive."""
    draft = Draft(1, 12, 10, 3, seed=2)
    stem = draft.conv("x", 12, SAME)
    swish = draft.table(stem, "hard_swish")
    joined = draft.add(swish, draft.table(draft.conv(swish, 12, SAME), "hard_swish"))
    return draft.graph(draft.conv(joined, 2, Window((12, 10))))


def overlapping() -> Graph:
    """Convolutions, a depthwise one and a pool of one size: no two fit beside each other."""
    draft = Draft(1, 16, 12, 8, seed=3)
    deep = draft.depthwise(draft.conv("x", 8, SAME), SAME)
    small = draft.largest(draft.conv(deep, 8, SAME), Window((2, 2), (2, 2)))
    return draft.graph(draft.conv(small, 3, Window((8, 6))))


# network, what it shares, and whether kernels on several cores without tiles allow that
CASES: dict[str, tuple[Callable[[], Graph], str, bool]] = {
    "views": (views, "views", True),
    "in place": (in_place, "in_place", True),
    "overlapping": (overlapping, "overlaps", False),
}


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("case", CASES)
def test_shared_bytes_are_bit_exact(
    case: str, board: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    for program in BOARDS[board][1]:
        tool(program)
    net, kind, parallel = CASES[case]
    model = tmp_path / "net.onnx"
    model.write_bytes(b"the graph stands in for the imported file")
    options = Options(
        golden_samples=2,
        bias_correction="off",
        equalize="off",
        restructure="off",
        optimize="ram",  # kernels that take the least scratch
    )
    job = make_job(model, board, options=options, output=tmp_path)
    open_store(job).put("import", net())
    store = execute(job, first="quantize")
    report = run_job(job, store)
    assert report["golden"]["match"], report["golden"]
    assert all(layer["match"] for layer in report["layers"])
    if parallel or job.board.cores == 1 or any(step.tiling for step in store.get("tile").steps):
        kinds = (kind, "in_place") if kind == "overlaps" else (kind,)  # tiles: at a distance of 0
        assert sum(report["shared"][each] for each in kinds) > 0
        assert report["shared"]["arena"] <= report["shared"]["arena_before"]
    else:
        assert report["shared"] is None
    if kind == "views":
        assert [layer["kernel"] for layer in report["layers"]].count("") == 2
