"""The default solver: from cheap to thorough, each only while the last has left a gap."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from deployer.allocate.exact import Work, improve, prove
from deployer.allocate.heuristics.bag import bag
from deployer.allocate.instance import Instance, Packing, Solution, part_of
from deployer.allocate.proof import core, raise_bound
from deployer.allocate.repair import ROUNDS, repair
from deployer.allocate.search import pack
from deployer.allocate.solver_name import SolverName
from deployer.choices import EffortName

# Repair closes what the rest of the bag does, and sooner.
QUICK = (SolverName.GS_FIRST, SolverName.GB_FIRST)
_SHARE_OF_A_HEIGHT = 4  # one of so many parts of the nodes, between bound and packing
_MOST_FOR_CP_SAT = 120  # buffers: of more the search finds as much, and sooner


@dataclass(frozen=True)
class Effort:
    """How much each solver may do; 0 leaves it out. The same problem gives the same answer.

    ``rounds`` of repair per start order, first a few, the rest once the bound has been looked at;
    ``nodes`` of the search at one height; ``tries`` of the sweep; ``work`` of CP-SAT. A packing of
    at most ``target`` bytes is low enough: the first one ends the work.
    """

    first_rounds: int = 15
    rounds: int = ROUNDS
    proof_nodes: int = 5_000
    nodes: int = 8_000
    tries: int = 2_000
    work: Work = field(default_factory=Work)
    target: int = 0


NO_WORK = Work(0, 0, 0, 0)
NO_EFFORT = Effort(first_rounds=0, rounds=0, proof_nodes=0, nodes=0, tries=0, work=NO_WORK)
EFFORTS: dict[EffortName, Effort] = {
    EffortName.FAST: Effort(rounds=15, proof_nodes=1_000, nodes=8_000, tries=500, work=NO_WORK),
    EffortName.NORMAL: Effort(nodes=60_000),
    EffortName.BEST: Effort(
        rounds=4 * ROUNDS,
        proof_nodes=100_000,
        nodes=4_000_000,
        tries=20_000,
        work=Work(prove=8.0, feasible=16.0, minimise=64.0),
    ),
}


def solve_instance(instance: Instance, effort: Effort | None = None) -> Solution:
    """The optimum with proof, or the best packing and bound that ``effort`` allows."""
    effort = effort or Effort()
    found = Solution(bag(instance, QUICK), instance.bound)
    if effort.target:
        found = _within(instance, found, effort)
    for step in (_repaired, _raised, _proven, _searched, _lowered, _improved):
        if _is_done(found, effort):
            break
        found = step(instance, found, effort)
    return found


def _is_done(found: Solution, effort: Effort) -> bool:
    """Optimal; or low enough; or proven never to be."""
    return found.optimal or found.packing.height <= effort.target or 0 < effort.target < found.bound


def _within(instance: Instance, found: Solution, effort: Effort) -> Solution:
    """The search at the target first: what it can find takes repair longer to miss."""
    if _is_done(found, effort):
        return found
    return _at(instance, found, effort.target, effort.nodes)


def _repaired(instance: Instance, found: Solution, effort: Effort) -> Solution:
    target = max(found.bound, effort.target)
    best = repair(instance, found.packing, target=target, rounds=effort.first_rounds)
    return Solution(best, found.bound, found.prover)


def _raised(instance: Instance, found: Solution, effort: Effort) -> Solution:
    """The bound, then repair once more, from the whole bag."""
    height = found.packing.height
    known = raise_bound(instance, height, nodes=effort.proof_nodes, tries=effort.tries)
    best = found.packing
    if known.bytes < height:
        target = max(known.bytes, effort.target)
        best = min(best, bag(instance), key=lambda packing: packing.height)
        best = repair(instance, best, target=target, rounds=effort.rounds)
    return Solution(best, known.bytes, known.prover)


def _searched(instance: Instance, found: Solution, effort: Effort) -> Solution:
    """The search at the bound. At a target it has been."""
    return found if effort.target else _at(instance, found, found.bound, effort.nodes)


def _at(instance: Instance, known: Solution, height: int, nodes: int) -> Solution:
    """What the search for a packing of ``height`` adds to what is known."""
    found = pack(instance, height, nodes)
    if found.offsets is not None:
        packing = Packing(found.offsets, instance.height(found.offsets), SolverName.SEARCH)
        return Solution(packing, known.bound, known.prover)
    if found.least <= max(height, known.bound):
        return known
    return Solution(known.packing, min(found.least, known.packing.height), SolverName.SEARCH)


def _proven(instance: Instance, known: Solution, effort: Effort) -> Solution:
    """CP-SAT on the core, which is quicker and mostly decides, then on the whole."""
    heart = core(instance)
    if len(heart) > _MOST_FOR_CP_SAT:
        return known
    if len(heart) < instance.count:
        share, offsets = part_of(instance, heart), [known.packing.offsets[i] for i in heart]
        start = Packing(tuple(offsets), share.height(offsets), known.packing.solver)
        least = prove(share, Solution(start, min(known.bound, start.height)), effort.work).bound
        if least > known.bound:
            known = Solution(known.packing, least, SolverName.CP_SAT)
    whole = instance.count <= _MOST_FOR_CP_SAT
    return prove(instance, known, effort.work) if whole else known


def _lowered(instance: Instance, found: Solution, effort: Effort) -> Solution:
    """The search between the bound and the packing: in the middle of what it has not given up."""
    unit, low = math.gcd(*instance.sizes) or 1, max(found.bound - 1, effort.target - 1)
    while not _is_done(found, effort):
        middle = (low + found.packing.height) // (2 * unit) * unit
        if middle <= low or not effort.nodes:
            break
        before = found.packing.height
        found = _at(instance, found, middle, effort.nodes // _SHARE_OF_A_HEIGHT)
        if found.packing.height == before:
            low = max(middle, found.bound - 1)
    return found


def _improved(instance: Instance, found: Solution, effort: Effort) -> Solution:
    few = instance.count <= _MOST_FOR_CP_SAT
    return improve(instance, found, effort.work) if few else found
