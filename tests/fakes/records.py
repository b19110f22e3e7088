"""Run records without a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from deployer_hil.record import GoldenRecord, LayerRecord, RunRecord

_PLAIN = RunRecord(
    runner="qemu_system",
    tool="QEMU 7.2",
    board="toy",
    target="toy-twin",
    bundle="0123456789abcdef",
    model="net",
    model_sha256="ab" * 32,
    kind="counted",
    counter="instructions",
    counts_agree=True,
    caps={"clock_hz": "1000000"},
    mem={"stack_used": 640},
    layers=(),
    golden=GoldenRecord(match=True, samples=2, matching=2, elements=20, differing=0),
    host={"system": "Linux"},
    options={"scheme": "multiply-shift"},
    memory={"ram": 4000, "flash": 20000},
    made={"deployer": "0.1", "commit": "c0ffee", "compiler": "gcc 12.2", "flags": "-O2"},
)


def record_of(counts: Sequence[int] = (100, 250), **changed: Any) -> RunRecord:
    """``counts``: of each layer, in order."""
    layers = tuple(LayerRecord(i, f"layer{i}", True, (n,)) for i, n in enumerate(counts))
    return replace(_PLAIN, layers=layers, **changed)
