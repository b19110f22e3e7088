"""The default solver: from cheap to thorough, each only while the last has left a gap."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from deployer.allocate.exact import Work, improve, prove
from deployer.allocate.heuristics.bag import bag
from deployer.allocate.instance import Instance, Packing, Solution, part_of
from deployer.allocate.proof import core, raise_bound
from deployer.allocate.repair import ROUNDS, repair
from deployer.allocate.search import RANKS, pack
from deployer.allocate.solver_name import SolverName

# Repair closes what the rest of the bag does, and sooner.
QUICK = (SolverName.GS_FIRST, SolverName.GB_FIRST)


@dataclass(frozen=True)
class Effort:
    """How much each solver may do; 0 leaves it out. The same problem gives the same answer.

    ``rounds`` of repair per start order, first a few, the rest once the bound has been looked at;
    ``nodes`` of the search; ``tries`` of the sweep; ``work`` of CP-SAT.
    """

    first_rounds: int = 15
    rounds: int = ROUNDS
    proof_nodes: int = 5_000
    nodes: int = 60_000
    tries: int = 2_000
    work: Work = field(default_factory=Work)


NO_EFFORT = Effort(first_rounds=0, rounds=0, proof_nodes=0, nodes=0, tries=0, work=Work(0, 0, 0, 0))


def solve_instance(instance: Instance, effort: Effort | None = None) -> Solution:
    """The optimum with proof, or the best packing and bound that ``effort`` allows."""
    effort = effort or Effort()
    best = repair(instance, bag(instance, QUICK), rounds=effort.first_rounds)
    if best.height == instance.bound:
        return Solution(best, instance.bound)
    known = raise_bound(instance, best.height, nodes=effort.proof_nodes, tries=effort.tries)
    if known.bytes < best.height:
        best = min(best, bag(instance), key=lambda packing: packing.height)
        best = repair(instance, best, target=known.bytes, rounds=effort.rounds)
    found = _proven(instance, Solution(best, known.bytes, known.prover), effort.work)
    if not found.optimal:
        found = replace(found, packing=_searched(instance, found, effort.nodes))
    return found if found.optimal else improve(instance, found, effort.work)


def _proven(instance: Instance, known: Solution, work: Work) -> Solution:
    """CP-SAT on the core, which is quicker and mostly decides, then on the whole."""
    heart = core(instance)
    if not known.optimal and len(heart) < instance.count:
        share, offsets = part_of(instance, heart), [known.packing.offsets[i] for i in heart]
        start = Packing(tuple(offsets), share.height(offsets), known.packing.solver)
        least = prove(share, Solution(start, min(known.bound, start.height)), work).bound
        if least > known.bound:
            known = Solution(known.packing, least, SolverName.CP_SAT)
    return prove(instance, known, work)


def _searched(instance: Instance, known: Solution, nodes: int) -> Packing:
    """A packing as high as the bound, else the one known."""
    for rank in RANKS:
        found = pack(instance, known.bound, nodes // len(RANKS), rank)
        if found.offsets is not None:
            return Packing(found.offsets, known.bound, SolverName.SEARCH)
    return known.packing
