"""The networks that tables are made of: another size of one makes all earlier figures incomparable.
Whole lists are pinned (tests/README.md)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from deployer.ir.attrs import Window
from deployer.ir.ops import OPS
from deployer.tools.bench.cost_nets import operator_graphs, variants
from deployer.tools.bench.edge import edge_label, edge_names, edge_network
from deployer.tools.bench.sweep_draw import SweepRequest, draw_layers
from deployer.tools.bench.tiled_kernels_layers import LAYERS
from planned import pinned
from unit.analysis.spatial_nets import SAME_3, SpatialNet

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
        nets = [layer.inner, layer.tiled]
        sizes = " and ".join(f"{net.input}, {net.macs:,} MACs" for net in nets)
        lines.append(f"{name}: {sizes}; {layer.blocked or 'selected'}, a {layer.counts}")
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
            read = (name for name in node.inputs if name in graph.constants)
            own = [graph.constants[name].astype(np.float64) for name in read]
            spread = " ".join(f"{array.mean():.4f} {array.std():.4f}" for array in own)
            lines.append(f"  {node.op} {node.attrs} {shapes} {spread}")
    pinned(FOLDER / "cost-networks.txt", "\n".join(lines))


def test_the_layers_of_a_sweep_are_pinned() -> None:
    layers = draw_layers(SweepRequest())
    lines = [f"{one.operator} {one.text}, {one.bits} bits, {one.work:,}" for one in layers]
    pinned(FOLDER / "sweep-layers.txt", "\n".join(lines))


def test_weights_of_those_networks_keep_the_size_of_what_they_read() -> None:
    """Else their integers saturate or vanish, and the kernels with them are not those timed."""
    spreads = []
    for graph in operator_graphs():
        for node in graph.nodes:
            if not OPS[node.op].linear:
                continue
            weights = graph.constants[node.inputs[1]].astype(np.float64)
            summed = weights[..., 0].size if node.op == "DepthwiseConv2d" else weights[0].size
            if weights.size > 200:
                spreads.append(float(np.sqrt((weights**2).mean() * summed)))
    assert len(spreads) > 20
    assert all(0.7 < spread < 1.4 for spread in spreads)


def test_how_those_networks_are_computed_in_pieces_is_pinned() -> None:
    """A chain is one stream; what is small stays whole, as does what is named and asked for."""
    lines = []
    for name in ("", "dpl_conv2d_s8__ref", "dpl_conv2d_s8__armv7em_winograd"):
        net = SpatialNet()
        net.conv(net.input(9, 9, 8), 8, SAME_3)
        net.conv(net.conv(net.input(12, 7, 8), 4, SAME_3), 8, SAME_3)
        for height, width in ((5, 4), (4, 9), (9, 3)):
            net.pool(net.input(height, width, 8), "MaxPool", Window((1, 1)))
        graph = net.graph()
        first = replace(graph.nodes[0], kernel=name)
        for label, regions in variants(replace(graph, nodes=(first, *graph.nodes[1:]))):
            lines.append(f"{name or 'selected'} {label}")
            lines += [f"  {one.mode} {one.nodes} {one.rows} {one.columns}" for one in regions]
    pinned(FOLDER / "variants.txt", "\n".join(lines))
