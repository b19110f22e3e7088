"""The order of steps, and which values share bytes."""

from deployer.schedule.alias_candidates import Lead
from deployer.schedule.order import (
    KernelChoice,
    kernel_of,
    lead_by,
    needs_no_kernel,
    schedule,
    shared,
)
from deployer.schedule.region_scratch import region_scratch
from deployer.schedule.reorder import reorder

__all__ = [
    "KernelChoice",
    "Lead",
    "kernel_of",
    "lead_by",
    "needs_no_kernel",
    "region_scratch",
    "reorder",
    "schedule",
    "shared",
]
