"""What a region is called, and what its tables take."""

from __future__ import annotations

from deployer.analysis import ChannelLayout, RegionLayout
from deployer.codegen.names import plain_text
from deployer.ir import CHANNELS, PATCH, Region


def region_title(region: Region) -> str:
    """``stream of 12 layers``, ``4x3 patches of 12 layers``, ``6 channel groups of 3 layers``."""
    rows, columns = (max(1, len(points) - 1) for points in (region.rows, region.columns))
    kind = f"{rows}x{columns} patches" if region.mode == PATCH else "stream"
    if region.mode != PATCH and columns > 1:
        kind = f"stream in {columns} strips"
    if region.mode == CHANNELS:
        kind = f"{len(region.channels) - 1} channel groups"
    count = len(region.nodes)
    return f"{kind} of {count} layer{'s' if count > 1 else ''}"


def region_function(region: Region) -> str:
    """The C function that makes the calls of ``region``."""
    return f"dpl_region_{region.mode if region.mode in (PATCH, CHANNELS) else 'rows'}"


def region_note(region: Region) -> str:
    """The title with all that is special about the region."""
    chunk = f", {region.chunk} rows at a time" if region.chunk > 1 else ""
    upwards = ", from the last row to the first" if region.reverse else ""
    source, target = map(plain_text, region.over or ("", ""))
    overlap = f", {target} over {source}" if region.over else ""
    return f"{region_title(region)}{chunk}{upwards}{overlap}"


def table_bytes(layout: RegionLayout) -> int:
    """Bytes of the tables on a core with 32-bit pointers, as region.h declares them."""
    if isinstance(layout, ChannelLayout):
        return 4 * len(layout.steps) + 2 * len(layout.region.channels) + 16
    region, count = layout.region, len(layout.scope.nodes) + len(layout.region.fetch)
    reads = sum(len(rules) for rules in layout.rules)
    points = len(region.rows) + len(region.columns) + len(layout.scope.outputs)
    return 24 * reads + 20 * count + 2 * points + 28
