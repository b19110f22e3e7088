"""What repair, searches and the default solver make of instances that heuristics do not solve."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

from deployer.allocate.exact import Work
from deployer.allocate.heuristics.bag import bag
from deployer.allocate.instance import Instance, Solution, instance_of, part_of
from deployer.allocate.portfolio import QUICK, Effort, solve_instance
from deployer.allocate.problem import Problem
from deployer.allocate.proof import by_parts, core, raise_bound
from deployer.allocate.repair import repair
from deployer.allocate.search import pack
from deployer.allocate.solvers import SOLVERS
from deployer.allocate.sweep import can_pack, next_lower
from deployer.ir.plan import Buffer
from planned import pinned
from unit.allocate.test_allocate_solvers import GAP, rectangles
from unit.allocate.test_search import crowd

FOLDER = Path(__file__).parent / "pinned"
NO_WORK = Work(0, 0, 0, 0)
REPAIR_ALONE = Effort(proof_nodes=0, nodes=0, tries=0, work=NO_WORK)
WITHOUT_CP_SAT = Effort(work=NO_WORK)


def cut(seed: int) -> Instance:
    """A rectangle cut up: nothing is left over at the bound."""
    return instance_of(rectangles(24 + seed % 5 * 6, seed))


def gaps(seed: int) -> Instance:
    """Two groups whose optimum is above the live set; of an odd seed one buffer joins them."""
    dice = Random(seed)
    rows = [
        (f"{name}{late}", late + lower, late + upper, scale * size)
        for late, scale in ((0, 3), (15, 4))
        for name, lower, upper, size in GAP
    ]
    for extra in range(4):
        lower = dice.randrange(28)
        rows.append((f"x{extra}", lower, lower + dice.randint(1, 4), dice.randint(1, 3)))
    rows += [("long", 2, 27, 2)] * (seed % 2)
    dice.shuffle(rows)
    return instance_of(Problem(tuple(Buffer(*row) for row in rows), (("sram", 10_000),), 1))


def test_repair_and_the_default_solver_end_as_pinned() -> None:
    pinned(FOLDER / "hard-repair.txt", "\n".join(_repaired()))


def test_bounds_are_raised_as_pinned() -> None:
    pinned(FOLDER / "hard-proofs.txt", "\n".join(_proven()))


def _repaired() -> Iterator[str]:
    for seed in (1, 12, 18, 43):
        instance = cut(seed)
        start = bag(instance, QUICK)
        yield f"rectangle {seed} of {instance.count}: {bag(instance).height} {bag(instance).solver}"
        for rounds in (1, 9):
            found = repair(instance, start, rounds=rounds)
            yield f"  {rounds} rounds: {found.height} {list(found.offsets)}"
        yield f"  repair alone: {_told(solve_instance(instance, REPAIR_ALONE))}"
        yield f"  all but cp-sat: {_told(solve_instance(instance, WITHOUT_CP_SAT))}"
        yield f"  repair from the bag: {_told(SOLVERS['repair'](instance, Effort()))}"


def _proven() -> Iterator[str]:
    for seed in (7, 8, 31, 36):
        instance = gaps(seed)
        ceiling = bag(instance).height
        yield f"gaps {seed}: bound {instance.bound}, bag {ceiling}, core {core(instance)}"
        for nodes, tries in ((0, 0), (40, 0), (5000, 0), (0, 50), (50, 3000)):
            found = raise_bound(instance, ceiling, nodes=nodes, tries=tries)
            yield f"  {nodes} nodes, {tries} tries: {found}"
        yield f"  by parts: {[by_parts(instance, ceiling, nodes) for nodes in range(0, 120, 12)]}"
        for height in (instance.bound, next_lower(instance, ceiling), ceiling):
            yield f"  sweep {height}: {_enough(instance, height)}"
            yield f"  pack {height}: {pack(instance, height, 1500)}"
        for nodes in (30, 900):
            search = SOLVERS["search"](instance, replace(WITHOUT_CP_SAT, nodes=nodes))
            yield f"  search of {nodes}: {_told(search)}"
        yield f"  all but cp-sat: {_told(solve_instance(instance, WITHOUT_CP_SAT))}"


def test_the_sweep_tells_after_as_many_tries_as_pinned() -> None:
    lines = []
    for seed in (3, 29, 32, 38, 41, 47):
        instance = part_of(crowd(seed), range(8))
        for height in (instance.bound, next_lower(instance, instance.bound), instance.bound + 2):
            lines.append(f"crowd {seed} at {height}: {_enough(instance, height)}")
    pinned(FOLDER / "sweeps.txt", "\n".join(lines))


def _enough(instance: Instance, height: int) -> str:
    """The answer, and how few tries give it."""
    least, most = 0, 2500
    if can_pack(instance, height, most) is None:
        return f"not told by {most}"
    while least < most:
        middle = (least + most) // 2
        known = can_pack(instance, height, middle) is not None
        least, most = (least, middle) if known else (middle + 1, most)
    return f"{can_pack(instance, height, least)} after {least}"


def _told(found: Solution) -> str:
    return f"{found.packing.height} {found.bound} {found.solver} {list(found.packing.offsets)}"
