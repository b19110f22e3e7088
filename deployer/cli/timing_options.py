"""Options of the commands that estimate time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

_OPTIONS = (
    click.option(
        "--costs",
        type=click.Path(path_type=Path),
        help="Costs of memory fitted by deployer calibrate; default: the board file's.",
    ),
    click.option(
        "--gate",
        type=click.Path(path_type=Path),
        help="Fail where a layer or network takes over 1 % more instructions than in this file.",
    ),
    click.option("--rewrite", is_flag=True, help="Write the counts to --gate instead."),
)


def timing_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--costs, --gate, --rewrite."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
