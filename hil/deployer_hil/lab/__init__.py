"""A lab: which benches there are, who uses them, what is wrong with them (docs/lab.md)."""

from deployer_hil.lab.bench import Bench, Lab, Power
from deployer_hil.lab.findings import Finding, check
from deployer_hil.lab.hold import free_benches, hold, holder_of, meter_of
from deployer_hil.lab.lab_file import find_lab, named, read_lab
from deployer_hil.lab.seen import State, look, states
from deployer_hil.locks import BenchHeld, Elsewhere, Holder, Locks
from deployer_hil.places.labgrid import Labgrid, Place

__all__ = [
    "Bench",
    "BenchHeld",
    "Elsewhere",
    "Finding",
    "Holder",
    "Lab",
    "Labgrid",
    "Locks",
    "Place",
    "Power",
    "State",
    "check",
    "find_lab",
    "free_benches",
    "hold",
    "holder_of",
    "look",
    "meter_of",
    "named",
    "read_lab",
    "states",
]
