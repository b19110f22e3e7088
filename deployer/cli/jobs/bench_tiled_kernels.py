"""What ``deployer bench kernels`` does for a board that works on tiles: rows as they come, the
table, the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deployer.board import load_board
from deployer.cli.progress import ProgressView, progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.tools.bench import (
    KernelBench,
    KernelLayer,
    KernelRow,
    layers_named,
    require_fine,
    require_runner,
    tiled_kernels_facts,
    tiled_kernels_markdown,
)


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
    facts = tiled_kernels_facts(board, rows)
    put_table(facts, tiled_kernels_markdown, output=given["output"], as_json=given["as_json"])
    require_fine(rows, lambda row: f"{row.layer}, {row.runner}: {row.said}")


def _collect(benches: list[KernelBench], layers: Mapping[str, KernelLayer]) -> list[KernelRow]:
    rows: list[KernelRow] = []
    with progress_view() as view:
        for bench in benches:
            for name, layer in layers.items():
                rows.append(bench.row(name, layer))
                _tell(view, rows[-1], len(rows), len(benches) * len(layers))
    return rows


def _tell(view: ProgressView, row: KernelRow, done: int, total: int) -> None:
    view.notice(f"[{done}/{total}] {row.layer}, {row.runner}: {row.said}")
    view.update("bench", done, total)
