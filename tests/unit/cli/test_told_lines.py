"""Lines that commands print of what they found."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deployer.cli.jobs.allocate import _lines
from deployer.cli.main import main
from deployer.cli.render_report import _verdict


def instance(name: str, seconds: float, status: str = "optimal", count: int = 1500) -> Any:
    return {
        "name": name, "bytes": count, "bound": count - 100, "status": status, "solver": "search",
        "seconds": seconds,
    }  # fmt: skip


def test_one_instance_is_told_in_full() -> None:
    assert list(_lines([instance("a", 0.25)])) == ["a: 1,500 B, optimal, by search, 250.0 ms CPU"]
    assert list(_lines([instance("a", 0.002, "feasible")])) == [
        "a: 1,500 B, feasible, proven 1,400 B, by search, 2.0 ms CPU"
    ]


def test_of_many_those_are_told_that_are_not_proven_and_the_times() -> None:
    found = [instance("a", 0.1), instance("b", 0.6, "feasible"), instance("c", 0.2)]
    assert list(_lines(found)) == [
        "b: 1,500 B, feasible, proven 1,400 B, by search, 600.0 ms CPU",
        "3 instances, 2 optimal with proof",
        "CPU time: average 300.0 ms, worst 600.0 ms (b)",
    ]


def test_a_verdict_counts_what_was_compared_or_names_the_layer() -> None:
    golden = {"elements": 12_345, "samples": 7, "match": True, "first_differing_layer": None}
    exact = _verdict(golden, "int8")
    assert exact.plain == "bit-exact: 12,345 output elements of 7 samples, every layer"
    wrong = _verdict({**golden, "match": False, "first_differing_layer": "conv"}, "int8")
    assert wrong.plain == "NOT exact: first differing layer conv"
    assert "green" in str(exact.spans[0].style)
    assert "red" in str(wrong.spans[0].style)


def test_floats_are_told_with_their_tolerance() -> None:
    golden = {"elements": 40, "samples": 4, "match": True, "differing": 0}
    assert _verdict(golden, "float32").plain == "within 0.0001: 40 output elements of 4 samples"
    wrong = _verdict({**golden, "match": False, "differing": 3}, "float32")
    assert wrong.plain == "NOT within 0.0001: 3 of 40 output elements of 4 samples"


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["zoo", "-o", "a.onnx"], 2, "-o needs the name of a network"),
        (["zoo", "nothing"], 2, "nothing"),
        (["zoo", "resnet8", "--resolution", "axb"], 2, "'axb' is not a size such as 96 or 256x512"),
        (["ops", "-b", "nothing"], 2, "nothing"),
        (["inspect", "no-such-file"], 2, "no-such-file"),
        (["no-such-command"], 2, "no-such-command"),
        (["run", "--percentile", "50", "a.onnx"], 2, "50"),
        (["run", "--percentile", "100.5", "a.onnx"], 2, "100.5"),
    ],
)
def test_what_cannot_be_done_is_a_matter_of_usage(
    arguments: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == status
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("size", "extents"), [("48", [48, 48]), ("48x64", [48, 64]), ("64x48", [64, 48])]
)
def test_a_resolution_is_one_number_or_height_by_width(
    size: str, extents: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["zoo", "mobilenetv1", "--width", "0.25", "--resolution", size, "--json"])
    assert not stop.value.code
    (row,) = json.loads(capsys.readouterr().out)
    assert row["input"] == [3, *extents]
