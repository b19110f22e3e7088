"""A lab: which benches there are, and who uses them (docs/lab.md)."""

from deployer_hil.lab.bench import Bench, Lab, Power
from deployer_hil.lab.hold import free_benches, hold, holder_of
from deployer_hil.lab.lab_file import find_lab, read_lab
from deployer_hil.locks import BenchHeld, Holder, Locks

__all__ = [
    "Bench",
    "BenchHeld",
    "Holder",
    "Lab",
    "Locks",
    "Power",
    "find_lab",
    "free_benches",
    "hold",
    "holder_of",
    "read_lab",
]
