"""Board files: memories, places, toolchain, costs, runners; what ports serve."""

from deployer.board.cost import BoardCost, CostTable, Weights, cost_file, cost_text
from deployer.board.load import board_names, find_board, load_board, load_twin
from deployer.board.model import (
    OUTER,
    Board,
    Cache,
    CodeSize,
    Costs,
    Dma,
    Memory,
    OuterCache,
    Point,
    TileControl,
    Timing,
)
from deployer.board.points import at_point, pair_named, points_named
from deployer.board.sections import COSTS, ERRORS
from deployer.board.served import (
    GUARD_BYTES,
    console_rate,
    misfits,
    port_defines,
    require_rate,
    require_served,
    with_rate,
    with_threads,
)
from deployer.board.timing import costs_of

__all__ = [
    "COSTS",
    "ERRORS",
    "GUARD_BYTES",
    "OUTER",
    "Board",
    "BoardCost",
    "Cache",
    "CodeSize",
    "CostTable",
    "Costs",
    "Dma",
    "Memory",
    "OuterCache",
    "Point",
    "TileControl",
    "Timing",
    "Weights",
    "at_point",
    "board_names",
    "console_rate",
    "cost_file",
    "cost_text",
    "costs_of",
    "find_board",
    "load_board",
    "load_twin",
    "misfits",
    "pair_named",
    "points_named",
    "port_defines",
    "require_rate",
    "require_served",
    "with_rate",
    "with_threads",
]
