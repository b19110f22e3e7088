"""The arenas of the six reference networks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.allocate.allocate import allocate
from deployer.board.load import load_board
from deployer.frontend.onnx_import import import_model
from deployer.ir.graph import Graph
from deployer.ir.types import DType
from deployer.schedule.order import schedule
from unit.ir.nets import PEAKS

MODELS = {
    "vww_mobilenetv1_025_96": 55_296,
    "resnet8_cifar10": 49_152,
    "kws_dscnn": 16_000,
    "ad_autoencoder": 768,
    "sww_ds1d": 6_656,
    "mnist_dscnn": 18_816,
}


@pytest.mark.parametrize("build", PEAKS, ids=lambda build: build.__name__)
def test_graphs_of_their_shapes_need_the_peak_and_no_more(build: Callable[[], Graph]) -> None:
    plan = allocate(schedule(build(), ["ref"]), load_board("nucleo-f767zi"))
    assert (plan.arena, plan.status) == (PEAKS[build], "optimal")
    assert plan.heights == (("dtcm", PEAKS[build]),)  # the memory without waits holds all
    assert plan.waits is not None
    assert (plan.waits.cycles, plan.waits.proven) == (0, True)


@pytest.mark.parametrize("name", MODELS)
def test_the_models_need_the_peak_and_no_more(name: str, shared_models: Path) -> None:
    graph = as_int8(import_model(shared_models / name / f"{name}.onnx"))
    steps = schedule(graph, [], choose=lambda *_: ("kernel", 0))
    plan = allocate(steps, load_board("nucleo-f767zi"))
    assert (plan.arena, plan.status) == (MODELS[name], "optimal")


def as_int8(graph: Graph) -> Graph:
    """The same tensors, a byte an element."""
    values = {
        name: value if name in graph.constants else dataclasses.replace(value, dtype=DType.S8)
        for name, value in graph.values.items()
    }
    return dataclasses.replace(graph, values=values)
