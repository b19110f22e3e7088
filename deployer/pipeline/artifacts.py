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

from deployer import bundle, json_text
from deployer.allocate import problem, validate
from deployer.errors import BenchError, UsageError
from deployer.ir import Graph, MemoryPlan, Schedule, TilePlan, load_sound, serde
from deployer.npz import Npz, NpzError
from deployer.pipeline.facts import QuantFacts, RanRow, Report
from deployer.pipeline.made import read_made
from deployer.pipeline.store import Format, Stage
from deployer.printed import label
from deployer.schema import BOOL, Each, OrNull, Table, integer, number, text

REPORT_SCHEMA = 1
SERIAL_LOG = "serial.log"
_MAX_TEXT_BYTES = 256 << 20  # of generated C: weights are written as text
_ANYTHING = Table({}, {}, open=True)
_ERROR = OrNull(number(-1e30, 1e30))
_QUANTIZED = Table(
    {
        "calibration": Table(
            {
                "calibrate": text(),
                "percentile": OrNull(number(0, 100)),
                **dict.fromkeys(("equalize", "bias_correction", "synthetic"), BOOL),
            },
            {},
            open=True,
        ),
        "layers": Each(
            Table({"node": text(), "output": Table({"sqnr_db": _ERROR}, {}, open=True)}, {}, True)
        ),
        "outputs": Each(
            Table(
                {
                    "sqnr_db": _ERROR,
                    "max_abs_error": number(0, 1e300),
                    "top1_agreement": number(0, 1),
                },
                {},
                open=True,
            ),
            least=1,
        ),
        "samples": integer(1, 1 << 40),
    },
    {},
    open=True,
)


@dataclass(frozen=True, eq=False)
class Quantized:
    """The integer graph, the error report as JSON, and the golden inputs as NHWC integers."""

    graph: Graph
    report: QuantFacts
    inputs: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Generated:
    """Generated sources by file name."""

    files: Mapping[str, str]


def write_json(body: Any, path: Path) -> None:
    path.write_text(json.dumps(body, indent=1, sort_keys=True) + "\n")


def read_json(path: Path, table: Table = _ANYTHING) -> Any:
    """What ``path`` holds, as ``table`` says. Raises UsageError for anything else."""
    try:
        found = json_text.read_json(path)
        table.check(found, "")
        return found
    except FileNotFoundError:
        raise UsageError(f"no artifact at {path}", hints=["run the earlier stages first"]) from None
    except OSError as error:
        raise serde.unreadable(path, [error.strerror or str(error)]) from None
    except (ValueError, UsageError) as error:
        raise serde.unreadable(path, str(error).splitlines()) from None


def _file(name: str, kind: type) -> Format:
    return Format(
        write=lambda artifact, folder: serde.save(artifact, folder / name),
        read=lambda folder: _of_kind(load_sound(folder / name), kind, folder / name),
    )


def _of_kind(found: Any, kind: type, path: Path) -> Any:
    if not isinstance(found, kind):
        raise serde.unreadable(path, [f"it is no {kind.__name__}"])
    return found


def _write_quantized(artifact: Quantized, folder: Path) -> None:
    serde.save(artifact.graph, folder / "graph.json")
    write_json(artifact.report, folder / "report.json")
    (folder / "golden_inputs.npz").write_bytes(_packed(artifact.inputs))


def _packed(inputs: Mapping[str, np.ndarray]) -> bytes:
    return serde.pack_arrays({label(name): array for name, array in inputs.items()})


def _read_quantized(folder: Path) -> Quantized:
    path = folder / "graph.json"
    graph: Graph = _of_kind(load_sound(path), Graph, path)
    inputs = _golden_inputs(graph, folder / "golden_inputs.npz")
    return Quantized(graph, read_json(folder / "report.json", _QUANTIZED), inputs)


def _golden_inputs(graph: Graph, path: Path) -> Mapping[str, np.ndarray]:
    """As many integers of each input as the graph states, for the same number of samples."""
    try:
        with Npz(path) as file:
            wanted = [label(name) for name in graph.inputs]
            if set(file.keys) != set(wanted):
                raise NpzError(f"it holds {', '.join(file.keys)}, not {', '.join(wanted)}")
            return {name: _golden_input(graph, file, name) for name in graph.inputs}
    except FileNotFoundError:
        raise UsageError(f"no artifact at {path}", hints=["run the earlier stages first"]) from None
    except (NpzError, OSError) as error:
        raise serde.unreadable(path, [str(error)]) from None


def _golden_input(graph: Graph, file: Npz, name: str) -> np.ndarray:
    value, head = graph.values[name], file.header(label(name))
    count = file.header(label(graph.inputs[0])).shape[:1]
    if head.dtype != value.dtype.numpy or head.shape != (*count, *value.shape[1:]) or 0 in count:
        raise NpzError(
            f"{name!r} is {head.shape} of {head.dtype}, not (samples, *{value.shape[1:]}) of "
            f"{value.dtype.value}"
        )
    return file.array(label(name), limit=2 * file.size)


def _write_plan(plan: MemoryPlan, folder: Path) -> None:
    serde.save(plan, folder / "plan.json")
    (folder / "allocation.csv").write_text(problem.plan_to_csv(plan))


def _read_plan(folder: Path) -> MemoryPlan:
    """The plan with the offsets of allocation.csv, which may have been edited by hand."""
    path, table = folder / "plan.json", folder / "allocation.csv"
    plan: MemoryPlan = _of_kind(load_sound(path), MemoryPlan, path)
    try:
        edited = problem.plan_with_csv(plan, file_text(table))
        validate.validate(edited)
    except UsageError as error:
        why = [error.what, *error.why]
        raise serde.unreadable(table, why) from None
    return edited


def file_text(path: Path) -> str:
    """What a text file of a stage holds. Raises UsageError naming it."""
    try:
        data = path.read_bytes()
        if len(data) > _MAX_TEXT_BYTES:
            raise serde.unreadable(path, [f"it has {len(data):,} bytes"])
        return data.decode()
    except FileNotFoundError:
        raise UsageError(f"no artifact at {path}", hints=["run the earlier stages first"]) from None
    except OSError as error:
        raise serde.unreadable(path, [error.strerror or str(error)]) from None
    except UnicodeDecodeError as error:
        raise serde.unreadable(path, [f"byte {error.start} is not UTF-8"]) from None


def _write_generated(artifact: Generated, folder: Path) -> None:
    for name, content in artifact.files.items():
        (folder / name).write_text(content)


def _read_generated(folder: Path) -> Generated:
    if not folder.is_dir():
        raise UsageError(f"no artifact at {folder}", hints=["run the earlier stages first"])
    return Generated({name: file_text(folder / name) for name in sorted(read_made(folder).files)})


@dataclass(frozen=True)
class Ran:
    """The report of a run, the line of its record, and all that was said on the line. ``trouble``:
    why the record lacks the energy that was to be measured."""

    report: Report
    record: str
    log: bytes = b""
    trouble: BenchError | None = None


def _write_run(ran: Ran, folder: Path) -> None:
    report = ran.report
    write_json({"schema": REPORT_SCHEMA, **report}, folder / "report.json")
    (folder / "record.jsonl").write_text(ran.record + "\n")
    (folder / SERIAL_LOG).write_bytes(ran.log)
    rows = [_flat(row) for row in report["layers"]]
    with (folder / "layers.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _read_run(folder: Path) -> Ran:
    record = (folder / "record.jsonl").read_text().strip()
    return Ran(read_json(folder / "report.json"), record, (folder / SERIAL_LOG).read_bytes())


def _flat(row: RanRow) -> dict[str, Any]:
    """Of the tiles only how many; report.json has the rest."""
    tiles = row.get("tiles")
    return {**row, "tiles": tiles["count"] if tiles else 1}


IMPORT = Stage[Graph]("import")
QUANTIZE = Stage[Quantized]("quantize")
RESTRUCTURE = Stage[Graph]("restructure")
SCHEDULE = Stage[Schedule]("schedule")
ALLOCATE = Stage[MemoryPlan]("allocate")
TILE = Stage[TilePlan]("tile")
GENERATE = Stage[Generated]("generate")
BUILD = Stage[bundle.Bundle]("build")
RUN = Stage[Ran]("run")

FORMATS: dict[str, Format] = {
    IMPORT: _file("graph.json", Graph),
    QUANTIZE: Format(_write_quantized, _read_quantized),
    RESTRUCTURE: _file("graph.json", Graph),
    SCHEDULE: _file("schedule.json", Schedule),
    ALLOCATE: Format(_write_plan, _read_plan),
    TILE: _file("tiles.json", TilePlan),
    GENERATE: Format(_write_generated, _read_generated),
    BUILD: Format(lambda fill, folder: fill(folder), bundle.read, reread=True),
    RUN: Format(_write_run, _read_run),
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
