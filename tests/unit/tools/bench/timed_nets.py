"""Networks timed by nobody: rows for tables and gates."""

from __future__ import annotations

from typing import Any

from deployer.tools.bench.model_time import LayerTime, ModelTime
from deployer.tools.timing.estimate import Loop, StepTime


def layer(index: int, instructions: int, **changes: Any) -> LayerTime:
    time = StepTime(
        index=index,
        instructions=instructions,
        loads=10,
        stores=5,
        mispredicted=2,
        data_misses=3,
        fetch_misses=1,
        core=instructions / 2,
        memory=100.0,
        functions=(("dpl_conv2d_s8__armv7em", instructions / 2),),
        loop=Loop("sum_2x3", 2.0, instructions // 8, ("smlad r0, r1, r2, r0", "bne #8")),
    )
    fields: dict[str, Any] = {
        "name": f"conv{index}",
        "op": "Conv2d",
        "geometry": "8x8x4 -> 8x8x8, 3x3",
        "kernel": "dpl_conv2d_s8__armv7em",
        "macs": 18_432,
        "elements": 512,
        "weight_bytes": 352,
        "floor": 9_216.0,
        "time": time,
    }
    return LayerTime(**{**fields, **changes})


def timed(*instructions: int, name: str = "net", **changes: Any) -> ModelTime:
    """A network with a layer for each count."""
    layers = tuple(layer(index, count) for index, count in enumerate(instructions))
    fields: dict[str, Any] = {
        "name": name,
        "sha256": "ab",
        "macs": sum(each.macs for each in layers),
        "layers": layers,
        "compiler": "a compiler 1.0",
        "flags": ("-O2", "-mthumb"),
        "tool": "an emulator 2.0",
        "unknown": (),
        "kernel_bytes": 4_000,
    }
    return ModelTime(**{**fields, **changes})
