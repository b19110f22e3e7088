"""What tells the graphs of the exporters apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from deployer.choices import GraphStyle


@dataclass(frozen=True)
class Style:
    """``constant_nodes``: small constants are Constant nodes, not initializers.

    ``mean_pool``: global pooling is ReduceMean, flattening is Reshape. ``shares``: of equal
    vectors only one is stored, the others are Identity nodes. ``pad_chain``: asymmetric pads are
    a chain of shape arithmetic before Pad. ``spells_defaults``: attributes with default values
    are written. ``scopes``: nodes name their Python module. ``shapes``: values carry shapes.
    ``value``: the name of a layer's value, from layer and operator.
    """

    opset: int
    ir_version: int
    value: str
    node: str
    constant_nodes: bool = False
    mean_pool: bool = False
    shares: bool = False
    pad_chain: bool = False
    spells_defaults: bool = False
    scopes: bool = False
    shapes: bool = False


STYLES: Mapping[GraphStyle, Style] = MappingProxyType(
    {
        GraphStyle.PLAIN: Style(
            opset=17, ir_version=8, value="{layer}{suffix}", node="{layer}{suffix}"
        ),
        GraphStyle.TORCHSCRIPT: Style(
            opset=13,
            ir_version=7,
            value="/{layer}/{op}{suffix}_output_0",
            node="/{layer}/{op}{suffix}",
            constant_nodes=True,
            shares=True,
            pad_chain=True,
        ),
        GraphStyle.DYNAMO: Style(
            opset=20,
            ir_version=10,
            value="{layer}{suffix}",
            node="node_{op}_{layer}{suffix}",
            mean_pool=True,
            spells_defaults=True,
            scopes=True,
            shapes=True,
        ),
    }
)
