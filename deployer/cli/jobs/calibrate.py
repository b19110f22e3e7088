"""What ``deployer calibrate`` does: join records and counts, fit, show, write."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypedDict

import click

from deployer.cli.files import read_text
from deployer.errors import UsageError
from deployer.files import write_file
from deployer.tools.bench import MODEL_TIME_SCHEMA, markdown_table
from deployer.tools.timing import (
    CountedNetwork,
    Fit,
    Fitted,
    Machine,
    Observed,
    costs_text,
    fit,
    machine_for,
    observed,
)
from deployer_hil import RunRecord


class LayerRow(TypedDict):
    """Cycles; residuals are shares of what was measured. ``events``: in the order of the costs."""

    network: str
    layer: str
    measured: int
    core: float
    events: tuple[int, int, int]
    estimated: float
    residual: float
    residual_before: float


class Calibrated(TypedDict):
    """Costs in cycles, before and fitted; ``kept``: those that no layer bears on. ``spread``,
    ``networks`` and ``error`` are shares."""

    schema: int
    board: str
    file: str
    before: dict[str, float]
    costs: dict[str, float]
    kept: Sequence[str]
    spread: float
    networks: Mapping[str, float]
    error: float
    layers: list[LayerRow]


def carry_out(given: dict[str, Any]) -> None:
    """Write the file of costs and print the residuals."""
    machine = machine_for(given["board"], None, given["board_dir"])
    networks = [each for path in given["counts"] for each in _networks(path)]
    records = [record for path in given["records"] for record in _records(path)]
    rows = [row for record in records for row in observed(record, networks, machine)]
    found = fit(rows, machine.costs)
    output = given["output"] or Path(f"costs-{machine.name}.toml")
    models = ", ".join(dict.fromkeys(record.model for record in records))
    note = f"fitted by deployer calibrate to {len(rows)} measured layers of {models}"
    write_file(output, costs_text(Fitted(machine.name, found.costs, found.error), note))
    if given["as_json"]:
        click.echo(json.dumps(_facts(machine, found, rows, output), indent=1))
        return
    click.echo("\n".join(_lines(machine, found, rows)))
    click.echo(f"{output} written: --costs of deployer bench model takes it", err=True)


def _networks(path: Path) -> list[CountedNetwork]:
    try:
        facts = json.loads(read_text(path))
        if facts["schema"] != MODEL_TIME_SCHEMA:
            raise UsageError(f"{path} has schema {facts['schema']}, not {MODEL_TIME_SCHEMA}")
        return list(facts["networks"])
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} holds no counts",
            why=[str(error)],
            hints=["write them with deployer bench model -b BOARD -o FILE.json MODEL"],
        ) from None


def _records(path: Path) -> list[RunRecord]:
    lines = read_text(path).splitlines()
    return [RunRecord.from_json(line) for line in lines if line.strip()]


def _facts(machine: Machine, found: Fit, rows: Sequence[Observed], output: Path) -> Calibrated:
    return {
        "schema": 1,
        "board": machine.name,
        "file": str(output),
        "before": asdict(machine.costs),
        "costs": asdict(found.costs),
        "kept": found.kept,
        "spread": found.spread,
        "networks": found.networks,
        "error": found.error,
        "layers": [_layer(row, machine, found) for row in rows],
    }


def _layer(row: Observed, machine: Machine, found: Fit) -> LayerRow:
    return {
        "network": row.network,
        "layer": row.layer,
        "measured": row.measured,
        "core": row.core,
        "events": row.events,
        "estimated": row.estimate(found.costs),
        "residual": row.residual(found.costs),
        "residual_before": row.residual(machine.costs),
    }


def _lines(machine: Machine, found: Fit, rows: Sequence[Observed]) -> Iterator[str]:
    head = ("network", "layer", "measured", "core", "estimated", "off", "off before")
    yield from markdown_table(head, (_cells(row, machine, found) for row in rows))
    yield ""
    yield from markdown_table(
        ("cycles a", "before", "fitted"),
        (
            (name, f"{value:.1f}", "as before" if name in found.kept else f"{new:.1f}")
            for (name, value), new in zip(
                asdict(machine.costs).items(), asdict(found.costs).values(), strict=True
            )
        ),
    )
    yield ""
    off = ", ".join(f"{name} {value:+.1%}" for name, value in found.networks.items())
    yield f"Cycles. Layers are off by {found.spread:.1%} (root mean square), networks: {off}."
    yield f"Stated from now on: ± {found.error:.0%}."


def _cells(row: Observed, machine: Machine, found: Fit) -> list[str]:
    off = (f"{row.residual(costs):+.1%}" for costs in (found.costs, machine.costs))
    cycles = (row.measured, row.core, row.estimate(found.costs))
    return [row.network, row.layer, *(f"{value:,.0f}" for value in cycles), *off]
