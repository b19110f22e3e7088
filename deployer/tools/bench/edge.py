"""The size at which each network of the zoo is benched: small, but every layer still works."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from deployer.tools.zoo import CATALOG, Network, draw


@dataclass(frozen=True)
class Edge:
    """``resolution`` (height, width) None is the network's usual one."""

    width: float = 1.0
    resolution: tuple[int, int] | None = None


EDGE: Mapping[str, Edge] = MappingProxyType(
    {
        "mobilenetv1": Edge(width=0.25, resolution=(96, 96)),
        "mobilenetv2": Edge(width=0.35, resolution=(64, 64)),
        "mobilenetv3-small": Edge(resolution=(64, 64)),
        "resnet8": Edge(),
        "resnet9": Edge(),
        "resnet18": Edge(resolution=(64, 64)),
        "cifar10-cnn": Edge(),
        "ds-cnn": Edge(),
        "squeezenet1.1": Edge(resolution=(64, 64)),
        "vgg16": Edge(width=0.25, resolution=(64, 64)),
        "googlenet": Edge(resolution=(64, 64)),
        "inception-v3": Edge(resolution=(128, 128)),
        "densenet121": Edge(resolution=(64, 64)),
        "efficientnet-lite0": Edge(resolution=(64, 64)),
        "shufflenetv1": Edge(width=0.5, resolution=(64, 64)),
        "shufflenetv2": Edge(width=0.5, resolution=(64, 64)),
        "unet": Edge(resolution=(64, 64)),
        "pydnet": Edge(resolution=(64, 64)),
        "upydnet": Edge(resolution=(32, 32)),
    }
)


def edge_of(
    name: str, width: float | None = None, resolution: tuple[int, int] | None = None
) -> Edge:
    """The edge size; ``width`` and ``resolution`` replace its own. One that the table does not know
    has its usual size."""
    edge = EDGE.get(name, Edge())
    return Edge(edge.width if width is None else width, resolution or edge.resolution)


def edge_network(name: str, edge: Edge | None = None) -> Network:
    """The network at its edge size, or ``edge``. Raises UsageError for an unknown name."""
    edge = edge or edge_of(name)
    return draw(name, width=edge.width, resolution=edge.resolution)


def edge_label(name: str, edge: Edge | None = None) -> str:
    """``mobilenetv1 x0.25``; the resolution is told by the input's shape."""
    width = (edge or edge_of(name)).width
    return name if width == 1 else f"{name} x{width:g}"


def edge_names() -> tuple[str, ...]:
    """Every network of the zoo."""
    return tuple(CATALOG)
