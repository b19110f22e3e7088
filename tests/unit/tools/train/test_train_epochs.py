"""What an epoch does: which samples in which order, at which rate, and what is kept on disk."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from training import imported, sloped, tune

from deployer.cli.commands.finetune import command
from deployer.quantize.samples import synthetic_samples
from deployer.tools.train.options import TrainOptions

pytestmark = pytest.mark.usefixtures("torch_installed")


def test_the_commands_defaults_are_those_of_a_training() -> None:
    context = click.Context(command)
    given = {each.name: each.get_default(context) for each in command.params}
    usual = TrainOptions()
    names = [field.name for field in fields(usual) if field.name != "augment_with"]
    assert {n: given[n] for n in names} == {n: getattr(usual, n) for n in names}
    assert given["augment_with"].split(",") == list(usual.augment_with)


def test_every_epoch_has_an_order_and_a_rate_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rate falls linearly to nothing; the last batch may be smaller."""
    from deployer.tools.train import loop

    seen: list[tuple[float, np.ndarray]] = []

    def step(
        student: Any, integer: Any, batch: Any, power: Any, optimizer: Any, device: Any
    ) -> float:
        seen.append((optimizer.param_groups[0]["lr"], batch.inputs["input"][:, 0, 0, 0]))
        return 1.0 + batch.count

    monkeypatch.setattr(loop, "_step", step)
    graph = imported(sloped(), tmp_path)
    samples = synthetic_samples(graph, count=23)
    options = {"epochs": 3, "batch": 8, "lr": 0.6, "seed": 5, "holdout": 0.13}
    tuned = tune(graph, tmp_path, samples=samples, **options)
    assert [rate for rate, _ in seen] == pytest.approx([0.6] * 3 + [0.4] * 3 + [0.2] * 3)
    assert [len(batch) for _, batch in seen] == [8, 8, 4] * 3
    apart = np.random.default_rng(5).permutation(23)
    taught = samples.arrays["input"][np.sort(apart[3:])][:, 0, 0, 0]
    quant = tuned.plain.values["input"].q
    steps = np.clip(np.rint(taught / np.float32(quant.tensor_scale)) + quant.zero_point, -128, 127)
    for epoch in (1, 2, 3):
        order = np.random.default_rng([5, epoch, 0]).permutation(20)
        found = np.concatenate([batch for _, batch in seen[3 * epoch - 3 : 3 * epoch]])
        assert found.tolist() == steps[order].tolist()
    assert [each["loss"] for each in tuned.facts["epochs"]] == [None, 8.2, 8.2, 8.2]


def test_weights_are_rounded_by_numbers_of_the_epoch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deployer.tools.train import loop

    drawn: list[float] = []
    monkeypatch.setattr(loop, "_step", lambda *given: 1.0)
    monkeypatch.setattr(loop, "_round_randomly", lambda weights, rng: drawn.append(rng.random()))
    graph = imported(sloped(), tmp_path)
    tune(graph, tmp_path, epochs=2, seed=7)
    assert drawn == [np.random.default_rng([7, epoch, 1]).random() for epoch in (1, 2)]


def test_sgd_has_a_momentum_of_nine_tenths() -> None:
    import torch

    from deployer.tools.train.loop import _optimizer

    leaf = torch.zeros(2, requires_grad=True)
    sgd = _optimizer(TrainOptions(optimizer="sgd", lr=0.25), [leaf])
    assert (sgd.defaults["momentum"], sgd.defaults["lr"]) == (0.9, 0.25)
    assert type(_optimizer(TrainOptions(lr=0.5), [leaf])) is torch.optim.Adam


def test_a_checkpoint_is_of_version_1(tmp_path: Path) -> None:
    """Those of earlier releases are gone on with."""
    import torch

    tune(imported(sloped(), tmp_path), tmp_path, epochs=1)
    body = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    assert body["version"] == 1


def test_an_output_that_never_changes_does_not_divide_by_nothing() -> None:
    from deployer.tools.train.objective import powers

    found = powers({"flat": np.ones((4, 3)), "steep": np.array([[0.0], [2.0]])})
    assert found == {"flat": 1e-20, "steep": 1.0}
