"""When two integer graphs are one program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest

from deployer.frontend.onnx_import import import_model
from deployer.ir.graph import Graph
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.samples import synthetic_samples
from deployer.tools.bench.fingerprint import fingerprint
from deployer.tools.zoo.build import draw, save
from models import residual_net

OPTIONS = QuantOptions(equalize="off", bias_correction="off")


def integers(path: Path) -> Graph:
    graph = import_model(path)
    return quantize(graph, synthetic_samples(graph, count=2), OPTIONS).graph


@pytest.fixture
def integer(tmp_path: Path) -> Graph:
    onnx.save(residual_net(), tmp_path / "net.onnx")
    return integers(tmp_path / "net.onnx")


def test_exporters_styles_of_one_network_are_one_program(tmp_path: Path) -> None:
    network, found = draw("mobilenetv3-small", width=0.25, resolution=(32, 32)), []
    for style in ("torchscript", "dynamo"):
        save(network, tmp_path / f"{style}.onnx", style=style)
        found.append(integers(tmp_path / f"{style}.onnx"))
    assert found[0].nodes[0].name != found[1].nodes[0].name
    assert fingerprint(found[0]) == fingerprint(found[1])


def test_another_seed_is_another_program(tmp_path: Path) -> None:
    network, found = draw("ds-cnn"), set()
    for seed in (0, 1):
        save(network, tmp_path / "net.onnx", seed=seed)
        found.add(fingerprint(integers(tmp_path / "net.onnx")))
    assert len(found) == 2


def one_weight(graph: Graph) -> Graph:
    name = graph.nodes[0].inputs[1]
    array = graph.constants[name].copy()
    array.flat[-1] ^= 1
    return replace(graph, constants={**graph.constants, name: array})


def one_shift(graph: Graph) -> Graph:
    name = graph.nodes[0].rq.shift
    return replace(graph, constants={**graph.constants, name: graph.constants[name] + np.uint8(1)})


def one_bound(graph: Graph) -> Graph:
    first, *rest = graph.nodes
    changed = replace(first, requant=replace(first.rq, high=first.rq.high - 1))
    return replace(graph, nodes=(changed, *rest))


def one_input(graph: Graph) -> Graph:
    """The skip connection reads another value of the same shape."""
    index, node = next((i, n) for i, n in enumerate(graph.nodes) if n.op == "Add")
    swapped = replace(node, inputs=(node.inputs[1], node.inputs[0], *node.inputs[2:]))
    return replace(graph, nodes=(*graph.nodes[:index], swapped, *graph.nodes[index + 1 :]))


@pytest.mark.parametrize("change", [one_weight, one_shift, one_bound, one_input])
def test_any_change_is_another_program(change: Callable[[Graph], Graph], integer: Graph) -> None:
    assert fingerprint(change(integer)) != fingerprint(integer)
    assert fingerprint(replace(integer, name="other")) == fingerprint(integer)
