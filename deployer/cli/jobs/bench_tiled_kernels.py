"""What ``deployer bench kernels`` does for a board that works on tiles: rows as they come, the
table, the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deployer.board.load import load_board
from deployer.cli.jobs.bench_zoo import ERRORS
from deployer.cli.progress import ProgressView, progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.tools.bench.row import EXACT, NO_FIT
from deployer.tools.bench.tiled_kernels import KernelBench, KernelRow
from deployer.tools.bench.tiled_kernels_layers import KernelLayer, layers_named
from deployer.tools.bench.tiled_kernels_table import markdown, table_facts
from deployer.tools.bench.tiles_setting import require_runner
from deployer.tools.bench.zoo import worst_of


def carry_out(given: dict[str, Any]) -> None:
    """Raises the error of the worst row once everything is printed and written."""
    check_output(given["output"])
    board = load_board(given["board"], given["board_dir"])
    layers = layers_named(given["layers"])
    runners = given["runners"] or (next(iter(board.runners), ""),)
    for runner in runners:
        require_runner(board, runner)
    benches = [KernelBench(board.name, runner, given["board_dir"]) for runner in runners]
    rows = _collect(benches, layers)
    put_table(table_facts(board, rows), markdown, output=given["output"], as_json=given["as_json"])
    _require_fine(rows)


def _collect(benches: list[KernelBench], layers: Mapping[str, KernelLayer]) -> list[KernelRow]:
    rows: list[KernelRow] = []
    with progress_view() as view:
        for bench in benches:
            for name, layer in layers.items():
                rows.append(bench.row(name, layer))
                _tell(view, rows[-1], len(rows), len(benches) * len(layers))
    return rows


def _tell(view: ProgressView, row: KernelRow, done: int, total: int) -> None:
    view.notice(f"[{done}/{total}] {row.layer}, {row.runner}: {_said(row)}")
    view.update("bench", done, total)


def _said(row: KernelRow) -> str:
    found = f"{row.found.inside.cycles:,} cycles" if row.found else row.detail
    return f"{row.outcome}, {found}"


def _require_fine(rows: list[KernelRow]) -> None:
    bad = [row for row in rows if row.outcome not in (EXACT, NO_FIT)]
    if bad:
        raise ERRORS[worst_of(row.outcome for row in bad)](
            f"{len(bad)} of {len(rows)} rows are not exact",
            why=[f"{row.layer}, {row.runner}: {_said(row)}" for row in bad],
        )
