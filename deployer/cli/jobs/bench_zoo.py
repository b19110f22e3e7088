"""What ``deployer bench zoo`` does: rows as they come, then the table and the verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deployer.cli.progress import ProgressView, progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.tools.bench import (
    Row,
    ZooRequest,
    edge_names,
    keep,
    kept_rows,
    require_fine,
    zoo_facts,
    zoo_markdown,
    zoo_rows,
)


def carry_out(given: dict[str, Any]) -> None:
    """Raises the error of the worst outcome once everything is printed and written."""
    output, as_json, work, resume = (
        given.pop(name) for name in ("output", "as_json", "work", "resume")
    )
    check_output(output)
    names = tuple(dict.fromkeys(given.pop("names"))) or edge_names()
    request = ZooRequest(names=names, **given)
    request.check()
    rows = _collect(request, work / "rows.jsonl", resume)
    put_table(zoo_facts(rows), zoo_markdown, output=output, as_json=as_json)
    require_fine(rows, _outcome)


def _collect(request: ZooRequest, file: Path, resume: bool) -> list[Row]:
    known = kept_rows(file) if resume else {}
    kept = {key: row for key, row in known.items() if row.fine and request.covers(row)}
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


def _tell(view: ProgressView, row: Row, done: int, total: int) -> None:
    where = f"{row.label} {row.scheme} {row.style} on {row.board}"
    view.notice(f"[{done}/{total}] {where}: {row.said} ({row.seconds:.1f} s)")
    view.update("bench", done, total)


def _outcome(row: Row) -> str:
    return f"{' '.join(row.key)}: {row.outcome} {row.detail}".rstrip()
