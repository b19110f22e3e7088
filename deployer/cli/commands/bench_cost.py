"""``deployer bench cost``: what each kernel costs, counted on a board's emulated twin."""

from __future__ import annotations

from pathlib import Path

import click

from deployer.cli.options import board_dir_option, json_option
from deployer.cli.table_file import output_option


@click.command("cost")
@click.option("-b", "--board", required=True, help="A board with an emulated twin that counts.")
@click.option("--write", is_flag=True, help="Write the cost table beside the board's file.")
@board_dir_option()
@output_option()
@json_option()
def command(
    board: str, write: bool, board_dir: Path | None, output: Path | None, as_json: bool
) -> None:
    """Build networks of single operators over shapes, whole, by rows and in patches, count their
    instructions, and fit what every kernel costs per call, row, pixel, element and product.

    The table is what restructuring is chosen by (docs/restructuring.md): fit it again whenever
    kernels or compiler change. It takes some ten minutes. Exit status 2 for a board whose runner
    counts no instructions, 6 when a tool fails.
    """
    from deployer.board import cost_text, load_board
    from deployer.cli.progress import progress_view
    from deployer.cli.table_file import check_output, put_table
    from deployer.files import write_file
    from deployer.tools.bench import cost_facts, cost_markdown, fitted, table_path

    check_output(output)
    path = table_path(load_board(board, board_dir), board_dir)
    with progress_view() as view:
        found, errors = fitted(board, board_dir=board_dir, tell=view.notice)
    if write:
        write_file(path, cost_text(found))
        view.notice(f"wrote {path}")
    put_table(cost_facts(board, found, errors), cost_markdown, output=output, as_json=as_json)
