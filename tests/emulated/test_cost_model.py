"""The boards' cost tables against counted instructions of whole networks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from branching import branching
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute, open_store
from deployer.restructure.board_cost import counted_model, model_of
from deployer.restructure.cost import graph_cost_of
from deployer.tools.zoo.build import draw, save
from emulated.targets import BOARDS, TWIN_OF_GAP8

BOARD = "nucleo-f767zi"
# bounds are shares of the counted instructions; columns are made in threes, which pieces of few
# pixels fill up and the table does not know
CASES: dict[str, tuple[str, tuple[int, int], dict[str, Any], set[str], float]] = {
    "patches": ("mobilenetv2", (48, 48), {"restructure": "alg3"}, {"patch"}, 0.10),
    "rows": ("upydnet", (32, 32), {"optimize": "ram"}, {"stream"}, 0.02),
}


@pytest.mark.parametrize("case", CASES)
def test_a_network_costs_what_the_model_says(
    case: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    for program in BOARDS[BOARD][1]:
        tool(program)
    name, resolution, given, modes, bound = CASES[case]
    model = tmp_path / "net.onnx"
    save(draw(name, width=0.35 if name == "mobilenetv2" else 1.0, resolution=resolution), model)
    options = Options(golden_samples=1, equalize="off", bias_correction="off", **given)
    job = make_job(model, BOARD, options=options, output=tmp_path)
    store = execute(job)
    report = run_job(job, store)
    graph = store.get("schedule").graph
    assert modes <= {region.mode for region in graph.regions}
    assert job.board.cost is not None
    counted = sum(layer["count"] for layer in report["layers"])
    in_instructions = replace(job.board.cost, cpi=1.0, pipeline="")
    expected = graph_cost_of(graph, counted_model(in_instructions, job.board.kernels, 1))
    assert expected == pytest.approx(counted, rel=bound)
    cost = report["restructured"]["cost"]
    assert (cost["kind"], cost["unit"], cost["board"]) == ("estimated", "cycles", BOARD)
    cycles = graph_cost_of(graph, model_of(job.board))
    assert cost["before"] + cost["added"] == pytest.approx(cycles, abs=2)


def test_shares_of_eight_cores_add_up(tool: Callable[[str], str], tmp_path: Path) -> None:
    """The twin of gap8 counts all cores together, so no core can have spent less than an eighth."""
    for program in TWIN_OF_GAP8[1]:
        tool(program)
    model = tmp_path / "net.onnx"
    model.write_bytes(b"the graph stands in for the imported file")
    options = Options(golden_samples=1, bias_correction="off", equalize="off", optimize="ram")
    job = make_job(model, "gap8", options=options, runner=TWIN_OF_GAP8[0], output=tmp_path)
    open_store(job).put("import", branching())
    store = execute(job, first="quantize")
    report = run_job(job, store)
    assert job.board.cost is not None
    share = sum(layer["count"] for layer in report["layers"]) / job.board.cores
    model_of_twin = counted_model(job.board.cost, job.target.kernels, job.board.cores)
    slowest = graph_cost_of(store.get("schedule").graph, model_of_twin) / job.board.cost.cpi
    assert share * 0.95 < slowest < 3 * share
