"""--bits, --bits-of and --mixed through the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def run(deployer: Run, small_model: Path, samples: Path, tmp_path: Path) -> Run:
    """Run the small model on the host with its samples; the report, or the failed outcome."""

    def call(*arguments: object) -> Any:
        given = ["-b", "host", "--calibration", samples, "-o", tmp_path, "--json", *arguments]
        done = deployer("run", *given, small_model)
        return json.loads(done.out) if done.status == 0 else done

    return call


def widths(report: dict[str, Any]) -> dict[str, int]:
    return {layer["name"]: layer["bits"] for layer in report["layers"]}


def test_a_whole_network_in_int16(
    run: Run, samples: Path, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    tool("gcc")
    report = run("--bits", 16, "--dataset", samples)
    assert report["golden"]["match"]
    assert set(widths(report).values()) == {16}
    assert report["widths"] == "int16"
    assert report["options"]["bits"] == 16
    assert report["accuracy"]["differing_samples"] == 0
    assert report["accuracy"]["agreement"] == 1.0
    narrow = run()
    assert report["float"]["sqnr_db"] > narrow["float"]["sqnr_db"] + 6
    assert report["memory"]["arena"] == 2 * narrow["memory"]["arena"]
    assert narrow["widths"] == "int8"


def test_layers_named_by_pattern(run: Run, tmp_path: Path, tool: Callable[[str], str]) -> None:
    tool("gcc")
    report = run("--bits-of", "gemm*=16", "--bits-of", "input=16")
    found = widths(report)
    assert report["golden"]["match"]
    assert [name for name, bits in found.items() if bits == 16][-1].startswith("gemm")
    assert report["widths"].startswith("mixed, ")
    assert report["options"]["bits_of"] == {"gemm*": 16, "input": 16}
    header = (tmp_path / "residual-host" / "6-generate" / "network.h").read_text()
    assert f"activations {report['widths']}" in header
    assert "12x12x3 int16" in header


def test_a_search_reports_what_it_tried(
    run: Run, deployer: Run, tool: Callable[[str], str]
) -> None:
    tool("gcc")
    narrow = run("--share", "off")["memory"]["arena"]
    report = run("--mixed", f"ram={narrow + 200}", "--share", "off")
    assert report["golden"]["match"]
    assert report["memory"]["arena"] <= narrow + 200
    search = report["options"]["calibration"]["mixed"]
    assert search["wide"]
    assert search["trials"][0]["ram"] == narrow
    assert all({"name", "ram", "sqnr_db", "top1", "taken"} == set(t) for t in search["trials"])
    assert set(widths(report).values()) == {8, 16}


def test_the_tables_show_width_and_method(
    deployer: Run, small_model: Path, samples: Path, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    tool("gcc")
    given = ["--calibration", samples, "--bits-of", "gemm*=16"]
    done = deployer("run", "-b", "host", "-o", tmp_path, *given, "--dataset", samples, small_model)
    assert done.status == 0, done.err
    assert "bits" in done.out
    assert "multiply-shift, mixed" in " ".join(done.out.split())
    checked = deployer("check", "-b", "nucleo-f767zi", *given, small_model)
    assert checked.status == 0, checked.err
    rows = [line.split() for line in checked.out.splitlines()]
    assert any({"Rescale", "16"} <= set(row) for row in rows)


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--bits", "12"], 2, "'12' is not one of"),
        (["--bits-of", "gemm"], 2, "NAME=16"),
        (["--bits-of", "gem=16"], 2, "did you mean"),
        (["--mixed", "ram=huge"], 2, "ram=64KiB"),
        (["--mixed", "ram=10"], 4, "with all activations in int8"),
        (["--mixed", "sqnr=150"], 7, "the weights have 8 bits"),
        (["--mixed", "sqnr=30", "--bits", "16"], 2, "leave one of them out"),
    ],
)
def test_what_cannot_be(run: Run, arguments: list[str], status: int, words: str) -> None:
    done = run(*arguments)
    assert done.status == status, done.err
    assert words in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("argument", ["--bits=16", "--bits-of=x=16", "--mixed=sqnr=30"])
def test_fine_tuning_stays_int8(
    argument: str, run: Run, deployer: Run, small_model: Path, samples: Path, tmp_path: Path
) -> None:
    for done in (
        deployer("finetune", "--samples", samples, "-o", tmp_path / "t", argument, small_model),
        run("--tuned", tmp_path / "t", argument),
    ):
        assert done.status == 2
        assert "a fine-tuned network has int8 activations" in done.err
    assert not (tmp_path / "t").exists()
