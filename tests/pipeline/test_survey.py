"""What ``deployer check`` finds without calibration is what the build finds; its advice holds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import onnx
import pytest

from deployer.analysis.cost import graph_cost
from deployer.ir.plan import Schedule
from deployer.pipeline.integer_network import outline
from deployer.pipeline.job import make_job
from deployer.pipeline.network_survey import survey
from deployer.pipeline.options import Options
from deployer.pipeline.stages import execute
from deployer.resources import data_root
from deployer.restructure.choice import with_kernels
from deployer.schedule.constants import constant_arrays
from deployer.tools.zoo.build import draw, save
from models import ModelBuilder, all_nets

outline_module = import_module("deployer.pipeline.integer_network")

Run = Callable[..., Any]
Zoo = Callable[..., Path]


@pytest.fixture
def zoo(tmp_path: Path) -> Zoo:
    """zoo("ds-cnn", width=0.5): the file of a zoo network."""

    def write(name: str, **options: Any) -> Path:
        path = tmp_path / "net.onnx"
        save(draw(name, **options), path)
        return path

    return write


def same_figures(model: Path, board: str, options: Options, folder: Path) -> None:
    """Of the survey and of the stages that a build runs."""
    job = make_job(model, board, options=options, output=folder)
    facts = survey(job).facts
    store = execute(job, last="allocate")
    built: Schedule = store.get("schedule")
    cheap = outline(job)
    assert graph_cost(cheap) == graph_cost(with_kernels(built.graph, {}))
    assert [row["kernel"] for row in facts["layers"]] == [step.kernel for step in built.steps]
    plan = store.get("allocate")
    assert facts["arena"]["bytes"] == plan.arena
    assert facts["arena"]["bound"] == plan.bound
    cost = graph_cost(built.graph)
    assert facts["bytes"]["weights"] == cost.weights
    assert facts["bytes"]["requantization"] == cost.requant
    stored = {name: array.nbytes for _, name, array in constant_arrays(built)}
    assert facts["flash"]["constants"] == sum(stored.values())


@pytest.mark.parametrize("scheme", ["multiply-shift", "power-of-two"])
@pytest.mark.parametrize("name", all_nets())
def test_the_figures_are_those_of_a_build(name: str, scheme: str, tmp_path: Path) -> None:
    onnx.save(all_nets()[name], tmp_path / "net.onnx")
    same_figures(tmp_path / "net.onnx", "nucleo-f767zi", Options(scheme=scheme), tmp_path)


@pytest.mark.parametrize("board", ["nucleo-f767zi", "gap8"])
def test_the_figures_are_those_of_a_build_with_tables_and_joins(
    zoo: Zoo, board: str, tmp_path: Path
) -> None:
    model = zoo("mobilenetv3-small", width=0.1, resolution=(32, 32), classes=10)
    same_figures(model, board, Options(softmax="device"), tmp_path)


def test_one_sample_is_enough_and_nothing_is_written(
    zoo: Zoo, deployer: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts, real = [], outline_module.quantize

    def counting(graph: Any, samples: Any, *rest: Any, **more: Any) -> Any:
        counts.append(samples.count)
        return real(graph, samples, *rest, **more)

    monkeypatch.setattr(outline_module, "quantize", counting)
    monkeypatch.chdir(tmp_path)
    assert deployer("check", "-b", "gap8", zoo("ds-cnn")).status == 0
    assert counts == [1]
    assert [path.name for path in tmp_path.iterdir()] == ["net.onnx"]


@pytest.fixture
def flat(tmp_path: Path) -> Path:
    """A folder with ``flat-gap8``: GAP8 without the memory from which weights are fetched."""
    text = (data_root() / "boards" / "gap8.toml").read_text().replace('"gap8"', '"flat-gap8"', 1)
    plain = "\n\n".join(block for block in text.split("\n\n") if '"l3"' not in block)
    (tmp_path / "flat-gap8.toml").write_text(plain)
    return tmp_path


def refused(deployer: Run, board: str, model: Path, *options: str) -> dict[str, Any]:
    done = deployer("check", "-b", board, "--json", *options, model)
    assert done.status == 4, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def told(facts: dict[str, Any], pattern: str) -> re.Match[str]:
    match = re.search(pattern, "\n".join(facts["refusal"]["hints"]))
    assert match, facts["refusal"]["hints"]
    return match


def test_an_input_of_the_size_told_fits(zoo: Zoo, deployer: Run) -> None:
    model = zoo("upydnet", resolution=(128, 96))
    facts = refused(deployer, "nucleo-f767zi", model, "--restructure", "off")
    why = "\n".join(facts["refusal"]["why"])
    sram = next(row for row in facts["memories"] if row["memory"] == "sram")
    missing = facts["arena"]["bytes"] - sum(facts["arena"]["room"].values())
    assert sram["excess"] == missing > 0
    assert f"({missing:,} too many)" in why
    assert f"alive together: {next(iter(facts['arena']['peak']['alive']))}" in why
    match = told(facts, r"an input of about (\d+)x(\d+) instead of 128x96")
    height, width = (int(text) // 4 * 4 for text in match.groups())
    assert height > 64  # not timid either
    smaller = zoo("upydnet", resolution=(height, width))
    done = deployer("check", "-b", "nucleo-f767zi", "--restructure", "off", smaller)
    assert done.status == 0


@pytest.mark.parametrize(
    ("board", "name", "given"),
    [
        ("nucleo-f767zi", "resnet9", {}),
        ("flat-gap8", "mobilenetv1", {"width": 0.5, "resolution": (64, 64), "classes": 10}),
    ],
)
def test_channels_of_the_number_told_fit(
    zoo: Zoo, deployer: Run, flat: Path, board: str, name: str, given: dict[str, Any]
) -> None:
    facts = refused(deployer, board, zoo(name, **given), "--board-dir", str(flat))
    assert any("largest weights" in line for line in facts["refusal"]["why"])
    share = float(told(facts, r"about ([\d.]+) times the channels")[1])
    assert share > 0.3
    thinner = zoo(name, **{**given, "width": given.get("width", 1.0) * share})
    assert deployer("check", "-b", board, "--board-dir", str(flat), thinner).status == 0


def test_weights_that_fill_a_shared_memory_are_not_blamed_on_the_arena(
    zoo: Zoo, deployer: Run, flat: Path
) -> None:
    model = zoo("squeezenet1.1", resolution=(64, 64))
    facts = refused(deployer, "flat-gap8", model, "--board-dir", str(flat))
    first, *_ = facts["refusal"]["why"]
    assert first.startswith("l2 needs ")
    assert "weights 1,2" in first
    assert not any(" of 0 B" in line for line in facts["refusal"]["why"])
    assert facts["refusal"]["hints"][-1] == (
        "another board: as it is, it fits host, nucleo-f767zi, rpi3, rpi3-32"
    )


def test_a_network_without_weights_is_only_told_to_shrink(deployer: Run, tmp_path: Path) -> None:
    net = ModelBuilder(1)
    x = net.input(1, 8, 400, 400)
    onnx.save(net.model(net.node("MaxPool", x, kernel_shape=[2, 2])), tmp_path / "net.onnx")
    facts = refused(deployer, "gap8", tmp_path / "net.onnx")
    assert told(facts, r"an input of about (\d+)x")
    assert "channels in every layer" not in "".join(facts["refusal"]["hints"])


def test_a_large_network_is_told_in_full(zoo: Zoo, deployer: Run) -> None:
    facts = refused(deployer, "nucleo-f767zi", zoo("googlenet", resolution=(64, 64)))
    assert len(facts["layers"]) == 81
    assert {row["memory"] for row in facts["memories"] if row["excess"] > 0} == {"flash"}
    assert facts["other_boards"] == ["host", "rpi3", "rpi3-32"]
