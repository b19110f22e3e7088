"""Fully connected layers: one pixel by eight output channels."""

from __future__ import annotations

from deployer.kernelset.arguments import REAL
from deployer.kernelset.blocking.neon import SCRATCH_CORES, STEP_BYTES
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import AT_ONCE, AccessOrder

_ELEMENT_BYTES = {"s8": 1, "s16": 2}
# A place in the row is sixteen bits of eights, and one more is read (layouts/x8c16.py).
_MOST_VALUES = (2**16 - 1) * 8 - STEP_BYTES


def _whole_steps(case: KernelCase) -> int:
    """Of each core a copy of an input that is not in whole steps."""
    used = case.in_channels * _ELEMENT_BYTES[case.act]
    whole = -(-used // STEP_BYTES) * STEP_BYTES
    return SCRATCH_CORES * whole if whole > used else 0


def _placed(case: KernelCase) -> bool:
    return case.act != "s8" or case.in_channels <= _MOST_VALUES


def _at_once(case: KernelCase) -> AccessOrder:
    """Outputs are written while a copy of the input, or the input itself, is read."""
    return AccessOrder(rows=0, buffered=_whole_steps(case) > 0)


_LAYOUTS = {"s8": WeightLayout.X8C16, "s16": WeightLayout.X8}
KERNELS: tuple[Kernel, ...] = (
    *(
        Kernel(
            f"dpl_fully_connected_{act}__armv8a",
            op="FullyConnected",
            act=act,
            when=_placed,
            scratch=_whole_steps,
            weight_layout=layout,
            order=_at_once,
        )
        for act, layout in _LAYOUTS.items()
    ),
    Kernel(
        "dpl_fully_connected_f32__armv8a",
        op="FullyConnected",
        act=REAL,
        weights=REAL,
        weight_layout=WeightLayout.X16_FLOATS,
        order=AT_ONCE,
    ),
)
