"""Artifacts of the stages are sound; what no stage makes is told, never raised."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deployer.errors import UsageError
from deployer.ir import serde
from deployer.ir.plan import Buffer, MemoryPlan, Placement, Schedule, StepTiles, TilePlan
from deployer.ir.sound import faults_of
from deployer.ir.stored import load_sound
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.stages import execute
from models import all_nets

NETS = all_nets()


def made(folder: Path, name: str, board: str, **options: Any) -> dict[str, Any]:
    """Every artifact of a network."""
    import onnx

    path = folder / f"{name}.onnx"
    onnx.save(NETS[name], path)
    job = make_job(path, board, options=Options(**options), output=folder)
    store = execute(job, last="tile")
    stages = ("import", "restructure", "schedule", "allocate", "tile")
    return {stage: store.get(stage) for stage in stages}


@pytest.mark.parametrize(
    ("name", "board"), [("pools_net", "host"), ("depthwise_net", "gap8"), ("image_net", "gap8")]
)
def test_what_the_stages_make_is_sound(tmp_path: Path, name: str, board: str) -> None:
    for stage, artifact in made(tmp_path, name, board).items():
        assert faults_of(artifact) == [], stage


def test_int16_is_sound_too(tmp_path: Path) -> None:
    for stage, artifact in made(tmp_path, sorted(NETS)[0], "host", bits=16).items():
        assert faults_of(artifact) == [], stage


@pytest.fixture(scope="module")
def schedule(tmp_path_factory: pytest.TempPathFactory) -> Schedule:
    artifacts = made(tmp_path_factory.mktemp("sound"), sorted(NETS)[0], "host")
    found: Schedule = artifacts["schedule"]
    return found


def test_a_table_of_too_few_entries_is_told(schedule: Schedule) -> None:
    """A kernel would read behind it."""
    graph = schedule.graph
    node = next(n for n in graph.nodes if n.requant and n.op == "Conv2d")
    for name in (node.rq.multiplier, node.inputs[2]):
        values = {**graph.values, name: replace(graph.values[name], shape=(2,))}
        constants = {**graph.constants, name: graph.constants[name][:2]}
        broken = replace(graph, values=values, constants=constants)
        assert any(node.name in fault for fault in faults_of(replace(schedule, graph=broken)))


def test_weights_of_another_window_are_told(schedule: Schedule) -> None:
    graph = schedule.graph
    node = next(n for n in graph.nodes if n.op == "Conv2d")
    name = node.inputs[1]
    weights = graph.constants[name][:, :1]
    values = {**graph.values, name: replace(graph.values[name], shape=weights.shape)}
    broken = replace(graph, values=values, constants={**graph.constants, name: weights})
    assert any("weights" in fault for fault in faults_of(broken))


def test_a_scale_of_nothing_is_told(schedule: Schedule) -> None:
    graph = schedule.graph
    name = graph.inputs[0]
    value = graph.values[name]
    for scale in ((0.0,), (-1.0,), (), (1.0, 2.0), (float("inf"),)):
        values = {**graph.values, name: replace(value, quant=replace(value.q, scale=scale))}
        assert faults_of(replace(graph, values=values))


def test_endless_plans_are_told() -> None:
    buffer = Buffer("a", 0, 1 << 40, 8)
    plan = MemoryPlan((Placement(buffer, "ram", 0),), (("ram", 8),), 8, "optimal", "greedy")
    assert faults_of(plan)
    assert faults_of(TilePlan((StepTiles("a", (1, 2), 1 << 40),)))
    assert faults_of(TilePlan((StepTiles("a", (), 1),)))


_ODD = st.sampled_from([None, True, "x", -1, 0, 1 << 40, 0.5, [], {}, [1], {"$": "Graph"}])


@pytest.fixture(scope="module")
def saved(schedule: Schedule, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "schedule.json"
    serde.save(schedule, path)
    return path


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_any_value_anywhere_is_read_or_refused(saved: Path, data: st.DataObject) -> None:
    """Never another error than UsageError, whatever a value becomes."""
    body = json.loads(saved.read_text())
    holder: Any = body
    for _ in range(data.draw(st.integers(1, 12))):
        keys = range(len(holder)) if isinstance(holder, list) else sorted(holder)
        key = data.draw(st.sampled_from(keys))
        if not isinstance(holder[key], list | dict) or not holder[key]:
            break
        parent, holder = holder, holder[key]
    else:
        holder = parent
    if isinstance(holder, list | dict) and key in (
        range(len(holder)) if isinstance(holder, list) else holder
    ):
        holder[key] = copy.deepcopy(data.draw(_ODD))
    path = saved.with_name("edited.json")
    path.write_text(json.dumps(body))
    path.with_suffix(".npz").write_bytes(saved.with_suffix(".npz").read_bytes())
    with suppress(UsageError):
        load_sound(path)


def test_arrays_are_those_of_the_graph(saved: Path, tmp_path: Path) -> None:
    arrays = dict(np.load(saved.with_suffix(".npz")))
    key = next(key for key in arrays if arrays[key].ndim == 4)
    (tmp_path / "schedule.json").write_text(saved.read_text())
    np.savez(tmp_path / "schedule.npz", **{**arrays, key: arrays[key][:1]})
    with pytest.raises(UsageError, match="constant"):
        load_sound(tmp_path / "schedule.json")
