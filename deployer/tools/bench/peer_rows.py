"""CMSIS-NN's figures beside those of a network's layers, where both have the layer."""

from __future__ import annotations

from collections.abc import Sequence

from deployer.analysis import Launch, launches
from deployer.ir import Schedule
from deployer.tools.bench.cmsis_nn import Peer
from deployer.tools.bench.facts import LayerFacts, NetworkFacts, PeerFacts, WorkFacts


def with_peer(network: NetworkFacts, schedule: Schedule, peer: Peer) -> NetworkFacts:
    """The network's facts with ``against`` in every layer, None where the library has not all of
    it, and ``against`` of the network: sums over the layers that both have, ``ours`` beside
    ``theirs``, their MACs, and the operators left out."""
    pairs = zip(network["layers"], launches(schedule), strict=True)
    layers: list[LayerFacts] = [
        {**layer, "against": _theirs(launch, peer)} for layer, launch in pairs
    ]
    both = [layer for layer in layers if layer["against"]]
    left = {layer["op"] for layer in layers if not layer["against"]}
    sums: PeerFacts = {
        "rounding": peer.rounding,
        "layers": len(both),
        "macs": sum(layer["macs"] for layer in both),
        "ours": _sum(both),
        "theirs": _sum([layer["against"] for layer in both if layer["against"]]),
        "left_out": sorted(left),
    }
    return {**network, "layers": layers, "against": sums}


def _theirs(launch: Launch, peer: Peer) -> WorkFacts | None:
    """Of a region, its layers one by one."""
    if any(step.node not in peer.times for step in launch.steps):
        return None
    found = [peer.times[step.node] for step in launch.steps]
    return {
        "instructions": sum(time.instructions for time in found),
        "core": sum(time.core for time in found),
        "cycles": sum(time.cycles for time in found),
    }


def _sum(rows: Sequence[LayerFacts] | Sequence[WorkFacts]) -> WorkFacts:
    return {
        "instructions": sum(row["instructions"] for row in rows),
        "core": sum(row["core"] for row in rows),
        "cycles": sum(row["cycles"] for row in rows),
    }


def layer_cells(layer: LayerFacts) -> list[str]:
    """Their instructions and cycles a MAC or element, and how many times ours."""
    theirs = layer["against"]
    if not theirs:
        return ["", "", "", ""]
    unit = "" if layer["macs"] else "/el"
    work = layer["macs"] or layer["elements"]
    per = [f"{count / work:.2f}{unit}" for count in (theirs["instructions"], theirs["cycles"])]
    return [*per, *_times(layer, theirs)]


def network_cells(network: NetworkFacts) -> list[str]:
    """As of a layer, over the layers both have."""
    sums = network["against"]
    theirs, macs = sums["theirs"], max(sums["macs"], 1)
    per = [f"{count / macs:.2f}" for count in (theirs["instructions"], theirs["cycles"])]
    return [*per, *_times(sums["ours"], theirs)]


def _times(ours: LayerFacts | WorkFacts, theirs: WorkFacts) -> list[str]:
    instructions = theirs["instructions"] / max(ours["instructions"], 1)
    return [f"{instructions:.2f}x", f"{theirs['cycles'] / max(ours['cycles'], 1):.2f}x"]


HEAD = ("CMSIS-NN i/MAC", "CMSIS-NN c/MAC", "instructions", "cycles")


def footnotes(networks: Sequence[NetworkFacts]) -> list[str]:
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
