"""Reference networks as seeded ONNX files, in the graph styles that exporters write."""

from deployer.tools.zoo.build import draw, save
from deployer.tools.zoo.catalog import CATALOG
from deployer.tools.zoo.layers import Network
from deployer.tools.zoo.sketch import Sketch

__all__ = [
    "CATALOG",
    "Network",
    "Sketch",
    "draw",
    "save",
]
