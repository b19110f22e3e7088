"""Measured cycles of a network, in Markdown and as JSON types."""

from __future__ import annotations

from typing import Any

from deployer import __version__
from deployer.tools.bench.board_time import BoardTime
from deployer.tools.bench.markdown import markdown_table
from deployer.tools.bench.model_time import MULTIPLIER_CYCLES
from deployer.units import FigureKind

Facts = dict[str, Any]
SCHEMA = 1
HEAD = (
    *("layer", "kernel", "shape", "MACs", "cold cycles", "warm cycles"),
    *("cold c/MAC", "warm c/MAC", "warm ms", "multiplier's floor reached"),
)
_READ_BACK = ("clock_hz", "clock_source", "icache", "dcache")


def board_time_facts(found: BoardTime) -> Facts:
    kinds = {"cycles": FigureKind.MEASURED}
    return {"schema": SCHEMA, "deployer": __version__, "kinds": kinds, **found.facts}


def board_time_markdown(facts: Facts) -> str:
    """A row a layer and one of all, then what ran how."""
    rows = [_cells(facts, layer, layer["geometry"]) for layer in facts["layers"]]
    whole = {**facts["total"], "name": "**all**", "kernel": "", "macs": facts["macs"]}
    rows.append(_cells(facts, {**whole, "elements": 1}, ""))
    read = [f"{name} {facts['caps'][name]}" for name in _READ_BACK if name in facts["caps"]]
    return "\n".join(
        [
            f"{facts['name']} on {facts['board']}: measured, {_ms(facts, facts['total']['warm'])} "
            f"ms warm, {_ms(facts, facts['total']['cold'])} ms cold.",
            "",
            *markdown_table(HEAD, rows),
            "",
            f"Read back from the chip: {', '.join(read)}.",
            f"{facts['compiler']} {' '.join(facts['flags'])}; {facts['tool']}.",
            "",
        ]
    )


def _cells(facts: Facts, layer: Facts, shape: str) -> list[str]:
    work, unit = (layer["macs"], "") if layer["macs"] else (layer["elements"], "/el")
    per = [f"{layer[state] / work:.2f}{unit}" for state in ("cold", "warm")]
    reached = f"{MULTIPLIER_CYCLES * layer['macs'] / layer['warm']:.0%}" if layer["macs"] else ""
    macs = f"{layer['macs']:,}" if layer["macs"] else ""
    cycles = [f"{layer[state]:,}" for state in ("cold", "warm")]
    ms = _ms(facts, layer["warm"])
    return [layer["name"], layer["kernel"], shape, macs, *cycles, *per, ms, reached]


def _ms(facts: Facts, cycles: int) -> str:
    return f"{1e3 * cycles / facts['clock_hz']:.3g}"
