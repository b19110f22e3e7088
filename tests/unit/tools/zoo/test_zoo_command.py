"""``deployer zoo``: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest

from deployer.cli import main as cli_main
from deployer.errors import UsageError
from deployer.tools.zoo import build
from deployer.tools.zoo.catalog import CATALOG


def status(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as stop:
        cli_main.main(["zoo", *arguments])
    return int(stop.value.code or 0)


def test_without_a_name_it_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert status([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(CATALOG)
    assert "107,625 parameters" in lines[-1]
    assert "79,755,264 MACs" in lines[-1]


def test_a_name_is_counted_and_nothing_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert status(["pydnet", "--resolution", "64x128", "--json"]) == 0
    (facts,) = json.loads(capsys.readouterr().out)
    assert facts["input"] == [3, 64, 128]
    assert facts["parameters"] == 1_971_624
    assert not list(tmp_path.iterdir())


def test_the_file_has_what_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    options = ["--width", "0.25", "--resolution", "96", "--classes", "2", "--style", "dynamo"]
    assert status(["mobilenetv1", *options, "-o", str(path)]) == 0
    graph = onnx.load(path).graph
    sizes = [
        [d.dim_value for d in v.type.tensor_type.shape.dim]
        for v in (graph.input[0], graph.output[0])
    ]
    assert sizes == [[1, 3, 96, 96], [1, 2]]
    assert [item.name for item in tmp_path.iterdir()] == ["m.onnx"]


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        (["mobilnetv2"], ["did you mean mobilenetv2?"]),
        (["zzz"], ["unknown network 'zzz'", "known: mobilenetv1"]),
        (["inception-v3", "--resolution", "32"], ["cannot take an input of 32x32", "a larger"]),
        (["vgg16", "--resolution", "224x16"], ["cannot take an input of 224x16"]),
        (["unet", "--resolution", "100"], ["multiples of 16", "--resolution 96x96"]),
        (["pydnet", "--resolution", "20"], ["multiples of 64", "--resolution 64x64"]),
        (["resnet8", "--resolution", "0"], ["--resolution 0x0 cannot be"]),
        (["resnet8", "--resolution", "9999"], ["1 to 4096"]),
        (["resnet8", "--resolution", "axb"], ["96 or 256x512"]),
        (["resnet8", "--width", "0"], ["--width 0 cannot be"]),
        (["resnet8", "--width", "nan"], ["--width nan cannot be"]),
        (["resnet8", "--classes", "0"], ["--classes 0 cannot be"]),
        (["upydnet", "--classes", "3"], ["upydnet has no classes"]),
        (["resnet8", "--style", "keras"], ["torchscript"]),
        (["-o", "m.onnx"], ["needs the name"]),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(
    arguments: list[str], texts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(arguments) == 2
    found = capsys.readouterr().err
    assert all(text in found for text in texts), found


@pytest.mark.parametrize("options", [["--seed", "-1"], ["--width", "8", "--resolution", "512"]])
def test_a_refused_file_leaves_the_earlier_one(options: list[str], tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(b"earlier")
    assert status(["vgg16", *options, "-o", str(path)]) == 2
    assert path.read_bytes() == b"earlier"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("place", ["absent/m.onnx", ".", "file/m.onnx"])
def test_a_path_that_cannot_be_written_is_named(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert status(["upydnet", "-o", str(tmp_path / place)]) == 2
    assert "cannot write" in capsys.readouterr().err
    assert [item.name for item in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", CATALOG)
def test_the_page_shows_the_counts(name: str) -> None:
    page = (Path(__file__).parents[4] / "docs" / "zoo.md").read_text()
    network, shape = build.draw(name), "x".join(map(str, CATALOG[name].input))
    counts = f"| `{name}` | {shape} | {network.parameters:,} | {network.macs:,} |"
    assert f"{counts} {CATALOG[name].source} |" in page


def test_an_unknown_style_is_refused_by_the_function_too(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown style 'keras'"):
        build.save(build.draw("resnet8"), tmp_path / "m.onnx", style="keras")
