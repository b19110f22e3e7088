"""A model whose every name tries to act on the terminal, on markup, on C and on tables."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest
from onnx import ModelProto

from deployer.printed import printed
from models import residual_net

EVIL = ' \x1b[31m\n\r\x00\x9b2J\u202e\u200b[red]*/ "\\,%s<b>&é\u2028\ud7ff'
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069]")


def hostile(model: ModelProto) -> ModelProto:
    """Every name with ``EVIL`` behind it."""
    graph = model.graph
    for node in graph.node:
        node.name = f"{node.name or node.op_type}{node.output[0]}{EVIL}"
        node.input[:] = [name and name + EVIL for name in node.input]
        node.output[:] = [name + EVIL for name in node.output]
    for item in (*graph.input, *graph.output, *graph.initializer, *graph.value_info):
        item.name += EVIL
    graph.name = f"net{EVIL}"
    return model


@pytest.fixture(scope="module")
def evil_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("evil") / "\x1b[31m[red]\u202enet.onnx"
    onnx.save(hostile(residual_net()), path)
    return path


@pytest.fixture(scope="module")
def evil_job(evil_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of it."""
    from deployer.cli.main import main

    folder = tmp_path_factory.mktemp("job")
    with pytest.raises(SystemExit) as stop:
        main(["run", "-b", "host", "-o", str(folder), "--golden", "1", str(evil_model)])
    assert not stop.value.code
    (job,) = folder.iterdir()
    return job


def plain(*texts: str) -> None:
    for text in texts:
        assert not HIDDEN.search(text), HIDDEN.findall(text)


def test_a_run_is_exact_and_its_report_is_plain(
    deployer: Callable[..., object], evil_model: Path, tmp_path: Path
) -> None:
    done = deployer("run", "-b", "host", "-o", tmp_path, "--golden", "1", evil_model)
    assert done.status == 0
    plain(done.out, done.err)
    assert "bit-exact" in done.out


@pytest.mark.parametrize(
    "line",
    [
        ("check", "-b", "host"),
        ("check", "-b", "nucleo-f767zi", "--ram", "1KiB"),
        ("check", "-b", "host", "--json"),
        ("inspect",),
        ("inspect", "--memory"),
        ("check", "-b", "host", "--cut", "\x1b[31mnowhere"),
    ],
)
def test_what_is_said_of_the_model_is_plain(
    deployer: Callable[..., object], evil_model: Path, line: tuple[str, ...]
) -> None:
    done = deployer(*line, evil_model)
    assert done.status in (0, 2, 3, 4)
    plain(done.out, done.err)


@pytest.mark.parametrize(
    "stage", ["import", "quantize", "restructure", "schedule", "allocate", "tile", "generate"]
)
def test_every_artifact_is_shown_plainly(
    deployer: Callable[..., object], evil_job: Path, stage: str
) -> None:
    (folder,) = evil_job.glob(f"?-{stage}")
    done = deployer("inspect", folder)
    assert done.status == 0
    plain(done.out, done.err)


@pytest.mark.parametrize("name", ["job.svg", "job.html"])
def test_pictures_hold_the_names_as_text(
    deployer: Callable[..., object], evil_job: Path, tmp_path: Path, name: str
) -> None:
    done = deployer("inspect", "-o", tmp_path / name, evil_job)
    assert done.status == 0
    drawn = (tmp_path / name).read_text()
    plain(drawn)
    assert "<b>" not in drawn


def test_files_for_programs_have_a_row_a_line(evil_job: Path) -> None:
    for file in ("4-allocate/allocation.csv", "8-run/layers.csv"):
        text = (evil_job / file).read_text()
        plain(text)
        steps = len(json.loads((evil_job / "8-run" / "report.json").read_text())["layers"])
        assert len(text.splitlines()) >= steps
    for file in (evil_job / "6-generate").iterdir():
        plain(file.read_text())


def test_resuming_reads_the_names_back(
    deployer: Callable[..., object], evil_model: Path, evil_job: Path
) -> None:
    line = ("run", "-b", "host", "-o", evil_job.parent, "--golden", "1", "--from", "tile")
    done = deployer(*line, evil_model)
    assert done.status == 0, done.err


def test_an_unsupported_node_is_named_plainly(
    deployer: Callable[..., object], tmp_path: Path
) -> None:
    model = residual_net()
    model.graph.node[0].op_type = f"Evil{EVIL}"
    path = tmp_path / "evil.onnx"
    onnx.save(hostile(model), path)
    for line in (("check", "-b", "host"), ("run", "-b", "host", "-o", tmp_path)):
        done = deployer(*line, path)
        assert done.status == 3
        plain(done.out, done.err)


def test_board_names_and_arguments_are_plain(
    deployer: Callable[..., object], evil_model: Path, tmp_path: Path
) -> None:
    evil = "\x1b]0;x\x07\u202e"
    (tmp_path / f"{evil}.toml").write_text(f'name = "{evil[-1]}"')
    for line in (
        ("boards", "--board-dir", tmp_path),
        ("ops", "-b", evil),
        ("check", "-b", evil, "--board-dir", tmp_path, evil_model),
        ("check", "-b", "host", evil_model.with_name(f"{evil}.onnx")),
        (evil,),
        ("run", f"--{evil}"),
        ("run", "-b", "host", "--calibration", f"/{evil}.npz", "-o", tmp_path, evil_model),
    ):
        done = deployer(*line)
        assert done.status in (2, 3), done.err
        plain(done.out, done.err)


def test_printed_shows_what_it_hides_and_keeps_the_rest() -> None:
    assert printed("conv_1/é [x]") == "conv_1/é [x]"
    assert printed("a\x1b[0m\n\u202e\x00\ud800") == r"a\x1b[0m\n\u202e\x00\ud800"
    assert printed("a\nb", keep="\n") == "a\nb"
