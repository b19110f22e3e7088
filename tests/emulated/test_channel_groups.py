"""Networks in groups of channels on every board: sums kept between groups, shared calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute, open_store
from emulated.targets import BOARDS
from narrowing import narrowing

CASES = [*((board, 8) for board in BOARDS), ("nucleo-f767zi", 16), ("gap8", 16)]


@pytest.mark.parametrize(("board", "bits"), CASES)
def test_every_group_is_bit_exact(
    board: str, bits: int, tool: Callable[[str], str], tmp_path: Path
) -> None:
    for program in BOARDS[board][1]:
        tool(program)
    model = tmp_path / "net.onnx"
    model.write_bytes(b"the graph stands in for the imported file")
    options = Options(golden_samples=2, bits=bits, optimize="ram")
    job = make_job(model, board, options=options, output=tmp_path)
    open_store(job).put("import", narrowing())
    report = run_job(job, execute(job, first="quantize"))
    assert report["golden"]["match"], report["golden"]
    assert all(layer["match"] for layer in report["layers"])
    regions = report["restructured"]["regions"]
    assert [region["mode"] for region in regions] == ["channels"] * 3
    assert all("channel groups" in region["title"] for region in regions)
    assert report["restructured"]["added_macs"] == 0
    found = report["restructured"]
    assert 2 * found["arena"] < found["arena_before"]
