"""The harness's copy of the input where its usual memory has no room for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute
from deployer.resources import data_root
from deployer.tools.zoo.build import draw, save
from emulated.targets import BOARDS

IMAGE = 3 * 96 * 96


@pytest.mark.parametrize("by_rows", [False, True], ids=["resident", "by rows"])
def test_a_board_of_little_data_memory_runs_it(
    by_rows: bool, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """16 KiB beside the SRAM, half of it stack: 27,648 B of input go elsewhere."""
    for program in BOARDS["nucleo-f767zi"][1]:
        tool(program)
    for name in ("nucleo-f767zi", "qemu-mps2-an500"):
        text = (data_root() / "boards" / f"{name}.toml").read_text()
        assert '"128KiB"' in text
        (tmp_path / f"{name}.toml").write_text(text.replace('"128KiB"', '"16KiB"'))
    model = tmp_path / "net.onnx"
    save(draw("mobilenetv1", width=0.25, resolution=(96, 96), classes=4), model)
    options = Options(golden_samples=2, equalize="off", bias_correction="off", stream_input=by_rows)
    job = make_job(model, "nucleo-f767zi", options=options, output=tmp_path, board_dir=tmp_path)
    report = run_job(job, execute(job))
    memory = report["memory"]
    assert report["golden"]["match"], report["golden"]
    assert (memory["input_copy"], memory["input_copy_in"]) == (IMAGE, "sram")
    assert memory["ram_network"] == memory["arena"] + memory["stack"]
    assert memory["ram"] == memory["ram_network"] + memory["static"] + IMAGE
    assert memory["static"] < 4096
