"""What ``deployer bench depth`` does: build each network in each precision, profile, print."""

from __future__ import annotations

from itertools import product
from typing import Any

from deployer.cli.progress import progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.tools.bench import (
    DEPTH_PRECISIONS,
    DepthBench,
    depth_facts,
    depth_markdown,
    depth_names,
    keep_depth_row,
    kept_depth_rows,
    least_ratio_of,
    require_ratios,
)
from deployer.tools.timing import machine_for

_ROWS = "depth.jsonl"


def carry_out(given: dict[str, Any]) -> None:
    """Raises ThresholdError behind the table where a ratio is too low."""
    check_output(given["output"])
    names, least = depth_names(given["names"]), dict(map(least_ratio_of, given["least"]))
    board, board_dir, threads = given["board"], given["board_dir"], given["threads"]
    machine = machine_for(
        board, given["costs"], board_dir, given["issue_rules"], credits_pld=given["credit_pld"]
    )
    bench = DepthBench(machine, board_dir, given["work"], threads, given["resolution"])
    file, rows = given["work"] / _ROWS, []
    before = kept_depth_rows(file) if given["resume"] else []
    with progress_view() as view:
        for name, precision in product(names, DEPTH_PRECISIONS):
            row = bench.kept(name, precision, before)
            if row is None:
                row = bench.row(name, precision)
                keep_depth_row(row, file)
            rows.append(row)
            ms = 1000 * row.together / machine.clock_hz
            view.notice(f"{name} {precision}: {ms:,.1f} ms on {threads} threads")
    table = depth_facts(machine, rows, threads=threads, watts=given["watts"])
    put_table(table, depth_markdown, output=given["output"], as_json=given["as_json"])
    require_ratios(table, least)
