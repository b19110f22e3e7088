"""Measured cycles of a network, in Markdown and as JSON types."""

from __future__ import annotations

from deployer import __version__
from deployer.tools.bench.board_time import BoardTime, LayerCycles
from deployer.tools.bench.facts import BoardTimeTable, LayerCyclesFacts
from deployer.tools.bench.markdown import markdown_table
from deployer.tools.timing import CORTEX_M7
from deployer.units import FigureKind

SCHEMA = 1
HEAD = (
    *("layer", "kernel", "shape", "MACs", "cold cycles", "warm cycles"),
    *("cold c/MAC", "warm c/MAC", "warm ms", "multiplier's floor reached"),
)
_READ_BACK = ("clock_hz", "clock_source", "icache", "dcache")


def board_time_facts(found: BoardTime) -> BoardTimeTable:
    return {
        "schema": SCHEMA,
        "deployer": __version__,
        "kinds": {"cycles": FigureKind.MEASURED},
        "name": found.name,
        "sha256": found.sha256,
        "board": found.board,
        "clock_hz": found.clock_hz,
        "macs": found.macs,
        "layers": [_layer(layer) for layer in found.layers],
        "compiler": found.compiler,
        "flags": found.flags,
        "tool": found.tool,
        "caps": dict(found.caps),
        "total": found.total,
    }


def _layer(layer: LayerCycles) -> LayerCyclesFacts:
    return {
        "name": layer.name,
        "kernel": layer.kernel,
        "geometry": layer.geometry,
        "macs": layer.macs,
        "elements": layer.elements,
        "cold": layer.cold,
        "warm": layer.warm,
    }


def board_time_markdown(facts: BoardTimeTable) -> str:
    """A row a layer and one of all, then what ran how."""
    cold, warm = facts["total"]["cold"], facts["total"]["warm"]
    whole = LayerCycles("**all**", "", "", facts["macs"], elements=1, cold=cold, warm=warm)
    rows = [_cells(facts, layer) for layer in (*facts["layers"], _layer(whole))]
    read = [f"{name} {facts['caps'][name]}" for name in _READ_BACK if name in facts["caps"]]
    return "\n".join(
        [
            f"{facts['name']} on {facts['board']}: measured, {_ms(facts, warm)} "
            f"ms warm, {_ms(facts, cold)} ms cold.",
            "",
            *markdown_table(HEAD, rows),
            "",
            f"Read back from the chip: {', '.join(read)}.",
            f"{facts['compiler']} {' '.join(facts['flags'])}; {facts['tool']}.",
            "",
        ]
    )


def _cells(facts: BoardTimeTable, layer: LayerCyclesFacts) -> list[str]:
    work, unit = (layer["macs"], "") if layer["macs"] else (layer["elements"], "/el")
    per = [f"{cycles / work:.2f}{unit}" for cycles in (layer["cold"], layer["warm"])]
    reached = f"{CORTEX_M7.mac_cycles * layer['macs'] / layer['warm']:.0%}" if layer["macs"] else ""
    macs = f"{layer['macs']:,}" if layer["macs"] else ""
    cycles = [f"{layer['cold']:,}", f"{layer['warm']:,}"]
    head = [layer["name"], layer["kernel"], layer["geometry"], macs]
    return [*head, *cycles, *per, _ms(facts, layer["warm"]), reached]


def _ms(facts: BoardTimeTable, cycles: int) -> str:
    return f"{1e3 * cycles / facts['clock_hz']:.3g}"
