"""Heights, offsets, bounds and effort of our own searches on instances of a formula."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from deployer.allocate import search, sweep
from deployer.allocate.conflict import smallest_conflict
from deployer.allocate.heuristics.bag import bag
from deployer.allocate.instance import Instance, instance_of
from deployer.allocate.problem import problem_from_csv
from deployer.allocate.proof import core, raise_bound
from deployer.allocate.repair import repair
from deployer.allocate.sections import parts
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"


def drawn(seed: int, count: int) -> str:
    """A table of ``count`` buffers by a small congruential generator of its own."""
    state, rows = seed * 7919 + 13, ["id,lower,upper,size"]
    for index in range(count):
        numbers = []
        for _ in range(3):
            state = (state * 1_103_515_245 + 12_345) % 2**31
            numbers.append(state >> 8)
        begin = numbers[0] % 20
        rows.append(f"b{index},{begin},{begin + 1 + numbers[1] % 9},{8 + numbers[2] % 120}")
    return "\n".join(rows)


def test_the_searches_end_as_pinned() -> None:
    pinned(FOLDER / "searches.txt", "\n".join(_lines()))


def _lines() -> Iterator[str]:
    for seed, count in ((1, 8), (2, 12), (3, 16), (4, 20), (5, 24), (6, 32), (7, 14), (8, 18)):
        problem = problem_from_csv(drawn(seed, count))
        instance = instance_of(problem)
        yield f"instance {seed} of {count}: bound {instance.bound}"
        yield f"  core {core(instance)} parts {parts(instance)}"
        yield f"  repair {_repaired(instance)}"
        for height in (instance.bound - 1, instance.bound, instance.bound + 8):
            found = search.pack(instance, height, 3000)
            yield f"  pack {height}: {found}, next {sweep.next_lower(instance, height + 40)}"
        ceiling = bag(instance).height
        yield f"  proof {raise_bound(instance, ceiling, nodes=500, tries=200)}"
        yield f"  conflict {[b.id for b in smallest_conflict(problem, instance.bound - 1)]}"


def _repaired(instance: Instance) -> str:
    found = repair(instance, bag(instance), rounds=60)
    return f"{found.height} {found.solver} {list(found.offsets)}"
