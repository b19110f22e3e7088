"""``deployer ops``: the support table, from the functions that decide what is supported."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from deployer.cli.options import board_dir_option, json_option


@click.command("ops")
@click.option("-b", "--board", default="", help="Name this board's kernel for each operator too.")
@board_dir_option()
@json_option()
def command(board: str, board_dir: Path | None, as_json: bool) -> None:
    """List the ONNX operators: what each becomes, and what its nodes must be like.

    On a terminal a table; in a pipe a line each, columns split by tabs.
    """
    from deployer.board import load_board
    from deployer.cli.jobs.support import plain_lines, support_facts

    facts = support_facts(load_board(board, board_dir) if board else None)
    if as_json:
        click.echo(json.dumps(facts, indent=1))
    elif sys.stdout.isatty():
        from deployer.cli.render_lists import print_ops

        print_ops(facts)
    else:
        for line in plain_lines(facts):
            click.echo(line)
