"""Networks on a GAP8 with less of L2, in its simulator."""

from __future__ import annotations

from pathlib import Path

from deployer.ir.graph import Graph
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute, open_store
from deployer.pipeline.store import Store
from deployer.resources import data_root


def exact_with(kib: int, net: Graph, folder: Path) -> Store:
    """After a run with ``kib`` KiB of L2 in ``folder`` whose layers are all golden."""
    model = folder / "net.onnx"
    model.write_bytes(b"the graph stands in for the imported file")
    job = make_job(
        model,
        "small",
        runner="gap8_sim",
        options=Options(golden_samples=2, bias_correction="off", equalize="off"),
        output=folder,
        board_dir=_board(folder, kib),
    )
    open_store(job).put("import", net)
    store = execute(job, first="quantize")
    report = run_job(job, store)
    assert report["golden"]["match"], report["golden"]
    assert all(layer["match"] for layer in report["layers"])
    return store


def _board(folder: Path, kib: int) -> Path:
    text = (data_root() / "boards" / "gap8.toml").read_text()
    small = text.replace('"gap8"', '"small"', 1).replace('"512KiB"', f'"{kib}KiB"', 1)
    assert f'"{kib}KiB"' in small
    (folder / "small.toml").write_text(small)
    return folder
