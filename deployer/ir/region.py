"""Runs of nodes that are computed piece by piece: how their values are stored and in which order.

The function of a graph is that of its nodes; regions only say in which pieces they run.
"""

from __future__ import annotations

from dataclasses import dataclass

from deployer.choices import Word


class RegionMode(Word):
    PATCH = "patch"
    STREAM = "stream"
    CHANNELS = "channels"


PATCH, LINE_BUFFERS, CHANNELS = RegionMode.PATCH, RegionMode.STREAM, RegionMode.CHANNELS


@dataclass(frozen=True)
class Region:
    """Consecutive ``nodes`` of a graph, computed piece by piece.

    ``grid`` is the boundary output whose rows and columns are split; ``rows`` and ``columns`` are
    split points from 0 to its extent, () for one piece. "patch": for each row piece, for each
    column piece, every node computes its box, halos included, into one tile buffer a value.
    "stream": with line buffers. For each column piece, rows of the grid are made one ``chunk`` at a
    time, every node computing the rows its readers lack, each once; a value keeps a ring of rows.
    ``rows`` is ().
    "channels": for one group of channels after another, whole rows and columns; ``channels`` are
    split points of the narrowest value in groups (ir.channels says which nodes may do what).

    ``reverse``: from the last row to the first. ``over``: (boundary input, boundary output) whose
    bytes overlap: rows of the second are written where rows of the first are no longer needed.
    ``fetch``: inputs of the graph that are not resident: their rows are fetched, each once.
    """

    nodes: tuple[str, ...]
    mode: RegionMode
    grid: str
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    chunk: int = 1
    reverse: bool = False
    over: tuple[str, ...] = ()
    fetch: tuple[str, ...] = ()
    channels: tuple[int, ...] = ()
