"""The widths of activations, and what a search for them found, in words."""

from __future__ import annotations

from deployer.ir import DType, Graph
from deployer.quantize import WidthSearch
from deployer.units import format_bytes


def width_text(graph: Graph) -> str:
    """``int8``, ``int16`` or ``mixed, 5 of 12 int16`` of an integer graph, else ``float32``."""
    names = [*graph.inputs, *(node.output for node in graph.nodes)]
    kinds = [graph.values[name].dtype for name in names]
    if DType.F32 in kinds:
        return DType.F32.value
    wide = kinds.count(DType.S16)
    if wide in (0, len(names)):
        return "int16" if wide else "int8"
    return f"mixed, {wide} of {len(names)} int16"


def mixed_note(found: WidthSearch) -> str:
    """What the search was given and found, beside its two extremes."""
    narrow, full = found.trials[:2]
    last = full if found.names == ("*",) else [t for t in found.trials if t.taken][-1]
    rows = (("int8", narrow), ("mixed", last), ("int16", full))
    ends = ", ".join(f"{n} {t.sqnr_db:.1f} dB in {format_bytes(t.ram)}" for n, t in rows)
    return f"widths for {found.goal}, on samples kept apart: {ends}"
