"""Colours of the pictures: one per kind of operator, readable on light and dark screens."""

from __future__ import annotations

from collections.abc import Mapping

from deployer.ir import OPS, Family

INPUT, SCRATCH, OTHER = "input", "scratch", "other"

# kind: (what the legend says, light fill, dark fill)
KINDS: Mapping[str, tuple[str, str, str]] = {
    "conv": ("convolution", "#9cc3ea", "#2b5c8f"),
    "depthwise": ("depthwise", "#8fd6c8", "#1f6f63"),
    "dense": ("fully connected", "#c3b1e8", "#5d479b"),
    "sum": ("add, sub, mul", "#f7bd86", "#92571f"),
    "pool": ("pool", "#b4d98f", "#4b7326"),
    "point": ("activation, rescale", "#f0abc1", "#8f3d5c"),
    "move": ("rearrange", "#e8d98a", "#736418"),
    INPUT: ("input", "#cdd3db", "#4d5866"),
    SCRATCH: ("scratch", "#aab2bd", "#38414d"),
    OTHER: ("tensor", "#b9cbe0", "#3d5673"),
}

_KIND_OF = {
    Family.CONVOLUTION: "conv",
    Family.DEPTHWISE: "depthwise",
    Family.DENSE: "dense",
    Family.ARITHMETIC: "sum",
    Family.ACTIVATION: "point",
    Family.POOL: "pool",
    Family.MOVE: "move",
}

_BASE = """
.t { font: 12px system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
.small { font-size: 10.5px; }
.name { font-size: 11px; }
.head { font-size: 17px; font-weight: 600; }
.strong { font-weight: 600; }
.end { text-anchor: end; }
.mid { text-anchor: middle; }
.num { font-variant-numeric: tabular-nums; }
.halo { paint-order: stroke; stroke-width: 4; }
.wire { fill: none; stroke-width: 1.6; }
.grid { stroke-width: 1; }
.limit { stroke-width: 1.6; }
.bound { stroke-width: 1.4; stroke-dasharray: 6 4; }
.buffer { stroke-width: 1; }
"""

# role: (property, light, dark)
_ROLES = (
    (".back", "fill", "#ffffff", "#12161c"),
    (".t", "fill", "#1b222c", "#e6ebf2"),
    (".halo", "stroke", "#ffffff", "#12161c"),
    (".muted", "fill", "#5a6675", "#9aa7b6"),
    (".grid", "stroke", "#e3e7ec", "#262e39"),
    (".axis", "stroke", "#8591a0", "#66727f"),
    (".wire", "stroke", "#6b7787", "#8996a6"),
    (".tip", "fill", "#6b7787", "#8996a6"),
    (".card", "fill", "#f5f7fa", "#1b222b"),
    (".card", "stroke", "#c5ccd6", "#3a4552"),
    (".track", "fill", "#eef1f5", "#1e252f"),
    (".buffer", "stroke", "#ffffff", "#12161c"),
    (".band", "fill", "#fdecea", "#331d1f"),
    (".hot", "fill", "#b3261e", "#ff8a80"),
    (".hotbar", "fill", "#d9655d", "#b8453e"),
    (".before", "fill", "#c3cedb", "#3f4d60"),
    (".after", "fill", "#3f7cbf", "#5b9be0"),
    (".over", "fill", "#d9655d", "#b8453e"),
    (".piece", "fill", "#8591a0", "#66727f"),
    (".bar", "fill", "#9aa8ba", "#566577"),
    (".bound", "stroke", "#b3261e", "#ff8a80"),
    (".limit", "stroke", "#1b222c", "#e6ebf2"),
)


def kind_of(op: str) -> str:
    """The colour of an operator: those of a family share one."""
    return _KIND_OF[OPS[op].family]


def stylesheet() -> str:
    """Light colours, and dark ones for those who ask for them."""
    light = [*_fills(1), *_rules(2)]
    dark = [*_fills(2), *_rules(3)]
    nested = "\n".join(f"  {rule}" for rule in dark)
    joined = "\n".join(light)
    return f"{_BASE}{joined}\n@media (prefers-color-scheme: dark) {{\n{nested}\n}}\n"


def _fills(column: int) -> list[str]:
    return [f".k-{kind} {{ fill: {row[column]}; }}" for kind, row in KINDS.items()]


def _rules(column: int) -> list[str]:
    return [f"{role[0]} {{ {role[1]}: {role[column]}; }}" for role in _ROLES]
