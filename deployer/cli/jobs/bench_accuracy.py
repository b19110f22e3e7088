"""What ``deployer bench accuracy`` does: read, quantize each way, print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deployer.cli.progress import ProgressView, progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.errors import ModelError, UsageError, near_hints
from deployer.frontend.onnx_import import import_model
from deployer.ir.graph import Graph
from deployer.quantize.doubts import classes_of, label_doubts, sample_doubts
from deployer.quantize.quantize import QuantOptions
from deployer.quantize.samples import Dataset, load_dataset
from deployer.tools.bench.accuracy import (
    VARIANTS,
    AccuracyRow,
    accuracy_rows,
    float_outputs,
    table_facts,
)
from deployer.tools.bench.accuracy_table import markdown


def carry_out(given: dict[str, Any]) -> None:
    """Raises ModelError after the table when a variant could not be made."""
    check_output(given["output"])
    variants = _variants(given["schemes"], given["methods"])
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
    facts = table_facts(graph, data, calibration, rows, expected=expected)
    put_table(facts, markdown, output=given["output"], as_json=given["as_json"])
    _require_all(rows)


def _variants(schemes: tuple[str, ...], methods: tuple[str, ...]) -> tuple[QuantOptions, ...]:
    for what, asked, known in (
        ("scheme", schemes, {one.scheme: None for one in VARIANTS}),
        ("calibration", methods, {one.calibrate: None for one in VARIANTS}),
    ):
        for name in asked:
            if name not in known:
                raise UsageError(f"unknown {what} {name!r}", hints=near_hints(name, known))
    return tuple(
        one
        for one in VARIANTS
        if one.scheme in (schemes or (one.scheme,))
        and one.calibrate in (methods or (one.calibrate,))
    )


def _read(graph: Graph, path: Path, given: dict[str, Any]) -> Dataset:
    return load_dataset(
        graph, path, input_scale=given["input_scale"], input_offset=given["input_offset"]
    )


def _tell(view: ProgressView, row: AccuracyRow, done: int, total: int) -> None:
    if row.error:
        said = row.error
    else:
        top1 = "" if row.top1 is None else f"top-1 {row.top1:.2%}, "
        said = f"{top1}as float {row.agreement:.2%}"
    view.notice(f"[{done}/{total}] {row.scheme} {row.calibrate}: {said} ({row.seconds:.1f} s)")


def _require_all(rows: list[AccuracyRow]) -> None:
    failed = [row for row in rows if row.error]
    if failed:
        raise ModelError(
            f"{len(failed)} of {len(rows)} variants have no integers",
            why=[f"{row.scheme} {row.calibrate}: {row.error}" for row in failed],
        )
