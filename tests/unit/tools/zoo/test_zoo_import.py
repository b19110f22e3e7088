"""Every network of the zoo, in every style, through the importer."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from deployer.frontend.operators import OPERATORS
from deployer.ir.graph import Graph
from deployer.tools.zoo.catalog import CATALOG
from unit.frontend.onnx_equal import compare, imported
from unit.tools.zoo.zoo_nets import STYLES, small, written

FIRST_TIER = (
    *("mobilenetv1", "mobilenetv2", "efficientnet-lite0"),
    *("resnet8", "resnet9", "resnet18", "ds-cnn", "vgg16"),
)

LAYERS = (
    "Conv2d",
    "DepthwiseConv2d",
    "Add",
    "MaxPool",
    "AveragePool",
    "FullyConnected",
    "Reshape",
)


def equal(model: onnx.ModelProto, folder: Path) -> Graph:
    """The imported graph, after it gave the outputs of ONNX Runtime."""
    graph = imported(model, folder)
    compare(graph, model.SerializeToString())
    return graph


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", FIRST_TIER)
def test_the_first_tier_imports(name: str, style: str, tmp_path: Path) -> None:
    equal(onnx.load(written(small(name), tmp_path, style=style)), tmp_path)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", sorted(set(CATALOG) - set(FIRST_TIER)))
def test_the_others_import_where_their_operators_are_known(
    name: str, style: str, tmp_path: Path
) -> None:
    model = onnx.load(written(small(name), tmp_path, style=style))
    missing = {node.op_type for node in model.graph.node} - set(OPERATORS) - {"Constant"}
    if missing:
        pytest.skip(f"the importer has no {', '.join(sorted(missing))}")
    equal(model, tmp_path)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", ["mobilenetv2", "resnet18", "ds-cnn"])
def test_separate_batch_norm_is_folded_by_the_importer(
    name: str, style: str, tmp_path: Path
) -> None:
    model = onnx.load(written(small(name), tmp_path, style=style, batch_norm=True))
    graph = equal(model, tmp_path)
    assert all(node.op in LAYERS for node in graph.nodes)
