"""What ``deployer bench sweep`` does: draw, run image by image, print, judge."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from deployer.board import load_board
from deployer.cli.progress import ProgressView, progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.tools.bench import (
    SweepBench,
    SweepRequest,
    SweepRow,
    draw_layers,
    library_of,
    link_sweep_peer,
    require_fine,
    sweep_facts,
    sweep_markdown,
)
from deployer.tools.timing import Machine, machine_for, with_code_at_hand


def carry_out(given: dict[str, Any]) -> None:
    """Raises the error of the worst row once everything is printed and written."""
    check_output(given["output"])
    layers = draw_layers(_request(given))
    library = library_of(given["against"]) if given["against"] else None
    machine = _machine(given)
    with progress_view() as view, TemporaryDirectory() as folder:
        board, board_dir = given["board"], given["board_dir"]
        peer = (
            link_sweep_peer(library, board, machine, board_dir, Path(folder)) if library else None
        )
        bench = SweepBench(board, machine, board_dir, peer)
        told = _told(bench.rows(layers), len(layers), view)
        rows = [part for row in told for part in row.judged]
    put_table(
        sweep_facts(board, rows, bench.made, seed=given["seed"], machine=machine),
        partial(sweep_markdown, worst=given["worst"]),
        output=given["output"],
        as_json=given["as_json"],
    )
    require_fine(rows, lambda row: row.said)


def _request(given: dict[str, Any]) -> SweepRequest:
    bits = (int(given["bits"]),) if given["bits"] else ()
    return SweepRequest(given["count"] or 0, given["seed"], tuple(given["operators"]), bits)


def _machine(given: dict[str, Any]) -> Machine | None:
    """None for a board that nothing estimates cycles of. How many layers share an image, and so the
    code cache, says nothing of one."""
    if load_board(given["board"], given["board_dir"]).timing is None:
        return None
    machine = machine_for(
        given["board"],
        given["costs"],
        given["board_dir"],
        given["issue_rules"],
        credits_pld=given["credit_pld"],
    )
    return with_code_at_hand(machine)


def _told(rows: Iterator[SweepRow], total: int, view: ProgressView) -> Iterator[SweepRow]:
    for number, row in enumerate(rows, 1):
        view.notice(f"[{number}/{total}] {row.said}")
        view.update("bench", number, total)
        yield row
