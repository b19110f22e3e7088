"""Training: nearer to the teacher, the same after an interruption, exact in the pipeline."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from training import POWER_OF_TWO, UNEQUALIZED, imported, sloped, tune, two_headed

from deployer.errors import UsageError
from deployer.frontend.onnx_import import import_model
from deployer.ir.graph import Graph
from deployer.numerics.interpret import run
from deployer.quantize.quantize import SCHEMES, QuantOptions, quantize
from deployer.quantize.samples import load_samples, synthetic_samples
from deployer.tools.train.options import TrainOptions, check_options, held_out
from models import conv_net, residual_net

pytestmark = pytest.mark.usefixtures("torch_installed")


@pytest.fixture
def net(tmp_path: Path) -> Graph:
    return imported(residual_net(), tmp_path)


def _equal(a: Graph, b: Graph) -> bool:
    return a.constants.keys() == b.constants.keys() and all(
        np.array_equal(array, b.constants[name]) for name, array in a.constants.items()
    )


def test_distillation_brings_a_trained_network_nearer_to_its_float_form(
    shared_models: Path, tmp_path: Path
) -> None:
    """Power-of-two int8, unlabelled samples, the defaults of the command; judged on others."""
    folder = shared_models / "mnist_dscnn"
    graph = import_model(folder / "mnist_dscnn.onnx")
    read = partial(load_samples, graph, input_scale=1 / 255)
    samples = read(folder / "mnist5k_calib200.npz")
    tuned = tune(graph, tmp_path, samples=samples, epochs=3, batch=TrainOptions().batch)
    before, after = tuned.distances(graph, read(folder / "mnist5k_test1000.npz", limit=200))
    assert after["mse"]["output"] < 0.85 * before["mse"]["output"]
    assert after["agreement"]["output"] >= 0.99


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_pipeline_makes_the_trained_integers_of_the_tuned_graph(
    tmp_path: Path, scheme: str
) -> None:
    net = imported(two_headed(), tmp_path)
    quant = QuantOptions(scheme=scheme, equalize="off")
    samples = synthetic_samples(net, count=96)
    tuned = tune(net, tmp_path, samples=samples, quant=quant, rounding="nearest", lr=0.01)
    assert tuned.facts["simulation_equal"] == 1.0
    assert tuned.facts["best_epoch"] > 0
    others = synthetic_samples(net, seed=9, count=3)
    again = quantize(tuned.graph, others, quant, reference=net).graph
    assert _equal(again, tuned.integer)
    assert {n: v.quant for n, v in again.values.items()} == {
        n: v.quant for n, v in tuned.integer.values.items()
    }
    assert not _equal(again, tuned.plain)


def test_the_scales_of_activations_and_weights_are_those_of_plain_quantization(
    net: Graph, tmp_path: Path
) -> None:
    tuned = tune(net, tmp_path)
    for name, value in tuned.plain.values.items():
        assert value.quant == tuned.integer.values[name].quant, name


def test_every_output_comes_nearer_to_the_teacher(tmp_path: Path) -> None:
    graph = imported(two_headed(), tmp_path)
    samples = synthetic_samples(graph, count=96)
    settings: dict[str, Any] = {"epochs": 6, "rounding": "nearest", "lr": 0.03}
    tuned = tune(graph, tmp_path, samples=samples, quant=UNEQUALIZED, **settings)
    before, after = tuned.distances(graph, synthetic_samples(graph, seed=5, count=64))
    assert len(before["mse"]) == 2
    for name, mse in before["mse"].items():
        assert after["mse"][name] < 0.97 * mse


def test_training_starts_from_evened_channels(tmp_path: Path) -> None:
    graph = imported(two_headed(), tmp_path)
    samples = synthetic_samples(graph, count=96)
    settings: dict[str, Any] = {"epochs": 6, "rounding": "nearest", "lr": 0.01}
    uneven = tune(graph, tmp_path / "off", samples=samples, quant=UNEQUALIZED, **settings)
    evened = replace(POWER_OF_TWO, equalize="on")
    even = tune(graph, tmp_path / "on", samples=samples, quant=evened, **settings)
    assert (uneven.facts["equalized"], even.facts["equalized"]) == (False, True)
    assert uneven.teacher is not even.teacher
    others = synthetic_samples(graph, seed=5, count=64)
    before, after = even.distances(graph, others)
    assert after["loss"] < before["loss"]
    expected, found = (run(g, others.arrays) for g in (graph, even.teacher))
    for name, array in expected.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-4, atol=1e-5)


def test_the_pipeline_makes_the_trained_integers_of_evened_channels(tmp_path: Path) -> None:
    graph = imported(two_headed(), tmp_path)
    samples = synthetic_samples(graph, count=96)
    tuned = tune(graph, tmp_path, samples=samples, rounding="nearest", lr=0.01)
    assert tuned.facts["best_epoch"] > 0
    assert tuned.facts["simulation_equal"] == 1.0
    few = synthetic_samples(graph, seed=9, count=3)
    again = quantize(tuned.graph, few, POWER_OF_TWO, reference=tuned.teacher)
    assert _equal(again.graph, tuned.integer)
    assert all((layer.output.sqnr_db or 99) > 15 for layer in again.report.layers)


def test_the_slopes_of_a_prelu_are_trained(tmp_path: Path) -> None:
    graph = imported(sloped(), tmp_path)
    samples = synthetic_samples(graph, count=96)
    tuned = tune(graph, tmp_path, samples=samples, rounding="nearest", lr=0.02, epochs=5)
    assert tuned.facts["best_epoch"] > 0
    assert tuned.facts["simulation_equal"] == 1.0
    node = next(node for node in tuned.graph.nodes if node.op == "PRelu")
    slopes, first = (
        g.constants[next(n for n in g.nodes if n.op == "PRelu").inputs[1]]
        for g in (tuned.graph, tuned.teacher)
    )
    moved = np.abs(slopes - first)
    assert (moved > 0).sum() > len(moved) // 2, node.name
    few = synthetic_samples(graph, seed=9, count=3)
    assert _equal(quantize(tuned.graph, few, POWER_OF_TWO).graph, tuned.integer)


class Stop(Exception):
    pass


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_a_resumed_training_ends_like_an_uninterrupted_one(
    net: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, optimizer: str
) -> None:
    from deployer.tools.train import loop

    whole = tune(net, tmp_path / "whole", optimizer=optimizer)
    step, calls = loop._step, iter(range(100))

    def interrupted(*arguments: Any) -> float:
        if next(calls) == 12:  # within the third epoch
            raise Stop
        return step(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(loop, "_step", interrupted)
        with pytest.raises(Stop):
            tune(net, tmp_path / "parts", optimizer=optimizer)
    resumed = tune(net, tmp_path / "parts", optimizer=optimizer, resume=True)
    assert _equal(whole.graph, resumed.graph)
    losses = [[(e["loss"], e["held_out"]) for e in t.facts["epochs"]] for t in (whole, resumed)]
    assert losses[0] == losses[1]
    assert len(losses[0]) == 5


def test_the_same_seed_gives_the_same_network_and_another_a_different_one(
    net: Graph, tmp_path: Path
) -> None:
    first, second, other = (
        tune(net, tmp_path / name, seed=seed, rounding="nearest", lr=0.01, epochs=2)
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert _equal(first.graph, second.graph)
    assert not _equal(first.graph, other.graph)


def test_a_training_that_does_harm_leaves_the_network_as_it_was(net: Graph, tmp_path: Path) -> None:
    tuned = tune(net, tmp_path, lr=30.0, epochs=1)
    assert tuned.facts["best_epoch"] == 0
    held = tuned.facts["held_out"]
    assert held["after"]["loss"] == pytest.approx(held["before"]["loss"], rel=1e-3)


def test_a_finished_training_can_be_read_again_and_gone_on_with(net: Graph, tmp_path: Path) -> None:
    done = tune(net, tmp_path)
    assert _equal(tune(net, tmp_path, resume=True).graph, done.graph)
    longer = tune(net, tmp_path, resume=True, epochs=6)
    assert len(longer.facts["epochs"]) == 7


def test_resuming_another_training_is_refused(net: Graph, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no training to resume"):
        tune(net, tmp_path, resume=True)
    tune(net, tmp_path, epochs=1)
    with pytest.raises(UsageError, match="another training"):
        tune(net, tmp_path, resume=True, lr=0.5)
    other = imported(conv_net(), tmp_path)
    with pytest.raises(UsageError, match="another training"):
        tune(other, tmp_path, resume=True)
    (tmp_path / "checkpoint.pt").write_bytes(b"broken")
    with pytest.raises(UsageError, match="not a readable checkpoint"):
        tune(net, tmp_path, resume=True)


def test_every_impossible_option_is_named() -> None:
    wrong = TrainOptions(epochs=0, lr=-1, holdout=1.0, seed=-1, optimizer="lamb")
    with pytest.raises(UsageError) as caught:
        check_options(wrong, 10)
    text = str(caught.value)
    for word in ("epochs", "lr", "holdout", "seed", "lamb"):
        assert word in text
    with pytest.raises(UsageError, match="at least 2 samples"):
        check_options(TrainOptions(), 1)


@pytest.mark.parametrize(("samples", "expected"), [(2, 1), (3, 1), (10, 2), (1000, 200)])
def test_held_out_samples_leave_some_to_train_on(samples: int, expected: int) -> None:
    assert held_out(TrainOptions(), samples) == expected


def test_stochastic_rounding_is_right_on_average() -> None:
    from deployer.tools.train.loop import stochastically_rounded

    x = np.full(200_000, 3.3, dtype=np.float32)
    steps = stochastically_rounded(x, np.random.default_rng(1))
    assert set(np.unique(steps)) == {3.0, 4.0}
    assert steps.mean() == pytest.approx(3.3, abs=0.01)
    assert stochastically_rounded(
        np.array([-7.0, 0.0, 300.0], dtype=np.float32), np.random.default_rng(1)
    ).tolist() == [-7, 0, 127]


def test_a_training_that_diverges_says_so_and_keeps_the_checkpoint(
    net: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deployer.tools.train import loop

    tune(net, tmp_path, epochs=1)
    before = (tmp_path / "checkpoint.pt").read_bytes()
    monkeypatch.setattr(loop, "_step", lambda *arguments: float("nan"))
    with pytest.raises(UsageError, match="diverged in epoch 2"):
        tune(net, tmp_path, epochs=2, resume=True)
    assert (tmp_path / "checkpoint.pt").read_bytes() == before


def test_every_epoch_is_told_with_its_losses_and_whether_it_is_the_best(
    net: Graph, tmp_path: Path
) -> None:
    said: list[str] = []
    tuned = tune(net, tmp_path / "told", notice=said.append)
    told = [text for text in said if text.startswith("epoch ")]
    assert [text.partition(":")[0] for text in told] == [f"epoch {n} of 4" for n in (1, 2, 3, 4)]
    best = [n for n, text in enumerate(told, start=1) if "(best)" in text]
    assert (best[-1] if best else 0) == tuned.facts["best_epoch"]
