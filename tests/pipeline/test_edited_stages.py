"""Files of stages that somebody edited, damaged or removed: a usage error that names the file."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from deployer.cli.main import cli
from deployer.errors import UsageError
from deployer.pipeline.job import Job, make_job
from deployer.pipeline.options import Options
from deployer.pipeline.stages import execute

OPTIONS = Options(golden_samples=2)


@pytest.fixture(scope="module")
def made(small_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    """A job whose stages up to the generated C are on disk."""
    folder = tmp_path_factory.mktemp("edited")
    job = make_job(small_model, "host", options=OPTIONS, output=folder)
    execute(job, last="generate")
    return job


@pytest.fixture
def job(made: Job, tmp_path: Path) -> Job:
    return replace(made, folder=shutil.copytree(made.folder, tmp_path / made.folder.name))


def edit(job: Job, file: str, change: Callable[[Any], Any]) -> None:
    """``change`` the artifact in a JSON file, in place."""
    path = job.folder / file
    body = json.loads(path.read_text())
    change(body.get("artifact", body))
    path.write_text(json.dumps(body))


def put(*path: Any) -> Callable[[Any], None]:
    """Sets the value at a path, its last item."""

    def change(body: Any) -> None:
        for key in path[:-2]:
            body = body[key]
        body[path[-2]] = path[-1]

    return change


def graph(*path: Any) -> Callable[[Any], None]:
    return put("graph", *path)


def refusal(job: Job, first: str) -> str:
    with pytest.raises(UsageError) as failure:
        execute(job, first=first, last="generate" if first != "build" else "build")
    assert failure.value.hints
    return str(failure.value)


def test_unedited_files_are_taken_from_every_stage_on(job: Job) -> None:
    for stage in ("quantize", "restructure", "schedule", "allocate", "tile", "generate"):
        execute(job, first=stage, last="generate")


SCHEDULE, PLAN, TILES = "3-schedule/schedule.json", "4-allocate/plan.json", "5-tile/tiles.json"
QUANTIZED = "1-quantize/graph.json"
ACTIVATION = ("values", "$map")


def first_value(body: Any, **fields: Any) -> None:
    values = body["graph"]["values"]["$map"]
    values[body["graph"]["inputs"][0]].update(fields)


EDITS: dict[str, tuple[str, Callable[[Any], Any], str, str]] = {
    "no steps": (SCHEDULE, put("steps", []), "allocate", "it has no steps"),
    "a step less": (SCHEDULE, lambda b: b["steps"].pop(), "allocate", "not the nodes"),
    "steps that are text": (SCHEDULE, put("steps", "all"), "allocate", "artifact.steps is no list"),
    "an unknown kernel": (SCHEDULE, put("steps", 0, "kernel", "dpl_x"), "allocate", "dpl_x"),
    "another's kernel": (
        SCHEDULE,
        put("steps", 0, "kernel", "dpl_softmax_s8__ref"),
        "allocate",
        "does not compute",
    ),
    "no kernel": (SCHEDULE, put("steps", 0, "kernel", ""), "allocate", "it has no kernel"),
    "negative scratch": (SCHEDULE, put("steps", 0, "scratch", -4), "allocate", "scratch"),
    "a number as text": (SCHEDULE, put("steps", 0, "index", "0"), "allocate", "index is no int"),
    "an unknown operator": (SCHEDULE, graph("nodes", 0, "op", "Conv9d"), "allocate", "Conv9d"),
    "another operator": (SCHEDULE, graph("nodes", 0, "op", "Add"), "allocate", "attributes"),
    "an unknown class": (SCHEDULE, graph("nodes", 0, "$", "Popen"), "allocate", "no known class"),
    "a field too many": (SCHEDULE, graph("nodes", 0, "evil", 1), "allocate", "'evil'"),
    "an input that is not there": (
        SCHEDULE,
        graph("nodes", 0, "inputs", ["nowhere"]),
        "allocate",
        "before it exists",
    ),
    "a shape": (SCHEDULE, lambda b: first_value(b, shape=[1, 9, 9, 9]), "allocate", "schedule"),
    "an endless shape": (
        SCHEDULE,
        lambda b: first_value(b, shape=[1, 1 << 40, 9, 9]),
        "allocate",
        "a shape",
    ),
    "a stride of 0": (
        SCHEDULE,
        graph("nodes", 0, "attrs", "window", "stride", [0, 1]),
        "allocate",
        "schedule.json",
    ),
    "bounds beyond int8": (
        SCHEDULE,
        graph("nodes", 0, "requant", "high", 999),
        "allocate",
        "bounds",
    ),
    "a rule": (SCHEDULE, graph("nodes", 0, "requant", "rule", "q99"), "allocate", "rule"),
    "no network": (QUANTIZED, put("nodes", []), "restructure", "graph.json"),
    "not an array": (
        QUANTIZED,
        lambda b: b["constants"]["$map"].update({next(iter(b["constants"]["$map"])): 3}),
        "restructure",
        "is no array",
    ),
    "a negative offset": (PLAN, put("placements", 0, "offset", -4), "tile", "offset"),
    "an offset that is nothing": (PLAN, put("placements", 0, "offset", None), "tile", "offset"),
    "a placement less": (PLAN, lambda b: b["placements"].pop(), "tile", "allocation.csv"),
    "a smaller buffer": (
        PLAN,
        put("placements", 0, "buffer", "size", 1),
        "tile",
        "differ from the plan",
    ),
    "another memory": (PLAN, put("placements", 0, "memory", "attic"), "tile", "attic"),
    "no tiles": (TILES, put("steps", []), "generate", "it has no steps"),
    "tiles of another step": (TILES, put("steps", 0, "node", "x"), "generate", "in order"),
    "no tile at all": (TILES, put("steps", 0, "count", 0), "generate", "0 tiles"),
    "no report": (
        "1-quantize/report.json",
        lambda b: b.pop("calibration"),
        "restructure",
        "lacks the key 'calibration'",
    ),
    "a report of text": (
        "1-quantize/report.json",
        put("calibration", "equalize", "maybe"),
        "restructure",
        "calibration.equalize",
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_artifact_is_refused_by_name(job: Job, name: str) -> None:
    file, change, first, said = EDITS[name]
    edit(job, file, change)
    text = refusal(job, first)
    assert said in text
    assert file.partition("/")[0] in text
    assert f"stage {file[2:].partition('/')[0]}" in text


def arrays(job: Job, file: str, **change: np.ndarray) -> None:
    path = job.folder / file
    found = dict(np.load(path))
    np.savez(path, **{**found, **change})


GOLDEN = "1-quantize/golden_inputs.npz"


def golden_name(job: Job) -> str:
    return str(next(iter(np.load(job.folder / GOLDEN))))


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x[:, :1],
        lambda x: x.astype(np.float32),
        lambda x: x[:0],
        lambda x: x.reshape(-1),
    ],
)
def test_golden_inputs_of_another_shape_are_refused(
    job: Job, change: Callable[[np.ndarray], np.ndarray]
) -> None:
    name = golden_name(job)
    arrays(job, GOLDEN, **{name: change(np.load(job.folder / GOLDEN)[name])})
    text = refusal(job, "restructure")
    assert "golden_inputs.npz" in text
    assert name in text


def test_golden_inputs_of_another_name_are_refused(job: Job) -> None:
    arrays(job, GOLDEN, other=np.zeros(3, np.int8))
    assert "golden_inputs.npz" in refusal(job, "restructure")


@pytest.mark.parametrize(
    ("file", "first"),
    [
        (GOLDEN, "generate"),
        (GOLDEN, "restructure"),
        ("3-schedule/schedule.npz", "allocate"),
        ("3-schedule/schedule.json", "allocate"),
        ("4-allocate/allocation.csv", "tile"),
        ("4-allocate/plan.json", "tile"),
        ("1-quantize/report.json", "generate"),
        ("1-quantize/report.json", "restructure"),
    ],
)
def test_a_file_that_is_missing_or_damaged_is_named(job: Job, file: str, first: str) -> None:
    path = job.folder / file
    whole = path.read_bytes()
    turned = bytearray(whole)
    turned[len(whole) // 2] ^= 0x80
    for damaged in (whole[: len(whole) // 2], bytes(turned), b"", None):
        path.unlink(missing_ok=True)
        if damaged is None:
            assert path.name in refusal(job, first)
        else:
            path.write_bytes(damaged)
            assert path.name in refusal(job, first)


def test_weights_of_another_type_are_refused(job: Job) -> None:
    found = np.load(job.folder / "3-schedule/schedule.npz")
    key = next(key for key in found if found[key].dtype == np.int8 and found[key].ndim == 4)
    arrays(job, "3-schedule/schedule.npz", **{key: found[key].astype(np.int16)})
    assert "schedule.json" in refusal(job, "allocate")


def test_c_that_was_edited_is_not_compiled(job: Job) -> None:
    path = job.folder / "6-generate" / "network.c"
    path.write_text(path.read_text().replace(" + 0,", " + 4,", 1))
    assert "network.c is not what the plans give" in refusal(job, "build")


def test_a_comment_that_swallows_code_is_not_compiled(job: Job) -> None:
    path = job.folder / "6-generate" / "weights.h"
    text = path.read_text()
    path.write_text(text.replace("*/", "*x", 1))
    assert "weights.h is not what the plans give" in refusal(job, "build")


@pytest.mark.parametrize("file", [SCHEDULE, PLAN, TILES, QUANTIZED, "4-allocate/allocation.csv"])
@pytest.mark.parametrize("output", [None, "x.svg", "x.html"])
def test_inspect_calls_a_damaged_file_a_users_error(
    job: Job, file: str, output: str | None, tmp_path: Path
) -> None:
    path = job.folder / file
    path.write_bytes(b"\xff" + path.read_bytes().replace(b"1", b"[")[:2000])
    drawn = ["-o", str(tmp_path / output)] if output else []
    done = CliRunner().invoke(cli, ["inspect", *drawn, str(path)])
    assert isinstance(done.exception, UsageError), done.exception
    assert path.name in str(done.exception)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (lambda row: f"{row[0]},{row[1]},{row[2]},{row[3]},-4", "offset is '-4'"),
        (lambda row: f"{row[0]},{row[1]},{row[2]},{row[3]},nan", "offset is 'nan'"),
        (lambda row: f"{row[0]},{row[1]},{row[2]},4,{row[4]}", "size differ"),
        (lambda row: f"x,{row[1]},{row[2]},{row[3]},{row[4]}", "x: not in the plan"),
        (lambda row: "\0", "allocation.csv"),
        (lambda row: "", "missing"),
    ],
)
def test_a_cell_of_the_allocation_that_cannot_be_is_refused(
    job: Job, line: Callable[[list[str]], str], said: str
) -> None:
    path = job.folder / "4-allocate" / "allocation.csv"
    head, first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([head, line(first.split(",")), *rest, ""]))
    with pytest.raises(UsageError, match=re.escape(said)):
        execute(job, first="tile", last="tile")


def test_overlapping_offsets_are_refused(job: Job) -> None:
    path = job.folder / "4-allocate" / "allocation.csv"
    head, *rows = path.read_text().splitlines()
    moved = [",".join([*row.split(",")[:4], "0"]) for row in rows]
    path.write_text("\n".join([head, *moved, ""]))
    assert "share bytes at step" in refusal(job, "tile")
