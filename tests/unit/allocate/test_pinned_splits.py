"""Where buffers go that several memories share, with and without costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

from deployer.allocate.allocate import check, fits, solve
from deployer.allocate.exact import Work
from deployer.allocate.instance import instance_of
from deployer.allocate.portfolio import NO_EFFORT, Effort
from deployer.allocate.problem import Problem
from deployer.allocate.split import Split, greedy_split
from deployer.allocate.split_exact import best_split
from deployer.ir.plan import Buffer
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"
QUICKLY = Effort(work=Work(prove=0.1, feasible=0.1, minimise=0.1, cheapen=0.1))


def drawn(seed: int) -> Problem:
    """Buffers for two or three memories, the first too small for all; costs for every other."""
    dice = Random(seed)
    buffers = []
    for i in range(dice.randint(5, 12)):
        lower = dice.randrange(9)
        buffers.append(Buffer(f"b{i}", lower, lower + dice.randint(1, 4), dice.randint(0, 99)))
    bound = Problem(tuple(buffers), (("m0", 1),)).bound
    shares = ((0.7, 0.6), (0.5, 0.4, 0.4), (0.95, 0.3), (1.5, 0.6))[seed % 4]
    rooms = tuple((f"m{k}", int(share * bound) // 4 * 4) for k, share in enumerate(shares))
    rows = tuple(tuple(dice.randrange(50) for _ in rooms) for _ in buffers)
    return Problem(tuple(buffers), rooms, costs=rows if seed % 3 else ())


def test_splits_are_those_pinned() -> None:
    pinned(FOLDER / "splits.txt", "\n".join(_lines()))


def _lines() -> Iterator[str]:
    for seed in range(16):
        some = drawn(seed)
        instance, rooms = instance_of(some), [room for _, room in some.capacities]
        yield f"{seed}: {len(some.buffers)} buffers, bound {some.bound}, rooms {rooms}"
        for most in (None, some.bound + 8):
            found = greedy_split(instance, rooms, some.costs, most)
            yield f"  greedy within {most}: {_greedy(found)}"
            exact = best_split(instance, rooms, 0.2, costs=some.costs, most=most)
            yield f"  best within {most}: {_figures(exact)}"
        plan = solve(some, QUICKLY)
        assert not fits(plan, some) or check(plan, some) == ()
        yield f"  plan: {plan.arena} of {plan.bound} {plan.status} cost {some.cost(plan)}"
        yield f"  waits: {plan.waits}"
        if not some.costs:
            yield f"  heights: {plan.heights}"
        least = solve(some, NO_EFFORT)
        yield f"  without work: {least.heights} cost {some.cost(least)} {least.waits}"
        single = solve(replace(some, capacities=some.capacities[:1], costs=()), QUICKLY)
        yield f"  one memory: {single.heights} {single.status}"


def _greedy(found: Split | None) -> str:
    if found is None:
        return "none"
    return f"{_figures(found)} {found.solver} {found.offsets} {found.memories}"


def _figures(found: Split | None) -> str:
    return f"{found.rank} proven {found.proven}" if found else "none"
