"""The rig: bundles run on boards and in emulators, and records of what happened."""

from hil import tools
from hil.constants import INTACT
from hil.cycles import Cycles, measure_cycles
from hil.measure import connect, infer_dataset, prove
from hil.process import find_program
from hil.record import RunRecord
from hil.runner import Runner, create
from hil.runners.qemu_system import machine
from hil.session import Timeouts

__all__ = [
    "INTACT",
    "Cycles",
    "RunRecord",
    "Runner",
    "Timeouts",
    "connect",
    "create",
    "find_program",
    "infer_dataset",
    "machine",
    "measure_cycles",
    "prove",
    "tools",
]
