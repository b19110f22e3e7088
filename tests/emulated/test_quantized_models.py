"""Quantized models on the emulated Cortex-M7: the integers of the file, down to -128, bit-exact."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute
from emulated.targets import BOARDS
from qdq import brevitas_net, save, small_conv_net

LAYERS = ("Conv2d", "DepthwiseConv2d", "FullyConnected")
NETS = {
    "multiply-shift": small_conv_net,
    "power-of-two": lambda: brevitas_net(lambda n: 2.0**-n),
}


@pytest.mark.parametrize("scheme", NETS)
def test_a_quantized_model_is_bit_exact(
    scheme: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    for program in BOARDS["nucleo-f767zi"][1]:
        tool(program)
    model = save(NETS[scheme](), tmp_path)
    said: list[str] = []
    job = make_job(
        model, "nucleo-f767zi", options=Options(scheme=scheme), output=tmp_path, notice=said.append
    )
    store = execute(job)
    graph = store.get("quantize").graph
    weights = [graph.constants[n.inputs[1]] for n in graph.nodes if n.op in LAYERS]
    assert min(int(array.min()) for array in weights) == -128
    report = run_job(job, store)
    assert report["golden"]["match"]
    assert all(layer["match"] for layer in report["layers"])
    assert not any("synthetic" in line for line in said)
