"""The networks that tables are made of: another size of one makes all earlier figures incomparable.
Whole lists are pinned (tests/README.md)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from deployer.bench.cost_nets import operator_graphs
from deployer.bench.edge import edge_label, edge_names, edge_network
from deployer.bench.tiled_kernels_layers import LAYERS
from deployer.quantize.layers import LINEAR
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"


def test_the_sizes_of_the_zoo_s_rows_are_pinned() -> None:
    networks = {name: edge_network(name) for name in edge_names()}
    lines = [
        f"{edge_label(name)}: {net.input}, {net.macs:,} MACs, {net.parameters:,} parameters"
        for name, net in networks.items()
    ]
    pinned(FOLDER / "edge-networks.txt", "\n".join(lines))


def test_the_layers_that_kernels_are_judged_by_are_pinned() -> None:
    lines = []
    for name, layer in LAYERS.items():
        nets = [net for net in (layer.inner, layer.tiled) if net is not None]
        sizes = " and ".join(f"{net.input}, {net.macs:,} MACs" for net in nets)
        lines.append(f"{name}: {sizes}; {layer.kernel or 'selected'}, a {layer.counts}")
        lines += [
            f"  {one.kind} {one.shape} {dict(one.attrs)}" for net in nets for one in net.layers
        ]
    pinned(FOLDER / "tiled-layers.txt", "\n".join(lines))


def test_the_networks_that_costs_are_fitted_to_are_pinned() -> None:
    lines = []
    for graph in operator_graphs():
        lines.append(graph.name)
        for node in graph.nodes:
            shapes = [graph.values[name].shape for name in (*node.inputs, node.output)]
            lines.append(f"  {node.op} {node.attrs} {shapes}")
    pinned(FOLDER / "cost-networks.txt", "\n".join(lines))


def test_weights_of_those_networks_keep_the_size_of_what_they_read() -> None:
    """Else their integers saturate or vanish, and the kernels with them are not those timed."""
    spreads = []
    for graph in operator_graphs():
        for node in graph.nodes:
            if node.op not in LINEAR:
                continue
            weights = graph.constants[node.inputs[1]].astype(np.float64)
            summed = weights[..., 0].size if node.op == "DepthwiseConv2d" else weights[0].size
            if weights.size > 200:
                spreads.append(float(np.sqrt((weights**2).mean() * summed)))
    assert len(spreads) > 20
    assert 0.7 < min(spreads) <= max(spreads) < 1.4
