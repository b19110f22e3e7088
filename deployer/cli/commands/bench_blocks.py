"""``deployer bench blocks``: the price of an object file's blocks by the model of a core."""

from __future__ import annotations

from pathlib import Path

import click

from deployer.cli.option_sets import issue_rules_option
from deployer.cli.options import board_dir_option, board_option


@click.command("blocks")
@board_option()
@board_dir_option()
@click.option("--function", default="", help="Only functions whose name has this in it.")
@click.option("--trace", is_flag=True, help="Show where each instruction issues.")
@issue_rules_option
@click.argument(
    "files",
    type=click.Path(path_type=Path),
    nargs=-1,
    required=True,
    metavar="FILE...",
)
def command(
    board: str,
    board_dir: Path | None,
    function: str,
    *,
    trace: bool,
    issue_rules: str,
    files: tuple[Path, ...],
) -> None:
    """Price the basic blocks of object files, compiled for the board's core.

    Cycles are estimated: of an execution, the block repeated, memory ideal. Nothing runs.
    """
    from deployer.tools.bench import blocks_text, priced_blocks

    found = priced_blocks(files, board, rules=issue_rules, board_dir=board_dir, function=function)
    click.echo(blocks_text(found, trace=trace), nl=False)
