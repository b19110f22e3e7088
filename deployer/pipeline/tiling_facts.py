"""How a step is cut into tiles, as the manifest and the report tell it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from deployer.ir.plan import StepTiles


def tiling_facts(step: StepTiles | None) -> dict[str, Any] | None:
    """None for what works where its tensors lie. Bytes of the inner memory, and moved into it and
    out of it; cycles of the step, of these in kernels and waiting for transfers: estimates."""
    if step is None or step.tiling is None:
        return None
    tiling = step.tiling
    axes = tiling.rows, tiling.columns, tiling.channels
    return {
        "memory": tiling.memory,
        "tile": [axis.tile for axis in axes],
        "counts": [axis.count for axis in axes],
        "count": tiling.count,
        "channels_inner": tiling.channels_inner,
        "bytes": tiling.bytes,
        **asdict(tiling.costs),
        "kind": "estimated",
    }
