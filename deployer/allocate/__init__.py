"""Places for buffers in the memories of a board, with proofs of how small an arena can be."""

from deployer.allocate import problem, validate
from deployer.allocate.allocate import check, fits, one_memory_plan, plan_of, solve
from deployer.allocate.exact import Work
from deployer.allocate.heuristics.bag import BAG, bag
from deployer.allocate.instance import Instance, Packing, Solution, instance_of
from deployer.allocate.instances import Answer, answer, offsets_csv, times_csv
from deployer.allocate.knapsack import UNIT_BYTES, Item, choose
from deployer.allocate.native_search import search_library
from deployer.allocate.portfolio import EFFORTS, NO_EFFORT, Effort
from deployer.allocate.problem import Problem, problem_of, problem_to_csv, round_up
from deployer.allocate.refusal import alive_text, free_rooms, peak_step
from deployer.allocate.solver_name import SolverName
from deployer.allocate.solvers import Solver, solver_named
from deployer.allocate.table import is_instance
from deployer.allocate.validate import violations

__all__ = [
    "BAG",
    "EFFORTS",
    "NO_EFFORT",
    "UNIT_BYTES",
    "Answer",
    "Effort",
    "Instance",
    "Item",
    "Packing",
    "Problem",
    "Solution",
    "Solver",
    "SolverName",
    "Work",
    "alive_text",
    "answer",
    "bag",
    "check",
    "choose",
    "fits",
    "free_rooms",
    "instance_of",
    "is_instance",
    "offsets_csv",
    "one_memory_plan",
    "peak_step",
    "plan_of",
    "problem",
    "problem_of",
    "problem_to_csv",
    "round_up",
    "search_library",
    "solve",
    "solver_named",
    "times_csv",
    "validate",
    "violations",
]
