"""Rows of the zoo table: kept, read again, rendered; networks at their edge size."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from deployer.errors import BenchError, ModelError, UsageError
from deployer.tools.bench.edge import EDGE, edge_label, edge_names, edge_network
from deployer.tools.bench.limit import TimeLimit, time_limit
from deployer.tools.bench.row import DIFFERS, EXACT, FAILED, LIMIT, NO_FIT, Row, keep, kept_rows
from deployer.tools.bench.zoo import attempt
from deployer.tools.bench.zoo_table import zoo_facts, zoo_markdown

EXACT_ROW = Row(
    network="resnet8",
    scheme="multiply-shift",
    style="torchscript",
    board="nucleo-f767zi",
    label="resnet8",
    input=(3, 32, 32),
    macs=1000,
    golden_samples=2,
    outcome=EXACT,
    program="ab",
    layers=14,
    exact_layers=14,
    portable=3,
    arena=10,
    ram=20,
    flash=1030,
    count=3500,
    kind="counted",
    unit="instructions",
    tool="QEMU 7",
)
TOO_LARGE = replace(EXACT_ROW, board="gap8", outcome=NO_FIT, over={"l2": 1234}, count=None)


def test_every_network_of_the_zoo_has_an_edge_size() -> None:
    assert set(EDGE) == set(edge_names())
    for name in edge_names():
        assert edge_network(name).macs < 1_000_000_000
    assert edge_network("mobilenetv1").input == (3, 96, 96)
    assert edge_label("mobilenetv1") == "mobilenetv1 x0.25"
    assert edge_label("resnet8") == "resnet8"


def test_kept_rows_are_the_rows(tmp_path: Path) -> None:
    file = tmp_path / "work" / "rows.jsonl"
    assert kept_rows(file) == {}
    for row in (replace(EXACT_ROW, outcome=FAILED), EXACT_ROW, TOO_LARGE):
        keep(row, file)
    assert kept_rows(file) == {row.key: row for row in (EXACT_ROW, TOO_LARGE)}


def test_a_row_cut_short_by_a_crash_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    keep(EXACT_ROW, file)
    keep(TOO_LARGE, file)
    file.write_text(file.read_text()[:-20])
    assert list(kept_rows(file)) == [EXACT_ROW.key]


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"some": "thing"}\n')
    with pytest.raises(UsageError, match="rows"):
        kept_rows(file)


def test_the_limit_ends_the_work_and_leaves_no_alarm() -> None:
    with pytest.raises(TimeLimit, match=r"0\.05 s"), time_limit(0.05):
        time.sleep(5)
    with time_limit(0.05):
        pass
    time.sleep(0.1)


def test_an_attempt_tells_how_it_ended() -> None:
    def broken() -> dict[str, object]:
        raise BenchError("no emulator", why=["not installed"])

    def foreign() -> dict[str, object]:
        raise ModelError("an LSTM")

    assert attempt(5, broken) == {"outcome": FAILED, "detail": "no emulator; not installed"}
    assert attempt(5, foreign)["outcome"] == "unsupported"
    assert attempt(0.05, lambda: {"slept": time.sleep(5)})["outcome"] == LIMIT


def test_the_markdown_has_a_line_a_board_and_a_column_a_style() -> None:
    twin = replace(EXACT_ROW, style="dynamo", same_as="torchscript")
    wrong = replace(TOO_LARGE, style="dynamo", outcome=DIFFERS, exact_layers=3)
    text = zoo_markdown(zoo_facts([EXACT_ROW, TOO_LARGE, twin, wrong]))
    head, _, first, second, *_ = text.splitlines()
    assert "| torchscript | dynamo |" in head
    assert "| 1,030 | exact, 14 of 14 layers | same program | 3 | 3.50 instructions |" in first
    assert "| does not fit: l2 +1,234 | **differs**, 3 of 14 layers exact |" in second
    assert "4 rows: 2 exact, 1 does not fit, 1 differs." in text
    assert "counted" in text
    assert "QEMU 7" in text


def test_the_scheme_is_a_column_when_there_are_two() -> None:
    other = replace(EXACT_ROW, scheme="power-of-two")
    assert "power-of-two" in zoo_markdown(zoo_facts([EXACT_ROW, other]))
    assert "multiply-shift" not in zoo_markdown(zoo_facts([EXACT_ROW]))
