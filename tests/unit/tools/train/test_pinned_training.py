"""Made samples and gradients, pinned as sums (tests/README.md): their values are checked elsewhere,
how much they are changed is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from deployer.tools.train.augment import CHANGES, augmented
from planned import pinned
from unit.tools.train.test_train_operators import CASES, graph_of, layer_of

pytestmark = pytest.mark.usefixtures("torch_installed")

FOLDER = Path(__file__).parent / "pinned"


def test_the_samples_made_by_every_change_are_those_pinned() -> None:
    rng = np.random.default_rng(6)
    given = {
        "image": rng.uniform(-2, 6, (4, 14, 16, 2)).astype(np.float32),
        "vector": rng.uniform(-2, 6, (4, 23)).astype(np.float32),
    }
    lines = []
    for changes in (*((change,) for change in CHANGES), CHANGES, CHANGES[:4]):
        for name, found in augmented(given, 6, changes, seed=11).items():
            lines.append(f"{'+'.join(changes)} {name}: {_sums(found[4:])}")
    pinned(FOLDER / "samples.txt", "\n".join(lines))


def test_the_gradients_of_every_operator_are_those_pinned() -> None:
    lines = [f"{name} {line}" for name in CASES for line in _gradients(name)]
    pinned(FOLDER / "gradients.txt", "\n".join(lines))


def _gradients(name: str) -> Iterator[str]:
    """Of a sum whose terms count differently, by inputs and by what is trained."""
    import torch

    from deployer.tools.train.operators import evaluate

    graph, layer = graph_of(CASES[name]), layer_of(graph_of(CASES[name]))
    rng = np.random.default_rng(9)
    shapes = [(5, *graph.values[each].shape[1:]) for each in graph.inputs]
    inputs = [torch.tensor(rng.integers(-128, 128, shape)).float() for shape in shapes]
    trained = [part for part in (layer.weight, layer.bias) if part is not None]
    for tensor in (*inputs, *trained):
        tensor.requires_grad_()
    found = evaluate(layer, inputs)
    (found * torch.linspace(-1, 3, found.numel()).reshape(found.shape)).sum().backward()
    for index, tensor in enumerate((*inputs, *trained)):
        yield f"{index}: {_sums(tensor.grad.numpy())}"


def _sums(array: np.ndarray) -> str:
    """Of what is above 0 and below, and of all magnitudes times their places."""
    flat = array.reshape(-1).astype(np.float64)
    each = (
        np.maximum(flat, 0).sum(),
        np.maximum(-flat, 0).sum(),
        np.abs(flat) @ np.arange(len(flat)),
    )
    return " ".join(f"{float(number):.5e}" for number in each)
