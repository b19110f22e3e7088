"""What ``deployer bench tiles`` does: rows as they come, then the tables, plot and verdict."""

from __future__ import annotations

from functools import partial
from typing import Any

from deployer.board import load_board, pair_named
from deployer.cli.progress import ProgressView, progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.drawing import check_plot, draw_sweep
from deployer.errors import UsageError
from deployer.tools.bench import (
    TILED_NETWORKS,
    TilesRequest,
    TilesRow,
    require_fine,
    tiles_markdown,
    tiles_rows,
    tiles_table_facts,
)


def carry_out(given: dict[str, Any]) -> None:
    """Raises the error of the worst outcome once everything is printed and written."""
    output, as_json, layers, plot = (
        given.pop(name) for name in ("output", "as_json", "layers", "plot")
    )
    check_output(output)
    check_plot(plot)
    given["point"] = _point(given)
    models = tuple(dict.fromkeys(given.pop("models"))) or tuple(TILED_NETWORKS)
    request = TilesRequest(models=models, **given)
    board = request.checked_board()
    rows = _collect(request)
    facts = tiles_table_facts(board, rows)
    put_table(facts, partial(tiles_markdown, layers=layers), output=output, as_json=as_json)
    if plot is not None:
        draw_sweep(plot, facts)
    require_fine(rows, lambda row: f"{row.network}, {row.tiler}: {row.said}")


def _point(given: dict[str, Any]) -> str:
    """The point that is named, or that of the clocks. Raises UsageError for both."""
    point: str = given["point"]
    clocks = given.pop("fabric_mhz"), given.pop("cluster_mhz")
    if clocks == (None, None):
        return point
    if point:
        raise UsageError(
            "--point says what clocks there are, and so do --fc-clock and --cluster-clock",
            hints=["give the point, or the clocks"],
        )
    return pair_named(load_board(given["board"], given["board_dir"]), *clocks)


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
    view.notice(f"[{done}/{total}] {where}: {row.said}")
    view.update("bench", done, total)
