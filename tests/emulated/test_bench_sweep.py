"""deployer bench sweep from the command line: drawn layers in images, on a board that is estimated,
one that is simulated and one on which nothing counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deployer.board.load import load_board
from deployer.board.model import Board
from deployer.cli.main import main
from deployer.kernelset.code import code_table, table_bytes
from deployer.kernelset.select import by_symbol
from deployer.tools.bench.sweep_draw import SweepRequest, draw_layers
from deployer.tools.bench.sweep_runs import SweepBench
from deployer.tools.timing.machine import machine_of
from fakes.cmsis_nn_library import build as build_stand_in

BOARD = "nucleo-f767zi"


def status(*arguments: Any) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["bench", "sweep", *map(str, arguments)])
    return int(stop.value.code or 0)


@pytest.fixture(scope="module")
def tools(tool: Callable[[str], str]) -> None:
    for program in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        tool(program)


def test_a_layer_of_every_operator_is_exact_and_has_its_cycles(tools: None, tmp_path: Path) -> None:
    table = tmp_path / "sweep.json"
    assert status("-b", BOARD, "--count", 15, "-o", table) == 0
    facts = json.loads(table.read_text())
    rows = facts["rows"]
    drawn = [row["operator"] for row in rows if not row["operator"].startswith("shuffle")]
    assert len(set(drawn)) == len(drawn) == 14  # the shuffle unit has a row for each operator
    assert {row["bits"] for row in rows} == {8, 16}
    assert (facts["kind"], facts["unit"]) == ("estimated", "cycles")
    for row in rows:
        assert row["outcome"] == "exact"
        assert 3 * row["instructions"] > row["cycles"] > row["instructions"] / 2
        work = row[{"MAC": "macs", "tap": "taps"}.get(row["per"], "elements")]
        assert row["rate"] == pytest.approx(row["cycles"] / work)
        assert all(kernel.startswith("dpl_") for kernel in row["kernels"])
    assert len(rows) - len(drawn) >= 4


def test_a_layer_takes_as_long_alone_as_among_others(tools: None, twin: Board) -> None:
    layers = draw_layers(SweepRequest(count=4, seed=1, operators=("Conv2d",), bits=(8,)))
    machine = machine_of(load_board(BOARD), twin)
    together = list(SweepBench(BOARD, machine).rows(layers))
    (alone,) = SweepBench(BOARD, machine).rows(layers[-1:])
    other = together[-1]
    assert alone.kernel == other.kernel
    assert alone.instructions == pytest.approx(other.instructions, rel=0.001)
    assert alone.cycles == pytest.approx(other.cycles, rel=0.05)  # where code and data lie


def test_layers_of_many_kinds_keep_the_kernels_that_they_have_alone(
    tools: None, twin: Board
) -> None:
    operators = ("Conv2d", "DepthwiseConv2d", "AveragePool", "MaxPool")
    layers = draw_layers(SweepRequest(count=20, seed=2, operators=operators, bits=(8,)))
    bench = SweepBench(BOARD, machine_of(load_board(BOARD), twin))
    together = [row.kernel for row in bench.rows(layers)]
    table = code_table(load_board(BOARD).kernels)
    assert table is not None
    assert table_bytes(map(by_symbol, set(together)), table) > 24 << 10
    alone = [row.kernel for layer in layers[::5] for row in bench.rows([layer])]
    assert alone == together[::5]


def test_the_library_runs_the_same_layers(
    tools: None, twin: Board, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library = build_stand_in(tmp_path, twin.toolchain.cflags)
    against = f"cmsis-nn={library.archive},{library.include}"
    table = tmp_path / "sweep.json"
    some = ("--operator", "Conv2d,PRelu,ConvTranspose2d", "--count", 6, "--bits", 8)
    assert status("-b", BOARD, *some, "--against", against, "-o", table) == 0
    rows = json.loads(table.read_text())["rows"]
    compared = [row for row in rows if row["against"] is not None]
    assert {row["operator"] for row in compared} >= {"Conv2d"}
    assert all(row["against"] > 0 for row in compared)
    assert not any(row["against"] for row in rows if row["operator"] == "PRelu")
    assert status("-b", "gap8", *some, "--against", against) == 2
    assert "[timing]" in capsys.readouterr().err


def test_cycles_of_gap8_are_simulated(tool: Callable[[str], str], tmp_path: Path) -> None:
    tool("riscv64-unknown-elf-gcc")
    table = tmp_path / "sweep.json"
    assert status("-b", "gap8", "--operator", "Conv2d,Add", "--count", 3, "-o", table) == 0
    facts = json.loads(table.read_text())
    assert (facts["kind"], facts["unit"], facts["error"]) == ("simulated", "cycles", 0.0)
    for row in facts["rows"]:
        assert row["outcome"] == "exact"
        assert row["cycles"] > 0
        assert row["instructions"] is None


def test_a_board_that_counts_nothing_still_tells_its_kernels(
    tool: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    tool("gcc")
    assert status("-b", "host", "--operator", "Conv2d,Softmax", "--count", 3, "--bits", 8) == 0
    said = capsys.readouterr().out
    assert "Nothing counts on this board" in said
    assert "| dpl_softmax_s8__ref | " in said
    assert "Worst" not in said


def test_layers_on_a_board_of_linux_have_estimated_cycles(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    for program in ("gcc", "aarch64-linux-gnu-gcc", "qemu-aarch64"):
        tool(program)
    table = tmp_path / "sweep.json"
    given = ("--operator", "Conv2d,Softmax", "--count", 3, "--bits", 8, "-o", table)
    assert status("-b", "rpi3", *given) == 0
    facts = json.loads(table.read_text())
    assert (facts["kind"], facts["unit"]) == ("estimated", "cycles")
    assert all(row["cycles"] > row["instructions"] / 2 > 0 for row in facts["rows"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-b", "nucleo"), "did you mean nucleo-f767zi?"),
        (("-b", BOARD, "--operator", "Conv3d"), "did you mean Conv2d?"),
        (("-b", BOARD, "--count", 0), "--count"),
        (("-b", BOARD, "--bits", 4), "--bits"),
        (("-b", BOARD, "-o", "table.txt"), "table.txt"),
        (("-b", BOARD, "--against", "cmsis-nn"), "--against"),
        ((), "--board"),
    ],
)
def test_what_cannot_be_swept_is_refused(
    arguments: tuple[Any, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(*arguments) == 2
    assert said in capsys.readouterr().err
