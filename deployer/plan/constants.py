"""Which constants start-up copies into a faster memory: those that save most cycles a byte there.

The copies take what stack, data, the harness's copy of the inputs and the arena leave. A line that
the data cache misses costs what the board file says (``[timing]``), in tightly coupled memory
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from deployer.allocate import UNIT_BYTES, Item, choose
from deployer.analysis import bytes_read, lines_missed, passes
from deployer.board import Board, Timing
from deployer.choices import ConstantCopies, Objective
from deployer.ir import ConstantPlace, MemoryPlan, Schedule
from deployer.kernelset import by_symbol, case_of
from deployer.plan.fit import copy_memory, taken
from deployer.plan.request import Limits
from deployer.schedule import constant_arrays

MARGIN_BYTES = 1024  # left free: static data is an estimate until the image is linked


def copies_wanted(limits: Limits) -> bool:
    """Not where RAM is what the user asks to save."""
    saves_ram = limits.optimize == Objective.RAM or limits.ram is not None
    return limits.place != ConstantCopies.OFF and not saves_ram


def with_copies_placed(schedule: Schedule, plan: MemoryPlan, board: Board) -> MemoryPlan:
    """``plan`` with a place for every constant; without any where the board file names no memory
    for copies or no costs of misses."""
    if not board.place.copies or board.timing is None:
        return plan
    left = _at_home(schedule, plan, board, board.timing)
    found = {place.name: place for place in left}
    for memory in board.place.copies:
        each = _saved_in(memory, board.timing)
        items = [Item(place.bytes, round(each * place.misses)) for place in left]
        chosen = set(choose(items, room(schedule, plan, board, memory)))
        for index in chosen:
            place, item = left[index], items[index]
            found[place.name] = replace(place, memory=memory, saves=item.worth)
        left = [place for index, place in enumerate(left) if index not in chosen]
    return replace(plan, constants=tuple(found.values()))


def room(schedule: Schedule, plan: MemoryPlan, board: Board, memory: str) -> int:
    """Bytes of ``memory`` that nothing else needs."""
    graph = schedule.graph
    used = taken(graph, board, copy_memory(graph, plan.heights, board)).get(memory, 0)
    free = board.memory(memory).size - used - dict(plan.heights).get(memory, 0) - MARGIN_BYTES
    return max(free, 0) // UNIT_BYTES * UNIT_BYTES


def _saved_in(memory: str, timing: Timing) -> float:
    """Cycles a line that is not missed there."""
    return timing.costs.data_miss if memory == timing.tight else 0.0


def _at_home(
    schedule: Schedule, plan: MemoryPlan, board: Board, timing: Timing
) -> list[ConstantPlace]:
    """Every constant where the image has it. None is missed where all and the arena stay cached."""
    found: dict[str, ConstantPlace] = {}
    home, nodes = board.place.weights, {node.name: node for node in schedule.graph.nodes}
    for step, name, array in constant_arrays(schedule):
        node, kernel = nodes[step.node], by_symbol(step.kernel)
        read = bytes_read(kernel, node, name, array.nbytes)
        times = passes(kernel, case_of(schedule.graph, node))
        misses = lines_missed(read, times, timing.data_cache)
        known = found.get(name)
        misses += known.misses if known else 0
        first = known.node if known else node.name
        found[name] = ConstantPlace(name, first, array.nbytes, home, home, misses, 0)
    stay = _bytes(found.values()) + plan.arena <= timing.data_cache.size
    return [replace(place, misses=0 if stay else place.misses) for place in found.values()]


def _bytes(places: Iterable[ConstantPlace]) -> int:
    return sum(place.bytes for place in places)
