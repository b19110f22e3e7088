"""``deployer inspect PATH -o FILE``: what is drawn, from where, and what a failure leaves."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from deployer.allocate.allocate import allocate
from deployer.allocate.portfolio import NO_EFFORT
from deployer.analysis.liveness import lifetimes
from deployer.analysis.peak import live_peak
from deployer.board.load import load_board
from deployer.cli import main as cli_main
from deployer.ir import serde
from deployer.ir.graph import Graph
from deployer.pipeline.artifacts import FORMATS
from deployer.restructure.algorithm3 import Algorithm3
from deployer.schedule.order import schedule
from unit.drawing.drawn import SVG, buffers
from unit.ir.nets import resnet8, vww


def write_job(folder: Path, graph: Graph) -> Path:
    """The artifacts a run leaves, without running one."""
    order = schedule(graph, ("ref",))
    plan = allocate(order, load_board("gap8"), effort=NO_EFFORT)
    artifacts = {"2-restructure": graph, "3-schedule": order, "4-allocate": plan}
    for name, artifact in artifacts.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        FORMATS[name[2:]].write(artifact, folder / name)
    return folder


@pytest.fixture
def job(tmp_path: Path) -> Path:
    return write_job(tmp_path / "resnet8-gap8", resnet8())


def inspect(path: Path, output: Path, *more: str) -> int:
    with pytest.raises(SystemExit) as stop:
        cli_main.main(["inspect", str(path), "-o", str(output), *more])
    return int(stop.value.code or 0)


def test_a_plan_is_drawn_with_the_limits_of_its_board(job: Path, tmp_path: Path) -> None:
    out = tmp_path / "arena.svg"
    assert inspect(job / "4-allocate", out) == 0
    root = ET.fromstring(out.read_text())
    assert (root.findtext(f"{SVG}title") or "").endswith("on gap8")
    assert "l2 524,288 B" in out.read_text()
    plan = serde.load(job / "4-allocate" / "plan.json")
    assert sorted(rect.name for rect in buffers(root)) == sorted(
        p.buffer.id for p in plan.placements
    )


@pytest.mark.parametrize("stage", ["2-restructure", "3-schedule", "3-schedule/schedule.json"])
def test_a_graph_or_schedule_is_drawn_as_a_network(job: Path, tmp_path: Path, stage: str) -> None:
    out = tmp_path / "net.svg"
    assert inspect(job / stage, out) == 0
    text = out.read_text()
    ET.fromstring(text)
    assert all(node.name in text for node in resnet8().nodes)


def test_a_page_holds_all_pictures_and_both_tables(job: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    assert inspect(job, out) == 0
    root = ET.fromstring(out.read_text())
    assert len(list(root.iter(f"{SVG}svg"))) == 3
    assert all(svg.find(f"{SVG}title") is not None for svg in root.iter(f"{SVG}svg"))
    layers, places = (len(list(table.iter("tr"))) - 1 for table in root.iter("table"))
    assert layers == len(serde.load(job / "3-schedule" / "schedule.json").steps)
    assert places == len(serde.load(job / "4-allocate" / "plan.json").placements)


def test_a_page_needs_nothing_from_elsewhere(job: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    inspect(job, out)
    text = out.read_text().replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|<script|<link|@import|url\(|src=|href=", text)
    assert str(tmp_path) not in text
    assert "prefers-color-scheme: dark" in text


@pytest.mark.parametrize("name", ["a.svg", "a.html"])
def test_twice_the_same_bytes(job: Path, tmp_path: Path, name: str) -> None:
    first, second = tmp_path / f"1{name}", tmp_path / f"2{name}"
    assert inspect(job, first) == inspect(job, second) == 0
    assert first.read_bytes() == second.read_bytes()


def test_offsets_edited_by_hand_are_drawn(job: Path, tmp_path: Path) -> None:
    table = job / "4-allocate" / "allocation.csv"
    header, *rows = table.read_text().splitlines()
    column = header.split(",").index("offset")
    cells = [row.split(",") for row in rows]
    moved = [[*c[:column], str(int(c[column]) + 64), *c[column + 1 :]] for c in cells]
    table.write_text("\n".join([header, *(",".join(c) for c in moved)]) + "\n")
    out = tmp_path / "arena.svg"
    assert inspect(job / "4-allocate", out) == 0
    assert f"arena {resnet8_arena(job) + 64:,} B" in out.read_text()


def resnet8_arena(job: Path) -> int:
    return int(serde.load(job / "4-allocate" / "plan.json").arena)


def test_a_plan_of_another_network_than_the_schedule_is_drawn_alone(
    job: Path, tmp_path: Path
) -> None:
    other = write_job(tmp_path / "vww-gap8", vww())
    (job / "3-schedule" / "schedule.json").write_bytes(
        (other / "3-schedule" / "schedule.json").read_bytes()
    )
    (job / "3-schedule" / "schedule.npz").write_bytes(
        (other / "3-schedule" / "schedule.npz").read_bytes()
    )
    out = tmp_path / "arena.svg"
    assert inspect(job / "4-allocate", out) == 0
    assert "step 0" in out.read_text()


def test_a_board_may_be_named(job: Path, tmp_path: Path) -> None:
    renamed = job.rename(tmp_path / "elsewhere")
    out = tmp_path / "arena.svg"
    assert inspect(renamed / "4-allocate", out) == 0
    assert "524,288" not in out.read_text()
    assert inspect(renamed / "4-allocate", out, "--board", "gap8") == 0
    assert "l2 524,288 B" in out.read_text()


@pytest.mark.parametrize(
    ("path", "output", "text"),
    [
        ("4-allocate", "a.png", ".svg or .html"),
        ("4-allocate", "svg", ".svg or .html"),
        ("4-allocate", "resnet8-gap8/4-allocate/plan.json/a.svg", "cannot write"),
        ("absent", "a.svg", "no such"),
        ("empty", "a.svg", "nothing to draw"),
        ("4-allocate/allocation.csv", "a.svg", "nothing to draw"),
        ("4-allocate/plan.json", "folder.svg", "cannot write"),
    ],
)
def test_failures_say_what_and_leave_nothing(
    job: Path, tmp_path: Path, path: str, output: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (job / "empty").mkdir()
    (tmp_path / "folder.svg").mkdir()
    before = sorted(tmp_path.iterdir())
    assert inspect(job / path, tmp_path / output) == 2
    said = capsys.readouterr()
    assert text in said.err
    assert said.out == ""
    assert sorted(tmp_path.iterdir()) == before


def test_a_failure_leaves_the_earlier_file(job: Path, tmp_path: Path) -> None:
    out = tmp_path / "arena.svg"
    assert inspect(job / "4-allocate", out) == 0
    before = out.read_bytes()
    (job / "4-allocate" / "plan.json").write_text("{")
    assert inspect(job / "4-allocate", out) == 2
    assert out.read_bytes() == before


def test_memory_before_and_after_is_drawn_from_a_job_or_its_stages(
    job: Path, tmp_path: Path
) -> None:
    out = tmp_path / "memory.svg"
    for path in (job, job / "3-schedule", job / "4-allocate"):
        assert inspect(path, out, "--memory") == 0
        root = ET.fromstring(out.read_text())
        assert (root.findtext(f"{SVG}title") or "").startswith("Memory of resnet8 on gap8 before")
        assert f"peak 49,152 B at step 2, {resnet8().nodes[2].name}" in out.read_text()


def test_memory_of_a_graph_without_a_schedule_is_refused(
    job: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert inspect(job / "2-restructure", tmp_path / "memory.svg", "--memory") == 2
    assert "needs a schedule" in capsys.readouterr().err
    assert not (tmp_path / "memory.svg").exists()


def test_an_arena_is_drawn_beside_a_graph_that_cannot_be_read(job: Path, tmp_path: Path) -> None:
    (job / "1-quantize").mkdir()
    (job / "1-quantize" / "graph.json").write_text("{")
    assert inspect(job / "4-allocate", tmp_path / "a.svg") == 0
    assert inspect(job, tmp_path / "a.html") == 2


def test_memory_before_is_that_of_the_models_own_order(
    job: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The quantized graph has it; the schedule may have another."""
    pieces = Algorithm3(0.5)(resnet8())
    write_job(job, pieces)
    (job / "1-quantize").mkdir()
    FORMATS["restructure"].write(resnet8(), job / "1-quantize")
    with pytest.raises(SystemExit):
        cli_main.main(["inspect", "--memory", str(job)])
    out = capsys.readouterr().out
    assert f"plain: peak 49,152 B at step 2, {resnet8().nodes[2].name}" in out
    assert f"as it runs: peak {live_peak(lifetimes(pieces)).bytes:,} B" in out
    assert "in pieces" in out
    assert "room for the arena" in out


def test_a_job_folder_names_its_stages_and_the_page(
    job: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        cli_main.main(["inspect", str(job)])
    out = capsys.readouterr().out
    assert f"deployer inspect {job / '4-allocate'}" in out
    assert "-o resnet8-gap8.html" in out
    assert f"plain: peak 49,152 B at step 2, {resnet8().nodes[2].name}" in out
