"""Reference networks as seeded ONNX files, in the graph styles that exporters write."""

from deployer.tools.zoo.build import draw, save
from deployer.tools.zoo.builder import NetworkBuilder
from deployer.tools.zoo.catalog import CATALOG
from deployer.tools.zoo.layers import Network

__all__ = [
    "CATALOG",
    "Network",
    "NetworkBuilder",
    "draw",
    "save",
]
