"""Allocators side by side: sets of instances, sums over them, published tables."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from deployer.cli.commands.bench_memory import command
from deployer.errors import UsageError
from deployer.tools import bench
from deployer.tools.bench import allocation_sets
from deployer.tools.bench.allocation import OURS, SOLVERS, Result, measure_solvers, summaries
from deployer.tools.bench.allocation_sets import Entry, entries_of, tensor_list
from deployer.tools.bench.allocation_table import TABLE_2_5, TABLE_2_6, allocation_markdown
from deployer.tools.bench.restructuring import zoo_graphs
from unit.ir.nets import resnet8

TABLE = "id,lower,upper,size\na,2,4,1\nb,1,2,4\nc,0,3,3\nd,0,4,2\ne,3,4,4\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "public"
    (path / "hand").mkdir(parents=True)
    (path / "hand" / "resnet18.csv").write_text(TABLE)
    (path / "manifest.csv").write_text("name,best\nx,1\n")
    with zipfile.ZipFile(path / "cells.zip", "w") as archive:
        archive.writestr("cells/c0.csv", TABLE)
        archive.writestr("cells/readme.txt", "cells")
    return path


def result(solver: str, used: int, bound: int, seconds: float, name: str = "a") -> Result:
    return Result("set", name, 3, solver, used, bound, seconds)


def test_folders_and_archives_are_sets(folder: Path) -> None:
    found = [(entry.group, entry.name) for entry in entries_of(folder)]
    assert found == [("cells", "c0"), ("hand", "resnet18")]


def test_a_folder_without_instances_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no instance"):
        entries_of(tmp_path)
    with pytest.raises(UsageError, match="no folder"):
        entries_of(tmp_path / "none")
    (tmp_path / "bad.zip").write_text("no archive")
    with pytest.raises(UsageError, match=r"cannot read .*bad\.zip"):
        entries_of(tmp_path)


def test_tables_of_something_else_are_left_out(folder: Path) -> None:
    with zipfile.ZipFile(folder / "cells.zip", "a") as archive:
        archive.writestr("cells/manifest.csv", "name,best\nx,1\n")
    (folder / "loose.csv").write_text("\ufeff" + TABLE)
    found = [(entry.group, entry.name) for entry in entries_of(folder)]
    assert found == [("cells", "c0"), ("hand", "resnet18"), ("public", "loose")]


def test_the_zoo_s_instances_are_the_networks_of_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[tuple[str, str]] = []
    monkeypatch.setattr(allocation_sets, "draw", lambda name: name)
    monkeypatch.setattr(allocation_sets, "save", lambda net, path: saved.append((net, path.name)))
    monkeypatch.setattr(allocation_sets, "import_model", lambda path: resnet8())
    found = list(allocation_sets.zoo_entries())
    assert {entry.name.replace("-", "") for entry in found} == {
        title.lower().replace("-", "") for title in TABLE_2_5
    }
    assert saved == [(entry.name, f"{entry.name}.onnx") for entry in found]
    assert {(entry.group, entry.text) for entry in found} == {("zoo", tensor_list(resnet8()))}


def test_every_solver_is_measured_on_every_instance() -> None:
    found = measure_solvers([Entry("set", "one", TABLE), Entry("set", "two", TABLE)])
    assert [(row.name, row.solver) for row in found] == [
        (name, solver) for name in ("one", "two") for solver in SOLVERS
    ]
    heights = {row.solver: row.bytes for row in found}
    assert (heights["gs-first"], heights[OURS]) == (10, 9)
    assert all(row.seconds >= 0 for row in found)  # some clocks are coarse


def test_overhead_is_against_what_any_solver_has_proven() -> None:
    rows = [
        result("bag", 12, 8, 0.1),
        result(OURS, 10, 10, 0.3),
        result("bag", 20, 20, 0.2, "b"),
        result(OURS, 20, 20, 0.1, "b"),
    ]
    found = summaries(rows)["set"]
    bag = found["bag"]
    assert (bag.instances, bag.optimal, bag.proven) == (2, 50.0, 1)
    assert (round(bag.average_overhead, 9), round(bag.worst_overhead, 9)) == (10.0, 20.0)
    assert (bag.worst_seconds, round(bag.average_seconds, 9)) == (0.2, 0.15)
    assert found[OURS].optimal == 100.0


def test_the_published_rows_stand_above_those_measured(folder: Path) -> None:
    lines = allocation_markdown(measure_solvers(entries_of(folder))).splitlines()
    published = next(k for k, line in enumerate(lines) if line.startswith("| ResNet-18 "))
    assert "0.96 (30)" in lines[published]
    assert lines[published + 1].startswith("| hand/resnet18 | 5 | here |")
    assert any(line.startswith("| cells | 1 | optimal % | 0.0 | 0.0 |") for line in lines)
    assert "2 instances: 2 optimal with proof, 0 with a gap." in lines


def test_the_published_tables_are_whole() -> None:
    assert {len(sizes) for sizes, _ in TABLE_2_5.values()} == {6}
    assert {len(seconds) for _, seconds in TABLE_2_5.values()} == {6}
    assert {len(row) for row in TABLE_2_6.values()} == {7}


def test_a_network_is_listed_in_bytes_an_element_without_its_input() -> None:
    lines = tensor_list(resnet8()).splitlines()
    assert lines[0] == "id,lower,upper,size,offset"
    assert lines[1] == "conv2d0_out,0,4,16384,"
    assert len(lines) == 1 + 15


def test_the_command_prints_the_tables_or_json(folder: Path, tmp_path: Path) -> None:
    runner = CliRunner()
    out = tmp_path / "table.md"
    given = ["--instances", str(folder), "-o", str(out)]
    shown = runner.invoke(command, [*given, "--no-restructuring"])
    assert shown.exit_code == 0
    assert shown.output == out.read_text()
    facts = json.loads(runner.invoke(command, ["--instances", str(folder), "--json"]).output)
    assert facts["sets"]["cells"][OURS]["proven"] == 1
    assert len(facts["results"]) == 2 * len(SOLVERS)


def test_the_tables_of_restructuring_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One small network stands in for the paper's five, which take a minute."""
    (tmp_path / "net.csv").write_text("id,lower,upper,size\na,0,2,8\nb,1,3,4\n")
    small = {"squeezenet1.1": zoo_graphs(["squeezenet1.1"])["squeezenet1.1"]}
    monkeypatch.setattr(bench, "zoo_graphs", lambda: small)
    done = CliRunner().invoke(command, ["--instances", str(tmp_path)])
    assert done.exit_code == 0, done.output
    titles = [line for line in done.output.splitlines() if line.startswith("Table")]
    assert [title.split(":")[0][6:] for title in titles] == ["2.5", "2.6", "2.8", "2.9"]
    assert sum(line.startswith("| squeezenet1.1 |") for line in done.output.splitlines()) == 2


def test_a_table_that_unpacks_to_far_more_is_not_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.csv", bytes(65 << 20))
    with pytest.raises(UsageError, match=r"bomb\.csv of .* is too large"):
        entries_of(tmp_path)
