"""The operators of edge networks on every board, from float graphs by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute, open_store
from emulated.targets import BOARDS
from unit.quantize.edge_graphs import EDGE_GRAPHS


@pytest.mark.parametrize("scheme", ["multiply-shift", "power-of-two"])
@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("name", EDGE_GRAPHS)
def test_every_layer_is_bit_exact(
    name: str, board: str, scheme: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    for program in BOARDS[board][1]:
        tool(program)
    model = tmp_path / f"{name}.onnx"
    model.write_bytes(b"the graph below stands in for the imported file")
    options = Options(scheme=scheme, golden_samples=2, bias_correction="off", equalize="off")
    job = make_job(model, board, options=options, output=tmp_path)
    open_store(job).put("import", EDGE_GRAPHS[name]())
    report = run_job(job, execute(job, first="quantize"))
    assert report["golden"]["match"], report["golden"]
    assert all(layer["match"] for layer in report["layers"])
