"""RAM of PyD-Net at 512x256 on a Raspberry Pi, planned only: paper 001's table 3.3 takes 62 MB in
int8 and 206 MB in float32."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deployer.analysis.cost import graph_cost
from deployer.frontend.onnx_import import import_model
from deployer.restructure.cost import macs_only
from deployer.restructure.plan import Planner
from deployer.restructure.tables import as_int8
from deployer.tools.zoo.build import draw, save

Run = Callable[..., Any]
QUICK = ("--calibrate", "minmax", "--equalize", "off", "--bias-correction", "off")
MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def pydnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("zoo") / "pydnet.onnx"
    save(draw("pydnet"), path)
    return path


def planned(deployer: Run, *arguments: object) -> tuple[int, int]:
    """Bytes of the arena, and of all that lies in the board's memory, weights and code too."""
    done = deployer("check", "-b", "rpi3", "--json", *arguments)
    assert done.status == 0, done.err
    facts = json.loads(done.out)
    (memory,) = facts["memories"]
    return facts["arena"]["bytes"], memory["used"]


def test_integers_of_eight_bits_take_at_most_25_megabytes(deployer: Run, pydnet: Path) -> None:
    arena, used = planned(deployer, *QUICK, pydnet)
    assert 0 < arena < used <= 25 * MEGABYTE


def test_floats_take_at_most_100_megabytes(deployer: Run, pydnet: Path) -> None:
    arena, used = planned(deployer, "--scheme", "float", pydnet)
    assert 0 < arena < used <= 100 * MEGABYTE


def test_restructured_integers_take_at_most_6_megabytes(pydnet: Path) -> None:
    """By shapes: kernels take no scratch, and a parameter is a byte."""
    graph = as_int8(import_model(pydnet))
    found = Planner(graph, macs_only).within(MEGABYTE)
    assert found is not None
    weights = graph_cost(found.graph).weights // 4  # as_int8 leaves the floats
    assert weights >= int(graph.meta["parameters"])
    assert 0 < found.arena + weights <= 6 * MEGABYTE
