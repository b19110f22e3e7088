"""Energy of an inference, in Markdown and as JSON types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from deployer import __version__
from deployer.tools.bench.board_facts import EnergyTable, EnergyWindowFacts
from deployer.tools.bench.markdown import markdown_table
from deployer.units import FigureKind
from deployer_hil import Energy, EnergyWindow, energy_figures

ENERGY_SCHEMA = 1
HEAD = ("window", "s", "J", "W", "µJ an inference", "net µJ")
MICRO = 1e6


@dataclass(frozen=True)
class EnergySubject:
    """What the energy is of, "" where a recording does not tell. ``meter`` is its name, ``caps``
    what the device says of itself."""

    meter: str
    name: str = ""
    sha256: str = ""
    board: str = ""
    caps: Mapping[str, str] = field(default_factory=dict)


def energy_facts(subject: EnergySubject, found: Energy) -> EnergyTable:
    figures = energy_figures(subject.meter, found)
    return {
        "schema": ENERGY_SCHEMA,
        "deployer": __version__,
        "kinds": {"energy": figures["kind"], "seconds": FigureKind.MEASURED},
        "meter": subject.meter,
        "name": subject.name,
        "sha256": subject.sha256,
        "board": subject.board,
        "inferences": figures["inferences"],
        "microjoules": figures["microjoules"],
        "net_microjoules": figures["net_microjoules"],
        "seconds": figures["seconds"],
        "watts": figures["watts"],
        "idle_watts": figures["idle_watts"],
        "inferences_per_joule": figures["inferences_per_joule"],
        "edge_error": figures["edge_error"],
        "windows": [_window(found, window) for window in found.windows],
        "caps": dict(subject.caps),
    }


def _window(found: Energy, window: EnergyWindow) -> EnergyWindowFacts:
    idle = found.idle_watts
    net = None if idle is None else window.joules - idle * window.seconds
    return {
        "seconds": window.seconds,
        "joules": window.joules,
        "watts": window.watts,
        "microjoules": MICRO * window.joules / found.inferences,
        "net_microjoules": None if net is None else MICRO * net / found.inferences,
    }


def energy_markdown(facts: EnergyTable) -> str:
    """What one inference takes, then a row a window, then how it was found."""
    rows = [_row(str(at), window) for at, window in enumerate(facts["windows"], 1)]
    return "\n".join(
        [_headline(facts), "", *markdown_table(HEAD, rows), "", *_remarks(facts), ""],
    )


def _headline(facts: EnergyTable) -> str:
    where = f" on {facts['board']}" if facts["board"] else ""
    net = facts["net_microjoules"]
    beyond = "" if net is None else f", {_number(net)} µJ of it beyond idle"
    return (
        f"{facts['name'] or 'Energy'}{where}: {_number(facts['microjoules'])} µJ per "
        f"inference{beyond}; {facts['kinds']['energy']}, {facts['meter']}."
    )


def _row(name: str, window: EnergyWindowFacts) -> list[str]:
    net = window["net_microjoules"]
    figures = [window["seconds"], window["joules"], window["watts"], window["microjoules"]]
    return [name, *map(_number, figures), "" if net is None else _number(net)]


def _remarks(facts: EnergyTable) -> list[str]:
    idle, edges = facts["idle_watts"], facts["edge_error"]
    waiting = "not recorded, so nothing is subtracted" if idle is None else f"{_number(idle)} W"
    lines = [
        f"Medians of {len(facts['windows'])} windows of {facts['inferences']:,} inferences: "
        f"{_number(1e3 * facts['seconds'])} ms and {_number(facts['watts'])} W, "
        f"{_number(facts['inferences_per_joule'])} inferences a joule.",
        f"Idle power: {waiting}.",
    ]
    if edges is not None:
        lines.append(f"Edges of a window are known to {100 * edges:.2g} % of its energy.")
    return lines


def _number(value: float) -> str:
    """Four digits and more, without an exponent where people read none."""
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"
