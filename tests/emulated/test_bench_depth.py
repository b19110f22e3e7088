"""bench depth: a depth network as floats, int16 and int8, counted and estimated."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.cli.main import main
from emulated.targets import BOARDS

BOARD = "rpi3"


@pytest.fixture(autouse=True)
def tools(tool: Callable[[str], str]) -> None:
    for program in ("gcc", *BOARDS[BOARD][1]):
        tool(program)


def status(folder: Path, *args: object) -> int:
    given = ("--network", "upydnet", "--resolution", "16", "--work", folder / "build")
    with pytest.raises(SystemExit) as stop:
        main(["bench", "depth", *map(str, (*given, *args))])
    return int(stop.value.code or 0)


def test_fewer_bits_take_fewer_cycles_on_one_thread_and_on_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "table.json"
    assert status(tmp_path, "--threads", 2, "--least", "FX8=1.1", "-o", table) == 0
    facts = json.loads(table.read_text())
    assert (facts["board"], facts["kind"], facts["watts"]) == (BOARD, "estimated", 3.5)
    floats, short, byte = facts["rows"]
    assert [row["element"] for row in facts["rows"]] == ["float32", "int16", "int8"]
    assert floats["cycles"] > short["cycles"] > byte["cycles"]
    for row in facts["rows"]:
        assert row["input"] == [3, 16, 16]
        assert row["cycles"] > row["instructions"] / 2
        assert 1.2 < row["cycles"] / row["cycles_of_threads"] < 2
        assert row["resident"] > row["weights"] + row["arena"]
        assert row["published"] is None
    before = json.dumps(facts)
    (tmp_path / "build" / "fx8" / "upydnet-rpi3").rename(tmp_path / "aside")
    given = (tmp_path, "--threads", 2, "--resume", "--least", "FX8=99")
    assert status(*given, "-o", table) == 7
    assert json.loads(table.read_text()) == json.loads(before)
    assert not (tmp_path / "build" / "fx8" / "upydnet-rpi3").exists()
    assert status(*given) == 7
    said = capsys.readouterr()
    assert "not 99" in said.err
    assert "assume 3.5 W" in said.out
