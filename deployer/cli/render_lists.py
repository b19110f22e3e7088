"""Lists in a terminal: boards, tools, operators with their kernels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from deployer.board import Board
from deployer.cli.terminal import named_columns, styled, terminal


def print_boards(boards: Sequence[Board]) -> None:
    table = Table()
    for name in ("board", "core", "clock", "memories", "runners"):
        table.add_column(name)
    for board in boards:
        memories = ", ".join(f"{m.name} {m.size >> 10:,} KiB" for m in board.memories)
        clock = f"{board.clock_hz / 1e6:g} MHz" if board.clock_hz else ""
        table.add_row(board.name, board.core, clock, memories, ", ".join(board.runners))
    terminal().print(table)


def print_tools(rows: Sequence[dict[str, Any]], bench: Sequence[str]) -> None:
    """Tools with versions, what a missing one would enable, and what is on the desk."""
    console = terminal()
    table = named_columns("tool", "version", "enables", "if missing")
    for row in rows:
        version = _version(row["version"])
        table.add_row(
            row["name"], version, row["enables"], "" if row["version"] else row["install"]
        )
    console.print(table)
    for line in bench:
        console.print(line, markup=False)


def _version(text: str) -> Text:
    return Text(_short_version(text)) if text else styled("missing", "red")


def _short_version(text: str) -> str:
    """The number in a ``--version`` line; packagers' own numbers stand in parentheses."""
    found = re.search(r"\d+(\.\d+)+", re.sub(r"\([^)]*\)", "", text)) or re.search(r"[\d.]+", text)
    return found[0] if found else text


def print_ops(facts: dict[str, Any]) -> None:
    """The support table, then the kernels of a board if there is one."""
    console = terminal()
    console.print(_onnx_table(facts))
    console.print(f"Every node needs {'; '.join(facts['every_node'])}.", markup=False)
    if not facts["kernels"]:
        return
    title = f"kernels of {facts['board']}, in order of preference"
    kernels = named_columns("IR operator", "kernels", "serves", title=title)
    for row in facts["kernels"]:
        symbols = Text("\n".join(row["symbols"])) or styled("none", "red")
        found = styled("no code", "dim") if row["alias"] else symbols
        kernels.add_row(row["operator"], found, ", ".join(row["serves"]))
    console.print(kernels)


def _onnx_table(facts: dict[str, Any]) -> Table:
    table = named_columns("ONNX operator", "becomes", "needs", title="supported ONNX operators")
    table.show_lines = True
    for row in facts["operators"]:
        needs = "\n".join(item["needs"] for item in row["constraints"])
        missing = (f"\nno kernel: {', '.join(row['without_kernel'])}", "red")
        name = Text.assemble(row["operator"], *([missing] if row["without_kernel"] else []))
        table.add_row(name, Text(row["becomes"]), Text(needs))
    return table
