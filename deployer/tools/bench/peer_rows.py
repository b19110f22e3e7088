"""CMSIS-NN's figures beside those of a network's layers, where both have the layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deployer.analysis import Launch, launches
from deployer.ir import Schedule
from deployer.tools.bench.cmsis_nn import Peer

Facts = dict[str, Any]
SUMMED = ("instructions", "core", "cycles")


def with_peer(network: Facts, schedule: Schedule, peer: Peer) -> Facts:
    """The network's facts with ``against`` in every layer, None where the library has not all of
    it, and ``against`` of the network: sums over the layers that both have, ``ours`` beside
    ``theirs``, their MACs, and the operators left out."""
    pairs = zip(network["layers"], launches(schedule), strict=True)
    layers = [{**layer, "against": _theirs(launch, peer)} for layer, launch in pairs]
    both = [layer for layer in layers if layer["against"]]
    left = {layer["op"] for layer in layers if not layer["against"]}
    sums = {
        "rounding": peer.rounding,
        "layers": len(both),
        "macs": sum(layer["macs"] for layer in both),
        "ours": _sum(both),
        "theirs": _sum([layer["against"] for layer in both]),
        "left_out": sorted(left),
    }
    return {**network, "layers": layers, "against": sums}


def _theirs(launch: Launch, peer: Peer) -> Facts | None:
    """Of a region, its layers one by one."""
    found = [peer.times.get(step.node) for step in launch.steps]
    if any(time is None for time in found):
        return None
    return {name: sum(getattr(time, name) for time in found) for name in SUMMED}


def _sum(rows: Sequence[Mapping[str, Any]]) -> Facts:
    return {name: sum(row[name] for row in rows) for name in SUMMED}


def layer_cells(layer: Facts) -> list[str]:
    """Their instructions and cycles a MAC or element, and how many times ours."""
    theirs = layer["against"]
    if not theirs:
        return ["", "", "", ""]
    unit = "" if layer["macs"] else "/el"
    work = layer["macs"] or layer["elements"]
    per = [f"{theirs[name] / work:.2f}{unit}" for name in ("instructions", "cycles")]
    return [*per, *_times(layer, theirs)]


def network_cells(network: Facts) -> list[str]:
    """As of a layer, over the layers both have."""
    sums = network["against"]
    theirs, macs = sums["theirs"], max(sums["macs"], 1)
    per = [f"{theirs[name] / macs:.2f}" for name in ("instructions", "cycles")]
    return [*per, *_times(sums["ours"], theirs)]


def _times(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    return [f"{theirs[name] / max(ours[name], 1):.2f}x" for name in ("instructions", "cycles")]


HEAD = ("CMSIS-NN i/MAC", "CMSIS-NN c/MAC", "instructions", "cycles")


def footnotes(networks: Sequence[Facts]) -> list[str]:
    """What stood against what."""
    roundings = sorted({network["against"]["rounding"] for network in networks})
    left = sorted({op for network in networks for op in network["against"]["left_out"]})
    lines = [
        f"CMSIS-NN: your build ({', '.join(roundings)} rounding), same layers and weights, other "
        "inputs; every output is the one our own reference of its arithmetic expects.",
        "*instructions*, *cycles*: how many times ours it takes, in a network over the layers both "
        "have.",
    ]
    if left:
        lines.append(f"Not called of CMSIS-NN: {', '.join(left)}.")
    return lines
