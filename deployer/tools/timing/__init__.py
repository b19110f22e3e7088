"""Estimated time from counted instructions, by a model of the pipeline."""

from deployer.tools.timing.bare import run_bare
from deployer.tools.timing.calibrate import CountedNetwork, Fit, Observed, fit, observed
from deployer.tools.timing.code_size import kernel_bytes
from deployer.tools.timing.costs import Fitted, costs_text, machine_for
from deployer.tools.timing.disassembly import Issue, Program, disassemble, disassemble_object
from deployer.tools.timing.estimate import StepTime, estimate, unknown_mnemonics
from deployer.tools.timing.machine import (
    Machine,
    counting_runner,
    machine_of,
    with_code_at_hand,
)
from deployer.tools.timing.memory_cost import memory_bound
from deployer.tools.timing.pipelines import CORTEX_M7, Pipeline, pipeline_of
from deployer.tools.timing.profile import Profile, StepProfile, profile
from deployer.tools.timing.turns import Part, parts_of_cores

__all__ = [
    "CORTEX_M7",
    "CountedNetwork",
    "Fit",
    "Fitted",
    "Issue",
    "Machine",
    "Observed",
    "Part",
    "Pipeline",
    "Profile",
    "Program",
    "StepProfile",
    "StepTime",
    "costs_text",
    "counting_runner",
    "disassemble",
    "disassemble_object",
    "estimate",
    "fit",
    "kernel_bytes",
    "machine_for",
    "machine_of",
    "memory_bound",
    "observed",
    "parts_of_cores",
    "pipeline_of",
    "profile",
    "run_bare",
    "unknown_mnemonics",
    "with_code_at_hand",
]
