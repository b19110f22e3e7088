"""The table of depth networks: ratios, energy, and paper 001's figures beside them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from deployer.errors import ThresholdError, UsageError
from deployer.tools.bench.depth import (
    DEPTH_NETWORKS,
    DEPTH_PRECISIONS,
    TABLE_3_3,
    DepthBench,
    DepthRow,
    depth_names,
    keep_depth_row,
    kept_depth_rows,
    least_ratio_of,
)
from deployer.tools.bench.depth_table import (
    PAPER_INPUT,
    DepthTable,
    depth_facts,
    depth_markdown,
    require_ratios,
)
from unit.tools.timing.measured import MACHINE

FLOAT = DepthRow(
    board="nucleo-f767zi",
    threads=4,
    network="pydnet",
    input=PAPER_INPUT,
    parameters=1_971_624,
    macs=4_000_000_000,
    precision="FP32",
    weights=7_600_000,
    arena=13_000_000,
    resident=21_000_000,
    instructions=3_000_000_000,
    alone=2_000_000_000.0,
    together=540_000_000.0,
    compiler="gcc",
    flags=("-O2",),
    tool="qemu",
)
SHORT = replace(FLOAT, precision="FX16", together=432_000_000.0)
BYTE = replace(FLOAT, precision="FX8", together=216_000_000.0)
ROWS = (FLOAT, SHORT, BYTE)


def table(*rows: DepthRow, watts: float = 3.5) -> DepthTable:
    return depth_facts(MACHINE, rows, threads=4, watts=watts)


def test_frames_follow_from_cycles_of_all_threads_and_joules_from_the_watts() -> None:
    floats, _, byte = table(*ROWS, watts=2.0)["rows"]
    assert floats["frames_per_second"] == pytest.approx(0.4)
    assert byte["frames_per_second"] == pytest.approx(1.0)
    assert byte["frames_per_joule"] == pytest.approx(0.5)


def test_ratios_are_to_the_floats_of_the_same_network() -> None:
    small = replace(FLOAT, network="upydnet", input=(3, 48, 48), together=1e6)
    other = replace(small, precision="FX8", together=5e5)
    found = [row["over_float"] for row in table(*ROWS, small, other)["rows"]]
    assert found == pytest.approx([1.0, 1.25, 2.5, 1.0, 2.0])
    assert table(BYTE)["rows"][0]["over_float"] is None


def test_the_papers_figures_stand_beside_its_own_network_and_resolution_alone() -> None:
    published = table(*ROWS)["rows"][2]["published"]
    assert published is not None
    assert published["over_float"] == 1.49
    others = replace(FLOAT, input=(3, 64, 64)), replace(FLOAT, network="upydnet")
    assert all(row["published"] is None for row in table(*others)["rows"])
    assert "paper 001" in depth_markdown(table(*ROWS))
    assert "paper 001" not in depth_markdown(table(*others))


def test_a_row_tells_bytes_and_time() -> None:
    lines = depth_markdown(table(*ROWS)).splitlines()
    head, row = (
        next(line for line in lines if line.startswith(key)) for key in ("| prec", "| FX8")
    )
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in (head, row)]
    found = dict(zip(*cells, strict=True))
    assert found["precision"] == "FX8 (int8)"
    assert (found["arena"], found["all RAM"]) == ("13,000,000", "21,000,000")
    assert (found["c/MAC"], found["ms"], found["frames/s"]) == ("0.500", "1000", "1")
    assert (found["frames/J"], found["over FP32"]) == ("0.286", "2.50")


def test_facts_are_json_and_tables_say_that_the_power_is_assumed() -> None:
    facts = table(*ROWS)
    assert json.loads(json.dumps(facts))["rows"][0]["element"] == "float32"
    assert "assume 3.5 W" in depth_markdown(facts)


def test_a_ratio_below_the_least_is_named() -> None:
    facts = table(*ROWS)
    require_ratios(facts, {"FX8": 2.5, "FX16": 1.2})
    with pytest.raises(ThresholdError, match=r"pydnet: FX16 is 1\.25 times .*, not 1\.3") as error:
        require_ratios(facts, {"FX8": 1.49, "FX16": 1.3})
    assert "FX8" not in error.value.what


def test_a_least_ratio_names_a_precision() -> None:
    assert least_ratio_of("FX8=1.49") == ("FX8", 1.49)


@pytest.mark.parametrize(
    "text", ["FX8", "FX8=", "FX8=fast", "FX8=-1", "FX8=inf", "FX8=nan", "FP32=1", "1.49"]
)
def test_another_least_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--least"):
        least_ratio_of(text)


def test_rows_that_were_kept_are_taken_for_the_same_network_input_and_threads(
    tmp_path: Path,
) -> None:
    file = tmp_path / "work" / "depth.jsonl"
    assert kept_depth_rows(file) == []
    earlier = replace(BYTE, together=1.0)
    for row in (earlier, *ROWS):
        keep_depth_row(row, file)
    with file.open("a") as lines:
        lines.write('{"board": "rp')
    rows = kept_depth_rows(file)
    assert rows == [earlier, *ROWS]
    bench = DepthBench(MACHINE, None, tmp_path, threads=4)
    assert bench.kept("pydnet", "FX8", rows) == BYTE
    assert bench.kept("upydnet", "FX8", rows) is None
    assert replace(bench, threads=2).kept("pydnet", "FX8", rows) is None
    assert replace(bench, resolution=(64, 64)).kept("pydnet", "FX8", rows) is None


def test_a_file_of_other_rows_is_refused(tmp_path: Path) -> None:
    (tmp_path / "depth.jsonl").write_text('{"network": "pydnet"}\n')
    with pytest.raises(UsageError, match="does not hold rows") as error:
        kept_depth_rows(tmp_path / "depth.jsonl")
    assert "--resume" in error.value.hints[0]


def test_networks_are_those_that_give_depth() -> None:
    assert depth_names(()) == list(DEPTH_NETWORKS)
    assert depth_names(["upydnet"]) == ["upydnet"]
    with pytest.raises(UsageError, match="unet"):
        depth_names(["unet"])


@pytest.mark.parametrize("precision", DEPTH_PRECISIONS)
def test_table_3_3_is_as_printed(precision: str, paper_001: str) -> None:
    behind = paper_001.partition("Table 3.3 Non-functional")[2].splitlines()
    line = next(line for line in behind if line.startswith(f"{precision} "))
    found = TABLE_3_3[precision]
    assert [float(n) for n in line.split()[1:4]] == [
        found.space,
        found.ram,
        found.frames_per_joule,
    ]
    ratio = found.frames_per_joule / TABLE_3_3["FP32"].frames_per_joule
    assert line.endswith(f"{ratio:.2f})")
