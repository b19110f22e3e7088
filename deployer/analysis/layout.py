"""The layout of a region, by how it runs."""

from __future__ import annotations

from deployer.analysis.channels import ChannelLayout
from deployer.analysis.regions import RegionLayout
from deployer.ir import CHANNELS, Graph, Region, scope_of


def layout_of(graph: Graph, region: Region) -> RegionLayout:
    """Which pieces the region's nodes compute, and where they lie."""
    kind = ChannelLayout if region.mode == CHANNELS else RegionLayout
    return kind(scope_of(graph, region))
