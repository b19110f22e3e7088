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
    GemmPeer,
    SweepBench,
    archive_of,
    gemm_facts,
    gemm_markdown,
    gemm_shape_of,
    own_gemm_rows,
    peer_gemm_rows,
)
from deployer.tools.timing import machine_for


def carry_out(given: dict[str, Any]) -> None:
    """Raises UsageError for what is not there before anything runs."""
    check_output(given["output"])
    shapes = tuple(map(gemm_shape_of, given["shapes"])) or GEMM_SHAPES
    archive = archive_of(given["against"]) if given["against"] else None
    board, board_dir = given["board"], given["board_dir"]
    machine = machine_for(
        board, given["costs"], board_dir, given["issue_rules"], credits_pld=given["credit_pld"]
    )
    twin = load_twin(load_board(board, board_dir), machine.runner, board_dir)
    bench, rows = SweepBench(board, machine, board_dir), []
    with progress_view() as view, TemporaryDirectory() as folder:
        peer = GemmPeer(archive, twin, machine, Path(folder)) if archive else None
        theirs = peer_gemm_rows(peer, peer.kernels(), shapes) if peer else ()
        for row in chain(own_gemm_rows(bench, shapes), theirs):
            view.notice(f"{row.kernel}: {row.cycles / row.macs:.3f} cycles a MAC")
            rows.append(row)
    put_table(
        gemm_facts(board, rows, bench.made, machine),
        gemm_markdown,
        output=given["output"],
        as_json=given["as_json"],
    )
