"""The order of steps, and which values share bytes."""

from deployer.schedule.alias_candidates import OverlapOffset
from deployer.schedule.constants import (
    RequantTables,
    array_key,
    channel_layouts,
    constant_arrays,
    has_tables,
    has_zero_alone,
    requant_tables,
    step_arrays,
    unread_constants,
    weight_layout,
)
from deployer.schedule.order import (
    KernelChoice,
    able_kernels,
    kernel_of,
    needs_no_kernel,
    overlap_offset_by,
    schedule,
    shared,
)
from deployer.schedule.region_scratch import region_scratch
from deployer.schedule.reorder import reorder

__all__ = [
    "KernelChoice",
    "OverlapOffset",
    "RequantTables",
    "able_kernels",
    "array_key",
    "channel_layouts",
    "constant_arrays",
    "has_tables",
    "has_zero_alone",
    "kernel_of",
    "needs_no_kernel",
    "overlap_offset_by",
    "region_scratch",
    "reorder",
    "requant_tables",
    "schedule",
    "shared",
    "step_arrays",
    "unread_constants",
    "weight_layout",
]
