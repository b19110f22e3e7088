"""Artifacts on disk: what is read is what was written, and the same bytes every time."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.allocate.allocate import solve
from deployer.allocate.problem import Problem
from deployer.errors import UsageError
from deployer.ir import serde
from deployer.ir.attrs import Clamp, SliceAttrs
from deployer.ir.graph import Graph
from deployer.ir.plan import Schedule, StepTiles, TilePlan
from deployer.ir.prefetch import PrefetchPlan
from deployer.ir.types import QuantParams
from deployer.schedule.order import schedule
from unit.ir.nets import Net, mnist
from unit.ir.strategies import STEADY, graphs, problems


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def files(folder: Path, artifact: Any) -> list[bytes]:
    """What save leaves on disk."""
    for old in folder.iterdir():
        old.unlink()
    serde.save(artifact, folder / "artifact.json")
    return [path.read_bytes() for path in sorted(folder.iterdir())]


def same_graph(left: Graph, right: Graph) -> None:
    for field in dataclasses.fields(Graph):
        if field.name != "constants":
            assert getattr(left, field.name) == getattr(right, field.name)
    assert list(left.constants) == list(right.constants)
    for name, array in left.constants.items():
        assert right.constants[name].dtype == array.dtype
        np.testing.assert_array_equal(right.constants[name], array, strict=True)


@STEADY
@given(graphs())
def test_a_graph_comes_back_and_is_written_the_same_twice(folder: Path, graph: Graph) -> None:
    first = files(folder, graph)
    again = serde.load(folder / "artifact.json")
    same_graph(graph, again)
    assert files(folder, again) == first


@STEADY
@given(graphs())
def test_a_schedule_carries_its_graph(folder: Path, graph: Graph) -> None:
    before = schedule(graph, ["ref"])
    first = files(folder, before)
    after: Schedule = serde.load(folder / "artifact.json")
    same_graph(before.graph, after.graph)
    assert (after.steps, after.peak) == (before.steps, before.peak)
    assert files(folder, after) == first


@STEADY
@given(problems())
def test_a_memory_plan_comes_back(folder: Path, problem: Problem) -> None:
    plan = solve(problem)
    first = files(folder, plan)
    assert serde.load(folder / "artifact.json") == plan
    assert files(folder, plan) == first
    assert len(first) == 1


@STEADY
@given(st.lists(st.tuples(st.text(), st.lists(st.integers(1, 99)), st.integers(1, 9))))
def test_a_tile_plan_comes_back(folder: Path, rows: list[tuple[str, list[int], int]]) -> None:
    plan = TilePlan(tuple(StepTiles(node, tuple(tile), count) for node, tile, count in rows))
    files(folder, plan)
    assert serde.load(folder / "artifact.json") == plan


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "float32"])
def test_extreme_numbers_survive(folder: Path, dtype: str) -> None:
    limits = np.finfo(dtype) if dtype == "float32" else np.iinfo(dtype)
    array = np.array([limits.min, limits.max, 0], dtype=dtype)
    graph = dataclasses.replace(mnist(), constants={"edge": array})
    files(folder, graph)
    np.testing.assert_array_equal(
        serde.load(folder / "artifact.json").constants["edge"], array, strict=True
    )


def test_a_renamed_field_keeps_its_key_in_files(folder: Path) -> None:
    attrs = SliceAttrs((0, 1), (1, 3), fetched=True)
    files(folder, attrs)
    stored = json.loads((folder / "artifact.json").read_text())["artifact"]
    assert stored == {
        "$": "SliceAttrs",
        "begin": [0, 1],
        "end": [1, 3],
        "arrive": True,
        "spilled": False,
    }
    assert serde.load(folder / "artifact.json") == attrs


def test_a_renamed_class_keeps_its_name_in_files(folder: Path) -> None:
    plan = PrefetchPlan("l3", (), 16, 0, 1)
    files(folder, plan)
    assert json.loads((folder / "artifact.json").read_text())["artifact"]["$"] == "StreamPlan"
    assert serde.load(folder / "artifact.json") == plan


@given(st.floats(allow_nan=False, allow_infinity=False, width=64), st.integers(-128, 127))
@STEADY
def test_scales_survive_bit_for_bit(folder: Path, scale: float, zero: int) -> None:
    net = Net("scale")
    graph = net.graph(net.input(1, 2))
    quant = QuantParams((scale, scale / 3), zero, axis=0)
    values = {"in0": dataclasses.replace(graph.values["in0"], quant=quant)}
    files(folder, dataclasses.replace(graph, values=values))
    assert serde.load(folder / "artifact.json").values["in0"].q == quant


def test_an_absent_bound_stays_absent(folder: Path) -> None:
    graph = mnist()
    files(folder, graph)
    clamp = serde.load(folder / "artifact.json").nodes[0].attrs.clamp
    assert clamp == Clamp(0, None)
    assert clamp.high is None


def test_alike_names_keep_their_own_arrays(folder: Path) -> None:
    names = ["w", "w.", ".w", "w.npy", "a/b", "a.b"]
    arrays = {name: np.array([i], dtype=np.int32) for i, name in enumerate(names)}
    serde.save(arrays, folder / "a.json")
    assert {k: v.tolist() for k, v in serde.load(folder / "a.json").items()} == {
        name: [i] for i, name in enumerate(names)
    }


def test_an_array_without_axes_keeps_its_shape(folder: Path) -> None:
    serde.save({"x": np.array(3, dtype=np.int32)}, folder / "a.json")
    assert serde.load(folder / "a.json")["x"].shape == ()


def test_non_contiguous_arrays_are_written_in_c_order(folder: Path) -> None:
    array = np.arange(12, dtype=np.int32).reshape(3, 4).T
    files(folder, dataclasses.replace(mnist(), constants={"t": array}))
    np.testing.assert_array_equal(serde.load(folder / "artifact.json").constants["t"], array)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"schema": 1}',
        '{"schema": 1, "artifact": {"$": "NoSuchClass"}}',
        '{"schema": 1, "artifact": {"$": "StepTiles", "colour": 3}}',
        '{"schema": 99, "artifact": null}',
        '{"schema": 1, "artifact": {"$enum": "DType", "value": "int7"}}',
    ],
)
def test_what_is_no_artifact_is_a_usage_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "artifact.json"
    path.write_text(text)
    with pytest.raises(UsageError):
        serde.load(path)


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no artifact"):
        serde.load(tmp_path / "none.json")


def test_missing_arrays_are_a_usage_error(tmp_path: Path) -> None:
    serde.save(mnist(), tmp_path / "graph.json")
    (tmp_path / "graph.npz").unlink()
    with pytest.raises(UsageError, match=r"graph\.npz"):
        serde.load(tmp_path / "graph.json")


def test_cut_arrays_are_a_usage_error(tmp_path: Path) -> None:
    serde.save(mnist(), tmp_path / "graph.json")
    whole = (tmp_path / "graph.npz").read_bytes()
    (tmp_path / "graph.npz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UsageError, match="not a readable artifact"):
        serde.load(tmp_path / "graph.json")
