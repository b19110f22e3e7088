"""A network on one thread after the other: JSON types, and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from deployer import __version__
from deployer.tools.bench.markdown import markdown_table
from deployer.tools.bench.threads import HAND_OVER_MICROSECONDS, SharedNetwork, SharedStep
from deployer.tools.timing import Machine
from deployer.units import FigureKind

THREADS_SCHEMA = 1
_HEAD = ("threads", "instructions", "cycles", "ms", "speed-up", "at work")
_STEP_HEAD = ("step", "kernel", "shape", "cycles of each thread", "memory", "cycles", "lost")
_WORST = 12


class SharedStepFacts(TypedDict):
    name: str
    op: str
    geometry: str
    kernel: str
    macs: int
    instructions: Sequence[int]
    cycles: Sequence[float]
    memory: float
    hand_over: float
    time: float


class SharedNetworkFacts(TypedDict):
    threads: int
    instructions: int
    cycles: float
    speed_up: float
    steps: Sequence[SharedStepFacts]


class ThreadsTable(TypedDict):
    schema: int
    deployer: str
    board: str
    model: str
    clock_hz: int
    kind: str
    error: float
    hand_over_microseconds: float
    networks: Sequence[SharedNetworkFacts]


def threads_facts(model: str, found: Sequence[SharedNetwork], machine: Machine) -> ThreadsTable:
    """Schema 1, described in docs/bench.md; the first of ``found`` has one thread."""
    return {
        "schema": THREADS_SCHEMA,
        "deployer": __version__,
        "board": machine.name,
        "model": model,
        "clock_hz": machine.clock_hz,
        "kind": FigureKind.ESTIMATED,
        "error": machine.ratio_error,
        "hand_over_microseconds": HAND_OVER_MICROSECONDS,
        "networks": [_network(found[0].time, network) for network in found],
    }


def _network(alone: float, network: SharedNetwork) -> SharedNetworkFacts:
    return {
        "threads": network.threads,
        "instructions": network.instructions,
        "cycles": network.time,
        "speed_up": alone / network.time,
        "steps": [_step(step) for step in network.steps],
    }


def _step(step: SharedStep) -> SharedStepFacts:
    return {
        "name": step.name,
        "op": step.op,
        "geometry": step.geometry,
        "kernel": step.kernel,
        "macs": step.macs,
        "instructions": step.instructions,
        "cycles": step.cycles,
        "memory": step.memory,
        "hand_over": step.hand_over,
        "time": step.time,
    }


def threads_markdown(facts: ThreadsTable) -> str:
    """A row for each number of threads, and the steps in which the most threads lose most."""
    most = facts["networks"][-1]
    title = f"{facts['model']} on {facts['board']}, {facts['kind']} ± {facts['error']:.0%}"
    parts = [title, "", *markdown_table(_HEAD, [_cells(facts, each) for each in facts["networks"]])]
    if most["threads"] > 1:
        steps = sorted(most["steps"], key=lambda step: -_lost(step, most["threads"]))[:_WORST]
        rows = [_step_cells(step, most["threads"]) for step in steps]
        title = f"Steps in which {most['threads']} threads lose most"
        parts += ["", title, "", *markdown_table(_STEP_HEAD, rows)]
    note = f"A shared step costs {facts['hand_over_microseconds']:g} µs, stated and not measured."
    return "\n".join([*parts, "", note]) + "\n"


def _cells(facts: ThreadsTable, network: SharedNetworkFacts) -> list[str]:
    busy = sum(sum(step["cycles"]) for step in network["steps"])
    return [
        str(network["threads"]),
        f"{network['instructions']:,}",
        f"{network['cycles']:,.0f}",
        f"{network['cycles'] / facts['clock_hz'] * 1e3:.2f}" if facts["clock_hz"] else "",
        f"{network['speed_up']:.2f}",
        f"{busy / network['cycles'] / network['threads']:.0%}",
    ]


def _lost(step: SharedStepFacts, threads: int) -> float:
    """Cycles beyond those that the same work takes, shared evenly and for nothing."""
    return step["time"] - sum(step["cycles"]) / threads


def _step_cells(step: SharedStepFacts, threads: int) -> list[str]:
    return [
        step["name"],
        step["kernel"],
        step["geometry"],
        ", ".join(f"{cycles:,.0f}" for cycles in step["cycles"]),
        f"{step['memory']:,.0f}",
        f"{step['time']:,.0f}",
        f"{_lost(step, threads):,.0f}",
    ]
