"""The layers of several networks, a row a distinct one, and a row a network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from deployer.ir import Schedule
from deployer.tools.bench import peer_rows
from deployer.tools.bench.cmsis_nn import Peer
from deployer.tools.bench.facts import DistinctFacts, ModelTimeTable, NetworkFacts
from deployer.tools.bench.markdown import markdown_table
from deployer.tools.bench.model_time import ModelTime
from deployer.tools.bench.model_time_table import (
    footnotes,
    layer_cells,
    model_time_facts,
    total_cells,
)
from deployer.tools.bench.peer_rows import with_peer
from deployer.tools.timing import Machine

HEAD = (
    *("shape", "kernel", "in", "MACs", "instructions", "i/MAC", "core c/MAC", "c/MAC", "ms"),
    *("floor c/MAC", "reached"),
)
TOTALS = ("network", *HEAD[3:], "code of kernels, B")
_NAME, _KERNEL, _SHAPE = range(3)  # of layer_cells


def kernels_facts(
    machine: Machine,
    networks: Sequence[ModelTime],
    peers: Mapping[str, tuple[Schedule, Peer]] = MappingProxyType({}),
) -> ModelTimeTable:
    """As of ``bench model``, and ``distinct``: layers of one operator, geometry and kernel, once.

    They have the figures of the first, and ``in``: network to how often. ``peers``, by network,
    add ``against`` (peer_rows).
    """
    facts = model_time_facts(machine, networks)
    if peers:
        pairs = ((network, peers[network["name"]]) for network in facts["networks"])
        facts["networks"] = [with_peer(network, *peer) for network, peer in pairs]
    return {**facts, "distinct": list(_distinct(facts["networks"]))}


def _distinct(networks: Sequence[NetworkFacts]) -> Iterator[DistinctFacts]:
    found: dict[tuple[str, ...], DistinctFacts] = {}
    for network in networks:
        for layer in network["layers"]:
            key = (layer["op"], layer["geometry"], layer["kernel"])
            row = found.setdefault(key, {**layer, "in": {}})
            row["in"][network["name"]] = row["in"].get(network["name"], 0) + 1
    yield from sorted(found.values(), key=lambda row: row["op"])


def kernels_markdown(facts: ModelTimeTable) -> str:
    """Rows by operator, then networks, then what the figures are."""
    networks, against = facts["networks"], "against" in facts["networks"][0]
    more = peer_rows.HEAD if against else ()
    totals = [
        [*_total(facts, network), *(peer_rows.network_cells(network) if against else [])]
        for network in networks
    ]
    notes = peer_rows.footnotes(networks) if against else []
    parts = [
        f"Kernels on {facts['board']}",
        "\n".join(markdown_table((*HEAD, *more), [_row(facts, row) for row in facts["distinct"]])),
        "\n".join(markdown_table((*TOTALS, *more), totals)),
        "\n".join([*footnotes(facts), *notes]),
    ]
    return "\n\n".join(parts) + "\n"


def _total(facts: ModelTimeTable, network: NetworkFacts) -> list[str]:
    return [*total_cells(facts, network), f"{network['kernel_bytes']:,}"]


def _row(facts: ModelTimeTable, row: DistinctFacts) -> list[str]:
    cells = layer_cells(facts, row)
    where = ", ".join(f"{name} x{n}" if n > 1 else name for name, n in row["in"].items())
    title = f"{row['op']} {cells[_SHAPE]}"
    theirs = peer_rows.layer_cells(row) if "against" in row else []
    return [title, cells[_KERNEL], where, *cells[_SHAPE + 1 :], *theirs]
