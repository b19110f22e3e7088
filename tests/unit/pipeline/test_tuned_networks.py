"""What a fine-tuning hands over: read back as it was written, and refused for another model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest

from deployer.errors import UsageError
from deployer.frontend.onnx_import import import_model
from deployer.ir import serde
from deployer.ir.graph import Graph
from deployer.pipeline.options import Options
from deployer.pipeline.tuned import (
    NAME,
    TEACHER,
    digest,
    load_tuned,
    reference_for,
    save_tuned,
    settled_options,
    tuned_for,
)
from models import conv_net

OPTIONS = Options(
    scheme="power-of-two",
    requant="q16",
    softmax="device",
    input_shapes=(("a=b", (1, 3)), ("c", (2,))),
)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    path = tmp_path_factory.mktemp("net") / "net.onnx"
    onnx.save(conv_net(), path)
    return import_model(path)


@pytest.fixture
def folder(graph: Graph, tmp_path: Path) -> Path:
    save_tuned(graph, tmp_path, options=OPTIONS, teacher=graph)
    return tmp_path


def renamed(graph: Graph) -> Graph:
    first, *rest = graph.nodes
    return replace(graph, nodes=(replace(first, name="another"), *rest))


def test_a_tuned_network_is_read_back_with_the_options_it_holds_for(
    graph: Graph, folder: Path
) -> None:
    assert sorted(path.name for path in folder.iterdir()) == [
        "teacher.json", "teacher.npz", "tuned.json", "tuned.npz",
    ]  # fmt: skip
    for found in (load_tuned(folder), load_tuned(folder / NAME), tuned_for(graph, folder)):
        assert found.nodes == graph.nodes
        for name, array in graph.constants.items():
            np.testing.assert_array_equal(found.constants[name], array)
        assert settled_options(found) == {
            "scheme": "power-of-two",
            "requant": "q16",
            "softmax": "device",
            "input_shapes": OPTIONS.input_shapes,
        }


def test_without_shapes_none_are_settled(graph: Graph, tmp_path: Path) -> None:
    save_tuned(graph, tmp_path, options=Options(), teacher=graph)
    assert settled_options(load_tuned(tmp_path))["input_shapes"] == ()


def test_a_later_training_replaces_all_of_an_earlier_one(graph: Graph, folder: Path) -> None:
    before = digest(folder)
    assert digest(folder / NAME) == before
    moved = {name: array + np.float32(1) for name, array in graph.constants.items()}
    save_tuned(replace(graph, constants=moved), folder, options=OPTIONS, teacher=graph)
    assert digest(folder) != before
    for name, array in load_tuned(folder).constants.items():
        np.testing.assert_array_equal(array, moved[name])


def test_a_folder_without_a_tuned_network_is_refused(graph: Graph, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no fine-tuned network in") as caught:
        load_tuned(tmp_path)
    assert "deployer finetune" in caught.value.hints[0]
    serde.save(graph, tmp_path / NAME)  # a graph, but nobody's training
    with pytest.raises(UsageError, match=r"tuned\.json is not a fine-tuned network"):
        load_tuned(tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda g: replace(g, meta={**g.meta, "model_sha256": "00"}), "from another model than"),
        (renamed, "another version of deployer"),
    ],
)
def test_a_network_tuned_from_something_else_is_refused(
    graph: Graph, folder: Path, change: Callable[[Graph], Graph], said: str
) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        tuned_for(change(graph), folder)
    assert caught.value.why
    assert "run deployer finetune again" in caught.value.hints[0]


def test_layers_are_compared_with_the_teacher_s(graph: Graph, folder: Path) -> None:
    evened = {name: array * np.float32(2) for name, array in graph.constants.items()}
    save_tuned(graph, folder, options=OPTIONS, teacher=replace(graph, constants=evened))
    for place in (folder, folder / NAME):
        found = reference_for(graph, place)
        assert all(np.array_equal(found.constants[n], array) for n, array in evened.items())
    (folder / TEACHER).unlink()
    assert reference_for(graph, folder) is graph


def test_a_teacher_of_other_layers_is_refused(graph: Graph, folder: Path) -> None:
    with pytest.raises(UsageError, match=rf"teacher\.json does not belong to {graph.name}"):
        reference_for(renamed(graph), folder)
