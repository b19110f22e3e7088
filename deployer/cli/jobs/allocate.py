"""What ``deployer allocate`` does: read instances, solve, check, write, tell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypedDict

import click

from deployer.allocate import (
    EFFORTS,
    Answer,
    Solver,
    answer,
    is_instance,
    offsets_csv,
    solver_named,
    times_csv,
)
from deployer.choices import EffortName
from deployer.cli.files import read_text, write_folder
from deployer.errors import UsageError
from deployer.files import write_file
from deployer.ir import PlanStatus


class InstanceFacts(TypedDict):
    """``bytes`` placed, ``bound`` proven; ``seconds`` of CPU."""

    name: str
    buffers: int
    bytes: int
    bound: int
    status: str
    solver: str
    seconds: float


def carry_out(
    instance: Path, output: Path, solver: str, given: dict[str, Any], *, as_json: bool
) -> None:
    """Nothing is written when it raises: UsageError for a broken table, FitError above the
    capacity."""
    chosen = solver_named(solver)
    given = {**given, "effort": EFFORTS[EffortName(given["effort"])]}
    if instance.is_dir():
        answers = _solve_folder(instance, output, chosen, given)
    else:
        answers = [_solve_file(instance, output, chosen, given)]
    facts = [_facts(item) for item in answers]
    if as_json:
        click.echo(json.dumps({"schema": 1, "solver": solver, "instances": facts}, indent=1))
    else:
        for line in _lines(facts):
            click.echo(line)


def _solve_file(path: Path, output: Path, solver: Solver, given: dict[str, Any]) -> Answer:
    if output.exists() and output.samefile(path):
        raise UsageError(f"{output} is the instance itself", hints=["another output"])
    found = answer(path.stem, read_text(path), solver, **given)
    write_file(output, offsets_csv(found.plan), parents=True)
    return found


def _solve_folder(
    folder: Path, output: Path, solver: Solver, given: dict[str, Any]
) -> list[Answer]:
    if output.resolve().is_relative_to(folder.resolve()):
        raise UsageError(f"{output} lies in the folder of instances", hints=["another output"])
    answers = []
    for path in _tables(folder):
        name = path.relative_to(folder).with_suffix("").as_posix()
        answers.append(answer(name, read_text(path), solver, **given))
    if not answers:
        raise UsageError(f"no instance in {folder}", hints=["files *.csv with id,lower,upper,size"])
    files = {f"{item.name}.csv": offsets_csv(item.plan) for item in answers}
    write_folder(output, files | {"_times.csv": times_csv(answers)})
    return answers


def _tables(folder: Path) -> Iterator[Path]:
    """CSV files with an instance's columns, in order; others, such as a manifest, are named."""
    for path in sorted(folder.rglob("*.csv")):
        if is_instance(read_text(path)):
            yield path
        else:
            click.echo(f"skipped {path.relative_to(folder)}: not an instance", err=True)


def _facts(item: Answer) -> InstanceFacts:
    plan = item.plan
    return {
        "name": item.name,
        "buffers": len(plan.placements),
        "bytes": plan.arena,
        "bound": plan.bound,
        "status": plan.status,
        "solver": plan.solver,
        "seconds": item.seconds,
    }


def _lines(facts: list[InstanceFacts]) -> Iterator[str]:
    """One instance in full; of many the sum, and each one not proven optimal."""
    open_ones = [row for row in facts if row["status"] != PlanStatus.OPTIMAL]
    for row in facts if len(facts) == 1 else open_ones:
        gap = "" if row["status"] == PlanStatus.OPTIMAL else f", proven {row['bound']:,} B"
        what = f"{row['bytes']:,} B, {row['status']}{gap}"
        yield f"{row['name']}: {what}, by {row['solver']}, {1e3 * row['seconds']:.1f} ms CPU"
    if len(facts) > 1:
        slowest = max(facts, key=lambda row: row["seconds"])
        mean = sum(row["seconds"] for row in facts) / len(facts)
        yield f"{len(facts)} instances, {len(facts) - len(open_ones)} optimal with proof"
        worst = f"{1e3 * slowest['seconds']:.1f} ms ({slowest['name']})"
        yield f"CPU time: average {1e3 * mean:.1f} ms, worst {worst}"
