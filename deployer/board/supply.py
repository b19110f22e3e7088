"""Voltage and clocks of a chip whose cluster has a clock of its own, as its port states them."""

from __future__ import annotations

from collections.abc import Iterator

from deployer.board.model import Board
from deployer.board.port import Supply
from deployer.schema import either


def supply_defines(board: Board, supply: Supply | None) -> dict[str, str]:
    """What the C of such a port is compiled with: the clock of the core that leads in Hz, and the
    supply in mV, that with which the chip starts where the board states none."""
    if supply is None:
        return {}
    fabric = f"{board.fabric_hz or board.clock_hz}u"
    return {"DPL_FABRIC_HZ": fabric, "DPL_MILLIVOLTS": f"{_millivolts(board, supply)}u"}


def supply_misfits(board: Board, supply: Supply | None) -> Iterator[str]:
    """A line for each thing of voltage and clocks that ``board`` states and its port does not
    serve."""
    if supply is None:
        if board.fabric_hz or board.millivolts:
            yield "fabric_hz and millivolts are stated, the port sets neither"
        return
    if board.fabric_hz and board.fabric_hz not in supply.fabric_clocks_hz:
        yield f"fabric_hz is {board.fabric_hz:,}, the port sets {either(supply.fabric_clocks_hz)}"
    if 0 < board.fabric_hz < board.clock_hz:
        yield (
            f"fabric_hz is {board.fabric_hz:,}, below clock_hz: L2 and DMA would keep the cluster"
            " waiting, and nothing here knows how long"
        )
    if board.millivolts and board.millivolts not in supply.millivolts:
        yield f"millivolts is {board.millivolts:,}, the port sets {either(supply.millivolts)}"
        return
    yield from _too_fast(board, supply)


def _too_fast(board: Board, supply: Supply) -> Iterator[str]:
    millivolts = _millivolts(board, supply)
    at = supply.millivolts.index(millivolts)
    fabric = board.fabric_hz or board.clock_hz
    stated = f"fabric_hz is {fabric:,}" if board.fabric_hz else f"clock_hz is {fabric:,}"
    if fabric > supply.fabric_hz[at]:
        yield f"{stated}, {supply.fabric_hz[at]:,} is the most at {millivolts:,} mV"
    if board.clock_hz > supply.cluster_hz[at]:
        most = supply.cluster_hz[at]
        yield f"clock_hz is {board.clock_hz:,}, {most:,} is the most at {millivolts:,} mV"


def _millivolts(board: Board, supply: Supply) -> int:
    return board.millivolts or supply.millivolts[-1]
