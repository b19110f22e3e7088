"""What each buffer costs in each memory: cycles its accesses wait there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deployer.board import Board
from deployer.ir import Buffer

Costs = tuple[tuple[int, ...], ...]


def wait_costs(
    buffers: Sequence[Buffer], memories: Sequence[str], board: Board, traffic: Mapping[str, int]
) -> Costs:
    """Estimated cycles of waiting per buffer and memory; () where no choice of memory matters.

    ``traffic``: bytes read and written per buffer in one inference. A memory of which the board
    states nothing has no wait.
    """
    waits = [board.memory(name).wait for name in memories]
    cycles = [wait.cycles_per_byte if wait else 0.0 for wait in waits]
    if len(set(cycles)) < 2:
        return ()
    return tuple(
        tuple(round(traffic.get(buffer.id, 0) * cost) for cost in cycles) for buffer in buffers
    )
