"""The planner: from an integer network to steps, memory and tiles."""

from deployer.plan.aliases import aliased, arena_in_one_memory
from deployer.plan.code_size import MAX_REPLANS, with_more_code
from deployer.plan.constants import copies_wanted
from deployer.plan.faster import faster
from deployer.plan.fit import arena_bytes, copy_memory, input_bytes
from deployer.plan.flash import constant_bytes
from deployer.plan.flash_trades import FlashPoint, flash_points
from deployer.plan.front import FrontPlan, Search, balanced, has_front
from deployer.plan.inputs import input_copy_address, input_copy_memory
from deployer.plan.kernel_code import code_limit, kernel_code
from deployer.plan.nearest import Nearest, activations_short, nearest
from deployer.plan.plan import Plan, allocated, plan, tiled
from deployer.plan.prefetch import scheduled
from deployer.plan.refusal import row_line, with_hint
from deployer.plan.regions import planner_of, restructured, restructured_by, search_of
from deployer.plan.request import Limits, PlanRequest
from deployer.plan.smallest import smallest_arena
from deployer.plan.spill_places import spill_buffers
from deployer.plan.verdict import Verdict, boards_that_fit, judge, require_kernels, with_copies

__all__ = [
    "MAX_REPLANS",
    "FlashPoint",
    "FrontPlan",
    "Limits",
    "Nearest",
    "Plan",
    "PlanRequest",
    "Search",
    "Verdict",
    "activations_short",
    "aliased",
    "allocated",
    "arena_bytes",
    "arena_in_one_memory",
    "balanced",
    "boards_that_fit",
    "code_limit",
    "constant_bytes",
    "copies_wanted",
    "copy_memory",
    "faster",
    "flash_points",
    "has_front",
    "input_bytes",
    "input_copy_address",
    "input_copy_memory",
    "judge",
    "kernel_code",
    "nearest",
    "plan",
    "planner_of",
    "require_kernels",
    "restructured",
    "restructured_by",
    "row_line",
    "scheduled",
    "search_of",
    "smallest_arena",
    "spill_buffers",
    "tiled",
    "with_copies",
    "with_hint",
    "with_more_code",
]
