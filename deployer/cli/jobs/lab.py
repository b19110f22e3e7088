"""What ``deployer lab`` does: list and test the benches of a lab file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from deployer.board import load_board, load_twin
from deployer.errors import BenchError, UsageError, near_hints
from deployer_hil import lab

Row = dict[str, Any]


def listed(file: Path | None, board_dir: Path | None, *, as_json: bool) -> None:
    """Raises UsageError for a file that is no lab."""
    found = lab.read_lab(lab.find_lab(file))
    states = lab.states(found, lab.look(found.benches), Tables(board_dir))
    if as_json:
        rows = [_state_row(state) for state in states]
        click.echo(json.dumps({"lab": str(found.path), "benches": rows}, indent=1))
        return
    from deployer.cli.render_lab import print_states

    print_states(states)


def checked(
    file: Path | None, board_dir: Path | None, names: Sequence[str], *, as_json: bool
) -> None:
    """Raises UsageError for a name that the lab has not, BenchError when a test fails."""
    found = lab.read_lab(lab.find_lab(file))
    benches = [found.bench(name) for name in names] or list(found.benches)
    results: dict[str, tuple[lab.Finding, ...]] = {}
    for bench in benches:
        click.echo(f"testing {bench.name}", err=True)
        results[bench.name] = lab.check(bench, Tables(board_dir))
    _tell(results, as_json)
    _require_passed(results)


class Tables:
    """What the board file of a bench says to its runner: that of the twin which it runs."""

    def __init__(self, board_dir: Path | None):
        self._board_dir = board_dir

    def __call__(self, bench: lab.Bench) -> dict[str, Any]:
        board = load_board(bench.board, self._board_dir)
        if bench.runner not in board.runners:
            what = f"{board.name} has no runner {bench.runner!r}"
            raise UsageError(what, hints=near_hints(bench.runner, board.runners))
        target = load_twin(board, bench.runner, self._board_dir)
        return dict(target.runners.get(bench.runner, {}))


def _state_row(state: lab.State) -> Row:
    """Of JSON types."""
    bench = asdict(state.bench)
    holder = asdict(state.holder) if state.holder else None
    return {
        **bench,
        "connected": state.connected,
        "device": state.device,
        "free": holder is None,
        "holder": holder,
        "troubles": list(state.troubles),
    }


def _tell(results: dict[str, tuple[lab.Finding, ...]], as_json: bool) -> None:
    if as_json:
        rows = {name: [asdict(each) for each in found] for name, found in results.items()}
        click.echo(json.dumps({"benches": rows}, indent=1))
        return
    from deployer.cli.render_lab import print_findings

    print_findings(results)


def _require_passed(results: dict[str, tuple[lab.Finding, ...]]) -> None:
    failed = [
        (name, each) for name, found in results.items() for each in found if each.passed is False
    ]
    if not failed:
        return
    names = ", ".join(name for name, _ in failed)
    what = f"{len(failed)} of {len(results)} benches failed: {names}"
    why = [line for name, each in failed for line in _why(name, each)]
    hints = [f"{name}: {hint}" for name, each in failed for hint in each.hints]
    raise BenchError(what, why=why, hints=hints)


def _why(name: str, found: lab.Finding) -> list[str]:
    return [f"{name}: {found.test}: {found.told}", *(f"  {line}" for line in found.why)]
