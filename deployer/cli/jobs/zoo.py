"""What ``deployer zoo`` does: count networks, list them, write one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import click

from deployer.tools.zoo import CATALOG, Network, draw, save


class Size(TypedDict):
    """``width`` multiplies channels; None for what the paper has."""

    width: float
    resolution: tuple[int, int] | None
    classes: int | None


class NetworkRow(TypedDict):
    """``folded_parameters``: with batch norms folded; ``source``: in the list of all."""

    name: str
    input: list[int]
    parameters: int
    folded_parameters: int
    macs: int
    source: NotRequired[str]


def listed(as_json: bool) -> None:
    """Every network in a line."""
    _show([{**_facts(draw(name)), "source": CATALOG[name].source} for name in CATALOG], as_json)


def written(
    name: str,
    network: Size,
    output: Path | None,
    given: dict[str, Any],
    *,
    as_json: bool,
) -> None:
    """One network, drawn as ``network`` says, in a line; as a file, too, with an ``output``."""
    drawn = draw(name, **network)
    if output is not None:
        save(drawn, output, **given)
    _show([_facts(drawn)], as_json)
    if output is not None:
        click.echo(f"wrote {output}", err=True)


def _facts(network: Network) -> NetworkRow:
    return {
        "name": network.name,
        "input": list(network.input),
        "parameters": network.parameters,
        "folded_parameters": network.folded_parameters,
        "macs": network.macs,
    }


def _show(rows: list[NetworkRow], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(rows, indent=1))
        return
    for row in rows:
        shape = "x".join(map(str, row["input"]))
        differs = "source" not in row and row["parameters"] != row["folded_parameters"]
        folded = f" ({row['folded_parameters']:,} with batch norm folded)" if differs else ""
        counts = f"{row['parameters']:>11,} parameters{folded}  {row['macs']:>14,} MACs"
        click.echo(f"{row['name']:<18} {shape:<10} {counts}  {row.get('source', '')}".rstrip())
