"""Convolutions of one channel to one, which are depthwise: on packed rows."""

from __future__ import annotations

from deployer.kernelset.cortex_m.depthwise_cycles import row_cycles
from deployer.kernelset.cortex_m.depthwise_plan import rows_at_once, scratch_bytes
from deployer.kernelset.cortex_m.strips import ROW_BOUNDS
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import AccessOrder


def _one_channel(case: KernelCase) -> bool:
    return case.in_channels == case.out_channels == 1 and case.kernel != (1, 1)


def _by_bands(case: KernelCase) -> AccessOrder | None:
    rows = rows_at_once(case)
    return AccessOrder(rows=rows, buffered=True) if rows else None


KERNELS: tuple[Kernel, ...] = tuple(
    Kernel(
        f"dpl_conv2d_{act}__armv7em_channel",
        weighed=False,
        op="Conv2d",
        act=act,
        when=_one_channel,
        scratch=scratch_bytes,
        formula=row_cycles,
        order=_by_bands,
        shared=ROW_BOUNDS[act],
    )
    for act in ("s8", "s16")
)
