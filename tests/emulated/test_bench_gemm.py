"""bench gemm: a board's own products, and those of an archive of microkernels beside them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.cli.main import main
from emulated.targets import BOARDS

BOARD = "rpi3"
STAND_IN = Path(__file__).parents[1] / "fakes" / "xnnpack_gemm.c"
PLAIN = {
    "xnn_f32_gemm_minmax_ukernel_1x8__plain": "fp32",
    "xnn_qs8_qc8w_gemm_minmax_fp32_ukernel_2x8c8__plain": "int8",
}


@pytest.fixture(autouse=True)
def tools(tool: Callable[[str], str]) -> None:
    for program in BOARDS[BOARD][1]:
        tool(program)


def archive(folder: Path, *defines: str) -> Path:
    subprocess.run(
        ["aarch64-linux-gnu-gcc", "-O2", *defines, "-c", STAND_IN, "-o", folder / "k.o"], check=True
    )
    subprocess.run(["aarch64-linux-gnu-ar", "rcs", folder / "k.a", folder / "k.o"], check=True)
    return folder / "k.a"


def status(*args: object) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["bench", "gemm", "-b", BOARD, *map(str, args)])
    return int(stop.value.code or 0)


def test_odd_products_are_exact_and_counted_beside_the_boards_own(tmp_path: Path) -> None:
    table = tmp_path / "table.json"
    shapes = ("--shape", "7x21x13", "--shape", "1x40x9")
    given = f"xnnpack={archive(tmp_path)}"
    assert status(*shapes, "--against", given, "-o", table) == 0
    facts = json.loads(table.read_text())
    rows = facts["rows"]
    assert (facts["board"], facts["kind"]) == (BOARD, "estimated")
    assert {row["kernel"]: row["element"] for row in rows if "xnn" in row["kernel"]} == PLAIN
    own = [row for row in rows if "xnn" not in row["kernel"]]
    assert [(row["rows"], row["element"]) for row in own] == [
        *((7, "int8"), (1, "int8"), (7, "int16"), (1, "int16"), (7, "fp32"), (1, "fp32"))
    ]
    for row in rows:
        assert row["macs"] == row["rows"] * row["depth"] * row["columns"]
        assert row["cycles"] > row["core"] >= row["instructions"] / 2 > 0


def test_the_plain_loops_of_a_product_take_some_instructions_a_mac(tmp_path: Path) -> None:
    """A count that a look at the loop confirms: loads, product and increments of each value."""
    table = tmp_path / "table.json"
    given = f"xnnpack={archive(tmp_path)}"
    assert status("--shape", "4x200x16", "--against", given, "-o", table) == 0
    for row in json.loads(table.read_text())["rows"]:
        if row["kernel"] in PLAIN:
            assert 4 <= row["instructions"] / row["macs"] <= 12


def test_a_microkernel_that_is_wrong_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = archive(tmp_path, "-DOFF_BY=1")
    assert status("--shape", "4x16x8", "--against", f"xnnpack={wrong}") == 5
    assert "xnn_f32_gemm_minmax_ukernel_1x8__plain computes 32" in capsys.readouterr().err


def test_an_archive_without_microkernels_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "none.c"
    source.write_text("int nothing(void) { return 0; }\n")
    made = tmp_path / "none.o"
    subprocess.run(["aarch64-linux-gnu-gcc", "-c", source, "-o", made], check=True)
    assert status("--shape", "4x16x8", "--against", f"xnnpack={made}") == 2
    assert "no GEMM microkernel in none.o" in capsys.readouterr().err


def ruy(tool: Callable[[str], str], folder: Path, *, include: Path = STAND_IN.parent) -> str:
    """All of the stand-in is in its header."""
    tool("aarch64-linux-gnu-g++")
    return f"ruy={archive(folder)},{include}"


def test_two_libraries_stand_beside_the_boards_own_products(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    table = tmp_path / "table.json"
    both = ("--against", f"xnnpack={archive(tmp_path)}", "--against", ruy(tool, tmp_path))
    assert status("--shape", "7x21x13", *both, "-o", table) == 0
    rows = json.loads(table.read_text())["rows"]
    assert {row["kernel"] for row in rows if row["kernel"] in PLAIN} == {*PLAIN}
    found = {row["element"]: row for row in rows if row["kernel"] == "ruy::Mul"}
    assert {*found} == {"int8", "fp32"}
    for row in found.values():
        assert 4 <= row["instructions"] / row["macs"] <= 20


def test_a_product_of_ruy_that_is_wrong_is_named(
    tool: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header = tmp_path / "ruy" / "ruy.h"
    header.parent.mkdir()
    header.write_text(f'#define OFF_BY 1\n#include "{STAND_IN.parent / "ruy" / "ruy.h"}"\n')
    given = ruy(tool, tmp_path, include=tmp_path)
    assert status("--shape", "4x16x8", "--against", given) == 5
    assert "ruy::Mul computes 32 elements that are wrong" in capsys.readouterr().err
