"""Choices of a training that the defaults do not make, and the bounds of each."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path
from typing import Any

import pytest
from training import imported, tune, two_headed

from deployer.errors import UsageError
from deployer.ir.attrs import PointAttrs
from deployer.ir.graph import Node
from deployer.ir.types import QuantParams
from deployer.tools.train.finetune import finetune
from deployer.tools.train.options import TrainOptions, check_options, held_out

pytestmark = pytest.mark.usefixtures("torch_installed")

GOOD: list[dict[str, Any]] = [
    {"epochs": 1}, {"batch": 1}, {"lr": 1e-9}, {"lr": 30.0}, {"holdout": 0.001},
    {"holdout": 0.999}, {"seed": 0}, {"optimizer": "sgd"}, {"rounding": "nearest"},
    {"device": "cpu"}, {"augment": 0}, {"augment": 1}, {"augment_with": ("mix",)},
]  # fmt: skip
BAD: list[tuple[dict[str, Any], str]] = [
    ({"epochs": 0}, "epochs 0, batch 16: both are at least 1"),
    ({"batch": 0}, "epochs 20, batch 0: both are at least 1"),
    ({"lr": 0}, "lr 0: more than 0 steps"),
    ({"lr": float("inf")}, "lr inf: more than 0 steps"),
    ({"lr": float("nan")}, "lr nan: more than 0 steps"),
    ({"holdout": 0}, "holdout 0: a share between 0 and 1"),
    ({"holdout": 1}, "holdout 1: a share between 0 and 1"),
    ({"seed": -1}, "seed -1: not negative"),
    ({"optimizer": "lamb"}, "optimizer 'lamb': one of adam, sgd"),
    ({"rounding": "up"}, "rounding 'up': one of stochastic, nearest"),
    ({"device": "tpu"}, "device 'tpu': one of auto, cpu, cuda"),
    ({"augment": -1}, "augment -1: a number of samples"),
    ({"augment_with": ()}, "augment with nothing: any of flip"),
    ({"augment_with": ("flip", "spin")}, "augment with spin: any of flip"),
]


@pytest.mark.parametrize("options", GOOD)
def test_choices_within_their_bounds_are_taken(options: dict[str, Any]) -> None:
    check_options(TrainOptions(**options), 2)


@pytest.mark.parametrize(("options", "said"), BAD)
def test_choices_out_of_them_are_refused_one_by_one(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_options(TrainOptions(**options), 2)
    (why,) = caught.value.why
    assert why.startswith(said)


@pytest.mark.parametrize(
    ("holdout", "samples", "expected"), [(0.9, 2, 1), (0.9, 10, 9), (0.99, 10, 9), (0.01, 10, 1)]
)
def test_some_samples_are_held_out_and_some_are_left(
    holdout: float, samples: int, expected: int
) -> None:
    assert held_out(TrainOptions(holdout=holdout), samples) == expected


@pytest.mark.parametrize(
    ("name", "there", "device"),
    [("auto", True, "cuda"), ("auto", False, "cpu"), ("cpu", True, "cpu"), ("cuda", True, "cuda")],
)
def test_the_device_is_the_one_asked_for_or_the_best_there_is(
    name: str, there: bool, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    from deployer.tools.train.loop import chosen_device

    monkeypatch.setattr(torch.cuda, "is_available", lambda: there)
    assert chosen_device(name).type == device


def test_a_device_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from deployer.tools.train.loop import chosen_device

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UsageError, match="no CUDA device"):
        chosen_device("cuda")


def test_a_layer_without_weights_or_multipliers_says_its_name() -> None:
    from deployer.tools.train.layer import Layer

    node = Node("sum", "Add", ("a", "b"), ("c",), PointAttrs())
    bare = Layer(node, (), QuantParams((1.0,), 0), None)
    with pytest.raises(ValueError, match="sum has no requantization"):
        _ = bare.tables
    with pytest.raises(ValueError, match="sum has no weights"):
        _ = bare.weights


def test_a_training_is_begun_anew_unless_told_otherwise() -> None:
    assert inspect.signature(finetune).parameters["resume"].default is False


@pytest.mark.parametrize(
    ("row", "kind"),
    [([65_793], "float32"), ([65_794], "float64"), ([-65_794], "float64"), ([1] * 9, "float32")],
)
def test_sums_beyond_float32_are_computed_in_float64(row: list[int], kind: str) -> None:
    """255 times the weights of an output, of which float32 holds 2^24."""
    import torch

    from deployer.tools.train.products import _in_exact_type

    weights = torch.tensor([[0] * len(row), row], dtype=torch.float32)
    x, found, bound = _in_exact_type(torch.ones(1, len(row)), weights)
    assert found.dtype is x.dtype is getattr(torch, kind)
    assert bound == 255 * sum(map(abs, row))


def test_training_without_pytorch_names_what_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    graph = imported(two_headed(), tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="PyTorch, which is not installed") as found:
        tune(graph, tmp_path)
    assert "torch" in found.value.hints[0]
