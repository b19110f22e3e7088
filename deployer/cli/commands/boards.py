"""``deployer boards``: what can be deployed to."""

from __future__ import annotations

from pathlib import Path

import click

from deployer.cli.options import board_dir_option, json_option


@click.command("boards")
@board_dir_option()
@json_option()
def command(board_dir: Path | None, as_json: bool) -> None:
    """List the boards with their memories and runners."""
    from deployer.board import board_names, load_board

    boards = [load_board(name, board_dir) for name in board_names(board_dir)]
    if as_json:
        import json

        from deployer.pipeline import as_json as plain

        click.echo(json.dumps([plain(board) for board in boards], indent=1))
        return
    from deployer.cli.render_lists import print_boards

    print_boards(boards)
