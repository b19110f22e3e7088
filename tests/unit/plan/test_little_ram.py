"""Plans of little RAM that are not slow: arena and estimated cycles of networks of MLPerf Tiny.

The bar is the project's for nucleo-f767zi. Ranges are those of noise, since neither bytes nor
cycles depend on values.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from deployer.ir.graph import Graph
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.stages import execute
from deployer.plan.regions import search_of
from deployer.tools.zoo.build import draw, save
from planned import PLAIN
from unit.plan.planner_requests import request_for

NUCLEO = "nucleo-f767zi"


@dataclass(frozen=True)
class Bar:
    """At most ``cycles`` in ``ram`` bytes; at most ``least_cycles`` in the smallest arena, which is
    of ``least`` bytes or fewer."""

    ram: int
    cycles: float
    least: int
    least_cycles: float


BARS = {
    "resnet8_cifar10": Bar(16 << 10, 10e6, 13_872, 33e6),
    "kws_dscnn": Bar(9 << 10, 3.5e6, 8_644, 6e6),
    "vww_mobilenetv1_025_96": Bar(30 << 10, 9e6, 29_956, 10e6),
}


def quantized(model: Path) -> Graph:
    with TemporaryDirectory() as folder:
        job = make_job(model, NUCLEO, options=Options(**PLAIN), output=Path(folder))
        return execute(job, last="quantize").get("quantize").graph


@pytest.mark.parametrize("name", BARS)
def test_little_ram_is_not_slow(name: str, shared_models: Path) -> None:
    bar = BARS[name]
    graph = quantized(shared_models / name / f"{name}.onnx")
    search = search_of(graph, request_for(NUCLEO))
    found, least = search.within(bar.ram), search.smallest()
    smallest = search.within(least.arena)
    assert found is not None
    assert smallest is not None
    assert found.arena <= bar.ram
    assert found.cycles <= bar.cycles
    assert smallest.arena <= bar.least
    assert smallest.cycles <= bar.least_cycles


def test_a_limit_takes_a_plan_that_cheaper_kernels_bring_below_it(tmp_path: Path) -> None:
    model = tmp_path / "resnet8.onnx"
    save(draw("resnet8"), model)
    found = search_of(quantized(model), request_for(NUCLEO)).within(16 << 10)
    assert found is not None
    assert found.arena <= 16 << 10
    assert found.cycles <= 9.9e6  # of plans that begin below the limit the fastest has 10.2e6
