"""What ``deployer bench sweep`` does: draw, run image by image, print, judge."""

from __future__ import annotations

from functools import partial
from typing import Any

from deployer.board import load_board
from deployer.cli.progress import progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.tools.bench import (
    SweepBench,
    SweepRequest,
    SweepRow,
    draw_layers,
    require_fine,
    sweep_facts,
    sweep_markdown,
)
from deployer.tools.timing import machine_for


def carry_out(given: dict[str, Any]) -> None:
    """Raises the error of the worst row once everything is printed and written."""
    check_output(given["output"])
    layers = draw_layers(_request(given))
    bench = _bench(given)
    rows: list[SweepRow] = []
    with progress_view() as view:
        for row in bench.rows(layers):
            rows.append(row)
            view.notice(f"[{len(rows)}/{len(layers)}] {row.said}")
            view.update("bench", len(rows), len(layers))
    error = bench.machine.error if bench.machine else 0.0
    put_table(
        sweep_facts(given["board"], rows, bench.made, seed=given["seed"], error=error),
        partial(sweep_markdown, worst=given["worst"]),
        output=given["output"],
        as_json=given["as_json"],
    )
    require_fine(rows, lambda row: row.said)


def _request(given: dict[str, Any]) -> SweepRequest:
    bits = (int(given["bits"]),) if given["bits"] else ()
    return SweepRequest(given["count"] or 0, given["seed"], tuple(given["operators"]), bits)


def _bench(given: dict[str, Any]) -> SweepBench:
    board = load_board(given["board"], given["board_dir"])
    timed = board.timing is not None
    machine = machine_for(board.name, given["costs"], given["board_dir"]) if timed else None
    return SweepBench(board.name, machine, given["board_dir"])
