"""What ``deployer bench accuracy`` does: read, quantize each way, print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deployer.cli.progress import ProgressView, progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.frontend import import_model
from deployer.ir import Graph
from deployer.quantize import Dataset, classes_of, label_doubts, load_dataset, sample_doubts
from deployer.tools.bench import (
    AccuracyRow,
    accuracy_facts,
    accuracy_markdown,
    accuracy_rows,
    float_outputs,
    require_all,
    variants_of,
)


def carry_out(given: dict[str, Any]) -> None:
    """Raises ModelError after the table when a variant could not be made."""
    check_output(given["output"])
    variants = variants_of(given["schemes"], given["methods"])
    with progress_view() as view:
        graph = import_model(
            given["model"], input_shapes=dict(given["input_shapes"]), cut=given["cut"]
        )
        data = _read(graph, given["data"], given)
        own = given["calibration"]
        calibration = _read(graph, own, given).samples if own else data.samples
        expected = float_outputs(graph, data)
        labels = label_doubts(data.labels, classes_of(expected), data.samples.source)
        for text in (*sample_doubts(calibration), *labels):
            view.notice(f"WARNING: {text}")
        rows: list[AccuracyRow] = []
        for row in accuracy_rows(graph, data, calibration, variants, expected=expected):
            rows.append(row)
            _tell(view, row, len(rows), len(variants))
    facts = accuracy_facts(graph, data, calibration, rows, expected=expected)
    put_table(facts, accuracy_markdown, output=given["output"], as_json=given["as_json"])
    require_all(rows)


def _read(graph: Graph, path: Path, given: dict[str, Any]) -> Dataset:
    return load_dataset(
        graph, path, input_scale=given["input_scale"], input_offset=given["input_offset"]
    )


def _tell(view: ProgressView, row: AccuracyRow, done: int, total: int) -> None:
    view.notice(f"[{done}/{total}] {row.scheme} {row.calibrate}: {row.said} ({row.seconds:.1f} s)")
