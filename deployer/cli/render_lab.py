"""Benches of a lab in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import shorten

from rich.text import Text

from deployer.cli.terminal import named_columns, styled, terminal
from deployer_hil import lab

_COMMAND_CHARACTERS = 60


def print_states(states: Sequence[lab.State]) -> None:
    table = named_columns("bench", "board", "runner", "connected", "use", "wrong", "tags")
    for state in states:
        bench = state.bench
        table.add_row(
            *(bench.name, bench.board, bench.runner),
            _connected(state),
            _use(state),
            styled("\n".join(state.troubles), "red"),
            ", ".join(bench.tags),
        )
    terminal().print(table)


def _connected(state: lab.State) -> Text:
    if state.connected is None:
        return styled("not asked", "dim")
    where = f" at {state.device}" if state.device else ""
    return Text(f"yes{where}") if state.connected else styled("no", "red")


def _use(state: lab.State) -> Text:
    if state.holder is None:
        return styled("free", "green")
    if isinstance(state.holder, lab.Elsewhere):
        return Text(f"held by {state.holder}")
    command = shorten(state.holder.command, _COMMAND_CHARACTERS, placeholder=" …")
    return Text(f"held by {state.holder}\n{command}")


def print_findings(results: Mapping[str, Sequence[lab.Finding]]) -> None:
    table = named_columns("bench", "test", "result", "found")
    words = {True: ("passed", "green"), False: ("failed", "red"), None: ("skipped", "dim")}
    for name, found in results.items():
        for each in found:
            table.add_row(name, each.test, styled(*words[each.passed]), each.told)
    terminal().print(table)
