"""``check`` and ``inspect MODEL`` show memory before and after, above all when it is too much."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deployer.ir import serde
from deployer.pipeline.options import Options, make_job
from deployer.pipeline.stages import execute
from deployer.pipeline.store import STAGES
from deployer.tools.zoo.build import draw, save

Run = Callable[..., Any]
SVG = "{http://www.w3.org/2000/svg}"
NUCLEO = ("-b", "nucleo-f767zi")


@pytest.fixture(scope="module")
def too_large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1,310,720 B in its order, 393,216 B piece by piece; the board has 462,848 for it."""
    path = tmp_path_factory.mktemp("zoo") / "depth.onnx"
    save(draw("upydnet", resolution=(128, 128)), path)
    return path


def test_a_network_that_does_not_fit_is_shown_with_the_plan_that_would(
    deployer: Run, too_large: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "memory.svg"
    done = deployer(
        "check", *NUCLEO, "--restructure", "off", "--picture", picture, "--json", too_large
    )
    assert done.status == 4
    facts = json.loads(done.out)["profile"]
    before, after = facts["before"], facts["after"]
    assert before["peak"]["bytes"] == max(before["alive_bytes"]) == 1_310_720
    assert facts["steps"][before["peak"]["step"]] == "concat1"
    assert sum(before["peak"]["alive"].values()) == 1_310_720
    assert after["what"] == "with --restructure auto"
    assert after["peak"]["bytes"] == max(after["alive_bytes"]) <= facts["room"] < 1_310_720
    assert len(before["alive_bytes"]) == len(after["alive_bytes"]) == len(facts["steps"])
    assert facts["in_pieces"]
    root = ET.fromstring(picture.read_text())
    over = [item for item in root.iter(f"{SVG}rect") if item.get("class") == "over"]
    assert len(over) == sum(size > facts["room"] for size in before["alive_bytes"])


def test_the_text_says_both_peaks_and_what_is_too_much(deployer: Run, too_large: Path) -> None:
    done = deployer("check", *NUCLEO, "--restructure", "off", too_large)
    assert done.status == 4
    assert "plain: peak 1,310,720 B at step 27, concat1" in done.out
    assert "843,776 B more than there is room for" in done.out
    found = re.search(r"^with --restructure auto: peak ([\d,]+) B", done.out, re.MULTILINE)
    assert found
    assert int(found[1].replace(",", "")) <= 466_944
    assert "does not fit" in done.out
    assert max(map(len, done.out.splitlines())) <= 120


def test_what_is_restructured_is_shown_as_it_runs(deployer: Run, too_large: Path) -> None:
    done = deployer("check", *NUCLEO, "--ram", "300KiB", "--json", too_large)
    facts = json.loads(done.out)
    assert done.status == 0
    assert facts["profile"]["room"] == 300 << 10
    assert facts["profile"]["after"]["what"] == "as it runs"
    assert facts["profile"]["after"]["peak"]["bytes"] == facts["arena"]["bound"] <= 300 << 10


def test_a_limit_nothing_keeps_shows_no_plan_that_would(deployer: Run, too_large: Path) -> None:
    done = deployer("check", *NUCLEO, "--ram", "1KiB", "--json", too_large)
    facts = json.loads(done.out)["profile"]
    assert done.status == 4
    assert facts["room"] == 1024 < facts["before"]["peak"]["bytes"]
    assert facts["after"] is None or facts["after"]["what"] == "as scheduled"
    assert not facts["in_pieces"]


def test_a_page_of_a_check_holds_every_picture(
    deployer: Run, small_model: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    assert deployer("check", *NUCLEO, "--picture", page, small_model).status == 0
    root = ET.fromstring(page.read_text())
    titles = [svg.findtext(f"{SVG}title") or "" for svg in root.iter(f"{SVG}svg")]
    assert [title.split()[0] for title in titles] == ["Memory", "Memory", "The"]
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_another_kind_of_picture_is_refused_before_any_work(
    deployer: Run, small_model: Path, tmp_path: Path
) -> None:
    done = deployer("check", *NUCLEO, "--picture", tmp_path / "a.png", small_model)
    assert (done.status, done.out) == (2, "")
    assert ".svg or .html" in done.err
    assert not list(tmp_path.iterdir())


def test_a_model_is_inspected_with_and_without_a_board(
    deployer: Run, small_model: Path, tmp_path: Path
) -> None:
    bare = deployer("inspect", small_model)
    assert bare.status == 0
    assert "plain: peak" in bare.out
    assert "room" not in bare.out
    assert "room for the arena" in deployer("inspect", *NUCLEO, small_model).out
    out = tmp_path / "memory.svg"
    assert deployer("inspect", "--memory", small_model, "-o", out).status == 0
    assert ET.fromstring(out.read_text()).findtext(f"{SVG}title", "").startswith("Memory of ")
    absent = deployer("inspect", tmp_path / "absent.onnx")
    assert (absent.status, absent.out) == (2, "")


def test_what_a_check_foretells_is_what_the_build_shows(
    deployer: Run, small_model: Path, tmp_path: Path
) -> None:
    asked = (*NUCLEO, "--optimize", "ram")
    facts = json.loads(deployer("check", *asked, "--json", small_model).out)["profile"]
    made = deployer("run", *asked, "--until", "allocate", "-o", tmp_path, small_model)
    assert made.status == 0, made.err
    job = tmp_path / "residual-nucleo-f767zi"
    out = deployer("inspect", job).out
    for name, key in (("plain", "before"), ("as it runs", "after")):
        peak = facts[key]["peak"]
        assert f"{name}: peak {peak['bytes']:,} B at step {peak['step']}, " in out
    schedule = serde.load(job / "3-schedule" / "schedule.json")
    assert facts["after"]["peak"]["bytes"] == schedule.peak


@pytest.fixture(scope="module")
def planned(small_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A job that got as far as the C sources."""
    folder = tmp_path_factory.mktemp("job")
    execute(make_job(small_model, "host", options=Options(), output=folder), last="generate")
    return folder / "residual-host"


@pytest.mark.parametrize("stage", ["", *STAGES[:7]])
def test_the_name_of_a_picture_says_what_it_shows(
    deployer: Run, planned: Path, tmp_path: Path, stage: str
) -> None:
    path = planned / f"{STAGES.index(stage)}-{stage}" if stage else planned
    titles = {"network.svg": "The network residual"}
    if stage not in ("import", "quantize", "restructure"):
        titles |= {"my-memory.svg": "Memory of residual on host before", "arena.svg": "Memory over"}
    for name, title in titles.items():
        out = tmp_path / "new" / name
        done = deployer("inspect", path, "-o", out)
        assert (done.status, done.out) == (0, f"{out}\n"), done.err
        assert ET.fromstring(out.read_text()).findtext(f"{SVG}title", "").startswith(title)


def test_a_model_is_drawn_by_name_too(deployer: Run, small_model: Path, tmp_path: Path) -> None:
    for name, title in (("network", "The network"), ("memory", "Memory of")):
        out = tmp_path / f"{name}.svg"
        assert deployer("inspect", small_model, "-o", out).status == 0
        assert ET.fromstring(out.read_text()).findtext(f"{SVG}title", "").startswith(title)


@pytest.mark.parametrize("command", ["run", "build", "flash"])
def test_a_picture_is_no_build_folder(
    deployer: Run, small_model: Path, tmp_path: Path, command: str
) -> None:
    out = tmp_path / "network.svg"
    done = deployer(command, "-b", "nucleo-f767zi", "-o", out, small_model)
    assert done.status == 2
    assert f"deployer inspect -o {out} " in done.err
    assert not list(tmp_path.iterdir())
