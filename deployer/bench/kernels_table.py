"""The layers of several networks, a row a distinct one, and a row a network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from deployer.bench.markdown import table
from deployer.bench.model_time import ModelTime
from deployer.bench.model_time_table import footnotes, layer_cells, table_facts, total_cells
from deployer.timing.machine import Machine

Facts = dict[str, Any]
HEAD = (
    *("shape", "kernel", "in", "MACs", "instructions", "i/MAC", "core c/MAC", "c/MAC", "ms"),
    *("floor c/MAC", "reached"),
)
TOTALS = ("network", *HEAD[3:])
_NAME, _KERNEL, _SHAPE = range(3)  # of layer_cells


def kernels_facts(machine: Machine, networks: Sequence[ModelTime]) -> Facts:
    """As of ``bench model``, and ``distinct``: layers of one operator, geometry and kernel, once.

    They have the figures of the first, and ``in``: network to how often.
    """
    facts = table_facts(machine, networks)
    return {**facts, "distinct": list(_distinct(facts["networks"]))}


def _distinct(networks: Sequence[Facts]) -> Iterator[Facts]:
    found: dict[tuple[str, ...], Facts] = {}
    for network in networks:
        for layer in network["layers"]:
            key = (layer["op"], layer["geometry"], layer["kernel"])
            row = found.setdefault(key, {**layer, "in": {}})
            row["in"][network["name"]] = row["in"].get(network["name"], 0) + 1
    yield from sorted(found.values(), key=lambda row: row["op"])


def markdown(facts: Facts) -> str:
    """Rows by operator, then networks, then what the figures are."""
    networks = [total_cells(facts, network) for network in facts["networks"]]
    parts = [
        f"Kernels on {facts['board']}",
        "\n".join(table(HEAD, [_row(facts, row) for row in facts["distinct"]])),
        "\n".join(table(TOTALS, networks)),
        "\n".join(footnotes(facts)),
    ]
    return "\n\n".join(parts) + "\n"


def _row(facts: Facts, row: Facts) -> list[str]:
    cells = layer_cells(facts, row)
    where = ", ".join(f"{name} x{n}" if n > 1 else name for name, n in row["in"].items())
    title = f"{row['op']} {cells[_SHAPE]}"
    return [title, cells[_KERNEL], where, *cells[_SHAPE + 1 :]]
