"""What ``deployer bench gemm`` does: build the products, profile, print."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from deployer.board import load_board, load_twin
from deployer.cli.progress import progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.tools.bench import (
    GEMM_SHAPES,
    GemmBench,
    SweepBench,
    gemm_facts,
    gemm_markdown,
    gemm_peer_of,
    gemm_shape_of,
    own_gemm_rows,
    peer_gemm_rows,
)
from deployer.tools.timing import machine_for


def carry_out(given: dict[str, Any]) -> None:
    """Raises UsageError for what is not there before anything runs."""
    check_output(given["output"])
    shapes = tuple(map(gemm_shape_of, given["shapes"])) or GEMM_SHAPES
    against = [gemm_peer_of(text) for text in given["against"]]
    board, board_dir = given["board"], given["board_dir"]
    machine = machine_for(
        board, given["costs"], board_dir, given["issue_rules"], credits_pld=given["credit_pld"]
    )
    twin = load_twin(load_board(board, board_dir), machine.runner, board_dir)
    bench, rows = SweepBench(board, machine, board_dir), []
    with progress_view() as view, TemporaryDirectory() as folder:
        theirs = GemmBench(twin, machine, Path(folder))
        if against:
            theirs.check()
        peers = (peer_gemm_rows(theirs, make(theirs), shapes) for make in against)
        for row in chain(own_gemm_rows(bench, shapes), *peers):
            view.notice(f"{row.kernel}: {row.cycles / row.macs:.3f} cycles a MAC")
            rows.append(row)
    put_table(
        gemm_facts(board, rows, bench.made, machine),
        gemm_markdown,
        output=given["output"],
        as_json=given["as_json"],
    )
