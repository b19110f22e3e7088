"""Counts and times of a network on a board, in Markdown and as JSON types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deployer import __version__
from deployer.tools.bench.board_facts import BoardPointsTable, BoardTimeTable, LayerCyclesFacts
from deployer.tools.bench.board_time import BoardTime, LayerCycles
from deployer.tools.bench.markdown import markdown_table
from deployer.units import CounterUnit, FigureKind
from deployer_hil import ColdAndWarm, SpreadFacts, throughput_facts

SCHEMA = 2
LATENCY_HEAD = ("inferences", "", "min", "median", "p95", "p99", "max", "jitter")
POINTS_HEAD = (
    *("point", "clock", "median ms", "p99 ms", "jitter ms", "frames a second"),
    *("frames a joule", "µJ a frame", "kinds"),
)
_READ_BACK = ("clock_hz", "fabric_hz", "millivolts", "clock_source", "governor", "icache", "dcache")


def board_time_facts(found: BoardTime) -> BoardTimeTable:
    energy = found.energy
    return {
        "schema": SCHEMA,
        "deployer": __version__,
        "kinds": {"counts": found.kind, "energy": energy["kind"] if energy else None},
        "unit": found.unit,
        "name": found.name,
        "sha256": found.sha256,
        "board": found.board,
        "clock_hz": found.clock_hz,
        "macs": found.macs,
        "mac_cycles": found.mac_cycles,
        "layers": [_layer(layer) for layer in found.layers],
        "compiler": found.compiler,
        "flags": found.flags,
        "tool": found.tool,
        "caps": dict(found.caps),
        "total": found.total,
        "throughput": throughput_facts(found.throughput),
        "energy": energy,
        "point": found.point,
    }


def board_points_facts(found: Sequence[BoardTime]) -> BoardPointsTable:
    return {
        "schema": SCHEMA,
        "deployer": __version__,
        "points": [board_time_facts(point) for point in found],
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
    """What an inference takes, then a row a layer and one of all, then what ran how."""
    cold, warm = facts["total"]["cold"], facts["total"]["warm"]
    whole = LayerCycles("**all**", "", "", facts["macs"], elements=1, cold=cold, warm=warm)
    rows = [_cells(facts, layer) for layer in (*facts["layers"], _layer(whole))]
    read = [f"{name} {facts['caps'][name]}" for name in _READ_BACK if name in facts["caps"]]
    lines = [
        _headline(facts),
        "",
        *markdown_table(LATENCY_HEAD, _latencies(facts)),
        "",
        *_throughput(facts),
        "",
        *markdown_table(_head(facts), rows),
        "",
        f"Read back from the device: {', '.join(read)}.",
        f"{facts['compiler']} {' '.join(facts['flags'])}; {facts['tool']}.",
        "",
    ]
    return "\n".join(lines)


def board_points_markdown(facts: BoardPointsTable) -> str:
    """A row a point, then the table of each."""
    rows = [_point_cells(point) for point in facts["points"]]
    tables = [board_time_markdown(point) for point in facts["points"]]
    return "\n".join([*markdown_table(POINTS_HEAD, rows), "", *tables])


def _point_cells(facts: BoardTimeTable) -> list[str]:
    found, energy = facts["throughput"], facts["energy"]
    warm = found["latency_ms"]["warm"] if found["latency_ms"] else None
    figures = [warm["median"], warm["p99"], warm["jitter"], found["fps"]] if warm else [None] * 4
    figures += [energy["inferences_per_joule"], energy["microjoules"]] if energy else [None] * 2
    kinds = "/".join(filter(None, (facts["kinds"]["counts"], facts["kinds"]["energy"])))
    cells = ["" if value is None else f"{value:.4g}" for value in figures]
    return [facts["point"] or "the board's own", _clocks(facts), *cells, kinds]


def _clocks(facts: BoardTimeTable) -> str:
    """With the fabric controller's where that is another one, and the voltage that was set."""
    clock, caps = facts["clock_hz"], facts["caps"]
    fabric, millivolts = int(caps.get("fabric_hz", clock)), caps.get("millivolts")
    led = f", fabric controller {fabric / 1e6:g} MHz" if fabric != clock else ""
    supply = f", {int(millivolts) / 1000:.1f} V" if millivolts else ""
    return f"{clock / 1e6:g} MHz{led}{supply}"


def _headline(facts: BoardTimeTable) -> str:
    kind, point = facts["kinds"]["counts"], facts["point"] and f" at {facts['point']}"
    where = f"{facts['name']} on {facts['board']}{point}"
    latency, counts = facts["throughput"]["latency_ms"], facts["throughput"]["counts"]
    if latency:
        warm, cold = latency["warm"]["median"], latency["cold"]["median"]
        return f"{where}: {kind}, {warm:.3g} ms warm, {cold:.3g} ms cold."
    assert counts is not None
    warm, cold = counts["warm"]["median"], counts["cold"]["median"]
    return f"{where}: {kind}, {warm:,.0f} {facts['unit']} warm, {cold:,.0f} cold."


def _latencies(facts: BoardTimeTable) -> list[list[str]]:
    found = facts["throughput"]
    return [
        *_spreads(found["latency_ms"], "ms", ".4g"),
        *_spreads(found["counts"], found["unit"], ",.0f"),
    ]


def _spreads(both: ColdAndWarm | None, unit: str, form: str) -> Iterator[list[str]]:
    if both is None:
        return
    for name, spread in (("cold", both["cold"]), ("warm", both["warm"])):
        yield [f"{spread['count']:,} {name}", unit, *_figures(spread, form)]


def _figures(spread: SpreadFacts, form: str) -> list[str]:
    found = [spread["minimum"], spread["median"], spread["p95"], spread["p99"]]
    found += [spread["maximum"], spread["jitter"]]
    return ["" if value is None else format(value, form) for value in found]


def _throughput(facts: BoardTimeTable) -> Iterator[str]:
    found, energy = facts["throughput"], facts["energy"]
    behind = f"behind {found['warmups']} that are not timed"
    if found["fps"] is None:
        yield f"{found['unit'].capitalize()} are no time: {found['kind']}, each {behind}."
    else:
        window = f"{found['inferences']:,} inferences back to back {behind}"
        yield f"{found['fps']:.4g} frames a second, {found['kind']}: {window}."
    if energy:
        yield (
            f"{energy['inferences_per_joule']:.4g} frames a joule, {energy['microjoules']:,.4g} µJ "
            f"a frame: {energy['kind']}, {energy['meter']}."
        )


def _head(facts: BoardTimeTable) -> list[str]:
    unit = facts["unit"]
    short = "c" if unit == CounterUnit.CYCLES else "i"
    head = ["layer", "kernel", "shape", "MACs", f"cold {unit}", f"warm {unit}"]
    head += [f"cold {short}/MAC", f"warm {short}/MAC"]
    return [*head, *(["warm ms"] if _timed(facts) else []), *_reached_head(facts)]


def _reached_head(facts: BoardTimeTable) -> list[str]:
    return ["multiplier's floor reached"] if facts["mac_cycles"] else []


def _cells(facts: BoardTimeTable, layer: LayerCyclesFacts) -> list[str]:
    work, per = (layer["macs"], "") if layer["macs"] else (layer["elements"], "/el")
    macs = f"{layer['macs']:,}" if layer["macs"] else ""
    counts = [layer["cold"], layer["warm"]]
    cells = [layer["name"], layer["kernel"], layer["geometry"], macs]
    cells += [f"{count:,}" for count in counts]
    cells += [f"{count / work:.2f}{per}" for count in counts]
    if _timed(facts):
        cells.append(f"{1e3 * layer['warm'] / facts['clock_hz']:.3g}")
    return [*cells, *_reached(facts["mac_cycles"], layer)]


def _reached(mac_cycles: float | None, layer: LayerCyclesFacts) -> list[str]:
    if mac_cycles is None:
        return []
    reaches = layer["macs"] and layer["warm"]
    return [f"{mac_cycles * layer['macs'] / layer['warm']:.0%}" if reaches else ""]


def _timed(facts: BoardTimeTable) -> bool:
    cycles = facts["unit"] == CounterUnit.CYCLES
    return cycles and facts["kinds"]["counts"] in (FigureKind.MEASURED, FigureKind.SIMULATED)
