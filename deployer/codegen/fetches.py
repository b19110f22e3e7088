"""Weights that are fetched: the file they come from, and the table of when."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from deployer.analysis import launches
from deployer.codegen.layout import ArenaMap
from deployer.codegen.names import plain_text
from deployer.codegen.statement import Expression
from deployer.ir import Fetch, MemoryPlan, Schedule
from deployer.schedule import constant_arrays
from deployer.units import format_bytes


@dataclass(frozen=True)
class FetchView:
    """``begin``, ``step``: before which launches its transfer is issued, and waited for."""

    name: str
    address: Expression
    source: int
    bytes: int
    begin: int
    step: int


def outer_image(schedule: Schedule, plan: MemoryPlan) -> bytes:
    """What the memory has from its first byte on that weights are fetched from."""
    if plan.prefetch is None:
        return b""
    image = bytearray(plan.prefetch.bytes)
    for step, key, array in constant_arrays(schedule):
        fetch = plan.prefetch.by_node.get(step.node)
        if fetch is not None and fetch.array == key:
            image[fetch.source : fetch.source + array.nbytes] = array.tobytes()
    return bytes(image)


def outer_note(schedule: Schedule, plan: MemoryPlan) -> str:
    """What identifies the image: sources that differ in nothing else must not look the same."""
    if plan.prefetch is None:
        return ""
    image = outer_image(schedule, plan)
    text = f"{plan.prefetch.memory} holds {format_bytes(len(image))}"
    return f"{text}, sha256 {hashlib.sha256(image).hexdigest()}"


def fetch_views(schedule: Schedule, arena: ArenaMap) -> Iterator[FetchView]:
    """In the order in which they are issued."""
    index = {s.index: launch.index for launch in launches(schedule) for s in launch.steps}
    for fetch in _in_order(arena):
        yield FetchView(
            name=plain_text(fetch.node),
            address=arena.address(fetch.buffer),
            source=fetch.source,
            bytes=fetch.bytes,
            begin=index[fetch.begin],
            step=index[fetch.step],
        )


def fetch_number(arena: ArenaMap, node: str) -> int:
    """Which transfer brings the weights of ``node``, from 1 on; 0 for none."""
    if node not in arena.prefetched:
        return 0
    return _in_order(arena).index(arena.prefetched[node]) + 1


def _in_order(arena: ArenaMap) -> list[Fetch]:
    return list(dict.fromkeys(arena.prefetched.values()))
