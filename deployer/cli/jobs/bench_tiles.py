"""What ``deployer bench tiles`` does: rows as they come, then the tables, plot and verdict."""

from __future__ import annotations

from functools import partial
from typing import Any

from deployer.board.load import load_board
from deployer.board.model import Board
from deployer.cli.jobs.bench_zoo import ERRORS
from deployer.cli.progress import ProgressView, progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.drawing.sweep import check_plot, draw_sweep
from deployer.tools.bench.row import EXACT, NO_FIT
from deployer.tools.bench.tiles import TilesRequest, TilesRow, tiles_rows
from deployer.tools.bench.tiles_facts import table_facts
from deployer.tools.bench.tiles_networks import NETWORKS, require_known
from deployer.tools.bench.tiles_setting import require_runner, resized
from deployer.tools.bench.tiles_table import markdown
from deployer.tools.bench.zoo import worst_of


def carry_out(given: dict[str, Any]) -> None:
    """Raises the error of the worst outcome once everything is printed and written."""
    output, as_json, layers, plot = (
        given.pop(name) for name in ("output", "as_json", "layers", "plot")
    )
    check_output(output)
    check_plot(plot)
    request = TilesRequest(**{**given, "models": _unique(given["models"]) or tuple(NETWORKS)})
    board = _checked(request)
    rows = _collect(request)
    facts = table_facts(board, rows)
    put_table(facts, partial(markdown, layers=layers), output=output, as_json=as_json)
    if plot is not None:
        draw_sweep(plot, facts)
    _require_fine(rows)


def _unique(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _checked(request: TilesRequest) -> Board:
    """The board. Raises UsageError for what cannot be run, before the first row is."""
    board = load_board(request.board, request.board_dir)
    require_known(request.models)
    for setting in request.settings:
        resized(board, setting)
    for runner in request.runners or (next(iter(board.runners), ""),):
        require_runner(board, runner)
    return board


def _collect(request: TilesRequest) -> list[TilesRow]:
    rows: list[TilesRow] = []
    with progress_view() as view:
        view.update("bench", 0, request.count)
        for row in tiles_rows(request):
            rows.append(row)
            _tell(view, row, len(rows), request.count)
    return rows


def _tell(view: ProgressView, row: TilesRow, done: int, total: int) -> None:
    where = f"{row.network}, {row.tiler}, {row.inner:,} B of {row.outer:,} B"
    view.notice(f"[{done}/{total}] {where}: {_said(row)}")
    view.update("bench", done, total)


def _said(row: TilesRow) -> str:
    if not row.runs:
        return f"{row.outcome}: {row.detail}" if row.detail else row.outcome
    runs = (f"{run.runner} {run.outcome}, {sum(run.counts):,} {run.unit}" for run in row.runs)
    return "; ".join(runs)


def _require_fine(rows: list[TilesRow]) -> None:
    bad = [row for row in rows if row.outcome not in (EXACT, NO_FIT)]
    if bad:
        raise ERRORS[worst_of(row.outcome for row in bad)](
            f"{len(bad)} of {len(rows)} rows are not exact",
            why=[f"{row.network}, {row.tiler}: {_said(row)}" for row in bad],
        )
