"""A lab: which benches there are, who uses them, what is wrong with them (docs/lab.md)."""

from deployer_hil.lab.bench import Bench, Lab, Power
from deployer_hil.lab.findings import Finding, check
from deployer_hil.lab.hold import free_benches, hold, holder_of
from deployer_hil.lab.lab_file import find_lab, read_lab
from deployer_hil.lab.seen import State, look, states
from deployer_hil.locks import BenchHeld, Holder

__all__ = [
    "Bench",
    "BenchHeld",
    "Finding",
    "Holder",
    "Lab",
    "Power",
    "State",
    "check",
    "find_lab",
    "free_benches",
    "hold",
    "holder_of",
    "look",
    "read_lab",
    "states",
]
