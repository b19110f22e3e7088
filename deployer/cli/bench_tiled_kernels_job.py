"""What ``deployer bench kernels`` does for a board that works on tiles: rows as they come, the
table."""

from __future__ import annotations

from typing import Any

from deployer.bench.tiled_kernels import KernelBench, KernelRow
from deployer.bench.tiled_kernels_layers import layers_named
from deployer.bench.tiled_kernels_table import markdown, table_facts
from deployer.bench.tiles_setting import require_runner
from deployer.board.load import load_board
from deployer.cli.progress import ProgressView, progress_view
from deployer.cli.table_file import check_output, put_table


def carry_out(given: dict[str, Any]) -> None:
    """Raises MismatchError at the first output that is not golden."""
    check_output(given["output"])
    board = load_board(given["board"], given["board_dir"])
    layers = layers_named(given["layers"])
    runners = given["runners"] or (next(iter(board.runners), ""),)
    for runner in runners:
        require_runner(board, runner)
    rows: list[KernelRow] = []
    with progress_view() as view:
        for runner in runners:
            bench = KernelBench(board.name, runner, given["board_dir"])
            for name, layer in layers.items():
                rows.append(bench.row(name, layer))
                _tell(view, rows[-1], len(rows), len(runners) * len(layers))
    put_table(table_facts(board, rows), markdown, output=given["output"], as_json=given["as_json"])


def _tell(view: ProgressView, row: KernelRow, done: int, total: int) -> None:
    view.notice(f"[{done}/{total}] {row.layer}, {row.runner}: {row.inside.cycles:,} cycles")
    view.update("bench", done, total)
