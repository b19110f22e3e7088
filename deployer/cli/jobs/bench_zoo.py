"""What ``deployer bench zoo`` does: rows as they come, then the table and the verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deployer.board.load import load_board
from deployer.cli.progress import ProgressView, progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.errors import (
    BenchError,
    DeployerError,
    MismatchError,
    ModelError,
    ThresholdError,
)
from deployer.tools.bench.edge import edge_names, edge_network
from deployer.tools.bench.row import (
    DIFFERS,
    EXACT,
    FAILED,
    LIMIT,
    NO_FIT,
    UNSUPPORTED,
    Row,
    keep,
    kept_rows,
)
from deployer.tools.bench.zoo import ZooRequest, worst, zoo_rows
from deployer.tools.bench.zoo_table import markdown, table_facts

ERRORS: dict[str, type[DeployerError]] = {
    DIFFERS: MismatchError,
    FAILED: BenchError,
    UNSUPPORTED: ModelError,
    LIMIT: ThresholdError,
}


def carry_out(given: dict[str, Any]) -> None:
    """Raises the error of the worst outcome once everything is printed and written."""
    output, as_json, work, resume = (
        given.pop(name) for name in ("output", "as_json", "work", "resume")
    )
    check_output(output)
    request = ZooRequest(**{**given, "names": _unique(given["names"]) or edge_names()})
    _check(request)
    rows = _collect(request, work / "rows.jsonl", resume)
    put_table(table_facts(rows), markdown, output=output, as_json=as_json)
    outcome = worst(rows)
    if outcome != EXACT:
        raise _complaint(outcome, rows)


def _unique(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _check(request: ZooRequest) -> None:
    """Raise UsageError for a name that does not exist before the first row runs."""
    for name in request.names:
        edge_network(name, request.edge(name))
    for name in request.boards:
        load_board(name, request.board_dir)


def _collect(request: ZooRequest, file: Path, resume: bool) -> list[Row]:
    known = kept_rows(file) if resume else {}
    kept = {key: row for key, row in known.items() if row.fine and _asked(row, request)}
    if not resume:
        file.unlink(missing_ok=True)
    rows: list[Row] = []
    with progress_view() as view:
        view.update("bench", 0, request.count)
        for row in zoo_rows(request, kept):
            if row.key not in kept:
                keep(row, file)
            rows.append(row)
            _tell(view, row, len(rows), request.count)
    return rows


def _asked(row: Row, request: ZooRequest) -> bool:
    """Whether a kept row is of this size and these options."""
    network = edge_network(row.network, request.edge(row.network))
    own = (row.golden_samples, row.optimize, row.stream_input, row.input, row.macs)
    asked = (request.golden, request.optimize, request.stream_input)
    return own == (*asked, network.input, network.macs)


def _tell(view: ProgressView, row: Row, done: int, total: int) -> None:
    where = f"{row.label} {row.scheme} {row.style} on {row.board}"
    view.notice(f"[{done}/{total}] {where}: {_said(row)} ({row.seconds:.1f} s)")
    view.update("bench", done, total)


def _said(row: Row) -> str:
    if row.same_as:
        return f"same program as {row.same_as}, {row.outcome}"
    if row.outcome == NO_FIT:
        over = ", ".join(f"{name} by {count:,} B" for name, count in row.over.items())
        return f"does not fit {over or row.detail}"
    if row.outcome in (EXACT, DIFFERS):
        cost = f", {row.per_mac:.2f} {row.unit}/MAC {row.kind}" if row.per_mac else ""
        return f"{row.exact_layers} of {row.layers} layers exact{cost}"
    return f"{row.outcome}: {row.detail}"


def _complaint(outcome: str, rows: list[Row]) -> DeployerError:
    bad = [row for row in rows if not row.fine]
    return ERRORS[outcome](
        f"{len(bad)} of {len(rows)} rows are not exact",
        why=[f"{' '.join(row.key)}: {row.outcome} {row.detail}".rstrip() for row in bad],
    )
