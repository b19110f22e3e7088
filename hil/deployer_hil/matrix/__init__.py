"""Models by boards by options, run on the benches of a lab (docs/lab.md)."""

from deployer_hil.matrix.cell import Cell
from deployer_hil.matrix.conduct import RIG, Conductor, Ended
from deployer_hil.matrix.matrix_file import MatrixFile, read_matrix
from deployer_hil.matrix.queue import Queue
from deployer_hil.matrix.sessions import Ending, Sessions

__all__ = [
    "RIG",
    "Cell",
    "Conductor",
    "Ended",
    "Ending",
    "MatrixFile",
    "Queue",
    "Sessions",
    "read_matrix",
]
