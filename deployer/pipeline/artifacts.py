"""How each stage's artifact is stored in its folder."""

from __future__ import annotations

import csv
import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from deployer import bundle
from deployer.allocate import problem, validate
from deployer.errors import UsageError
from deployer.ir import serde
from deployer.ir.graph import Graph
from deployer.ir.plan import MemoryPlan
from deployer.pipeline import made
from deployer.pipeline.store import Format

REPORT_SCHEMA = 1


@dataclass(frozen=True, eq=False)
class Quantized:
    """The integer graph, the error report as JSON, and the golden inputs as NHWC integers."""

    graph: Graph
    report: Mapping[str, Any]
    inputs: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Generated:
    """Generated sources by file name."""

    files: Mapping[str, str]


def write_json(body: Any, path: Path) -> None:
    path.write_text(json.dumps(body, indent=1, sort_keys=True) + "\n")


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        raise UsageError(f"no artifact at {path}", hints=["run the earlier stages first"]) from None
    except ValueError as error:
        raise UsageError(f"not a readable artifact: {path}", why=[str(error)]) from None


def _file(name: str) -> Format:
    return Format(
        write=lambda artifact, folder: serde.save(artifact, folder / name),
        read=lambda folder: serde.load(folder / name),
    )


def _write_quantized(artifact: Quantized, folder: Path) -> None:
    serde.save(artifact.graph, folder / "graph.json")
    write_json(artifact.report, folder / "report.json")
    (folder / "golden_inputs.npz").write_bytes(serde.pack_arrays(artifact.inputs))


def _read_quantized(folder: Path) -> Quantized:
    graph = serde.load(folder / "graph.json")
    with np.load(folder / "golden_inputs.npz", allow_pickle=False) as arrays:
        inputs = {name: arrays[name] for name in arrays.files}
    return Quantized(graph, read_json(folder / "report.json"), inputs)


def _write_plan(plan: MemoryPlan, folder: Path) -> None:
    serde.save(plan, folder / "plan.json")
    (folder / "allocation.csv").write_text(problem.plan_to_csv(plan))


def _read_plan(folder: Path) -> MemoryPlan:
    """The plan with the offsets of allocation.csv, which may have been edited by hand."""
    plan: MemoryPlan = serde.load(folder / "plan.json")
    edited = problem.plan_with_csv(plan, (folder / "allocation.csv").read_text())
    validate.validate(edited)
    return edited


def _write_generated(artifact: Generated, folder: Path) -> None:
    for name, text in artifact.files.items():
        (folder / name).write_text(text)


def _read_generated(folder: Path) -> Generated:
    if not folder.is_dir():
        raise UsageError(f"no artifact at {folder}", hints=["run the earlier stages first"])
    paths = (path for path in sorted(folder.iterdir()) if path.name != made.FILE)
    return Generated({path.name: path.read_text() for path in paths})


@dataclass(frozen=True)
class Ran:
    """The report of a run, and the line of its record."""

    report: Mapping[str, Any]
    record: str


def _write_run(ran: Ran, folder: Path) -> None:
    report = ran.report
    write_json({"schema": REPORT_SCHEMA, **report}, folder / "report.json")
    (folder / "record.jsonl").write_text(ran.record + "\n")
    rows = [_flat(row) for row in report["layers"]]
    with (folder / "layers.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _read_run(folder: Path) -> Ran:
    return Ran(read_json(folder / "report.json"), (folder / "record.jsonl").read_text().strip())


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Of the tiles only how many; report.json has the rest."""
    tiles = row.get("tiles")
    return {**row, "tiles": tiles["count"] if tiles else 1}


FORMATS: dict[str, Format] = {
    "import": _file("graph.json"),
    "quantize": Format(_write_quantized, _read_quantized),
    "restructure": _file("graph.json"),
    "schedule": _file("schedule.json"),
    "allocate": Format(_write_plan, _read_plan),
    "tile": _file("tiles.json"),
    "generate": Format(_write_generated, _read_generated),
    "build": Format(lambda fill, folder: fill(folder), bundle.read, reread=True),
    "run": Format(_write_run, _read_run),
}


def as_json(item: Any) -> Any:
    """A frozen dataclass as plain JSON types."""
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        return {f.name: as_json(getattr(item, f.name)) for f in dataclasses.fields(item)}
    if isinstance(item, Mapping):
        return {str(key): as_json(value) for key, value in item.items()}
    if isinstance(item, tuple | list):
        return [as_json(value) for value in item]
    if isinstance(item, np.generic):
        return item.item()
    return item
