"""A board at another of its operating points: other clocks, another voltage, more threads, another
governor."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from deployer.board.model import OUTER, Board, Dma, Point, TileControl
from deployer.errors import UsageError, near_hints

ALL = "all"
_PAIR = re.compile(r"([1-9]\d*)-([1-9]\d*)MHz")
GOVERNED = "ssh"  # the runner that sets a governor


def points_named(board: Board, names: Sequence[str]) -> tuple[str, ...]:
    """``names`` with ALL in place: "" for the board's own point, then those of its file. Raises
    UsageError for one that it has not."""
    if ALL in names:
        return ("", *(point.name for point in board.points))
    for name in names:
        _point(board, name)
    return tuple(dict.fromkeys(names))


def at_point(board: Board, name: str) -> Board:
    """``board`` as it runs at its point ``name``; "" is its own. Where a point has two clocks, any
    pair is one, too: ``250-175MHz``, that of the core that leads first. Raises UsageError for a
    point that it has not."""
    if not name:
        return board
    point = _point(board, name)
    found = replace(
        board,
        point=name,
        clock_hz=board.clock_hz if point.clock_hz is None else point.clock_hz,
        cores=board.cores if point.threads is None else point.threads,
        runners=_governed(board, point),
        fabric_hz=point.fabric_hz,
        millivolts=point.millivolts,
    )
    return _with_two_clocks(found) if point.fabric_hz else found


def pair_named(board: Board, fabric_mhz: int | None, cluster_mhz: int | None) -> str:
    """The point of two clocks; one that is None is the board's."""
    own = board.clock_hz // 1_000_000
    return f"{fabric_mhz or own}-{cluster_mhz or own}MHz"


def _with_two_clocks(board: Board) -> Board:
    """Estimates count cycles of the cluster. What follows the other clock takes fewer of them where
    that is faster: the core that leads, and what moves bytes of an outer memory."""
    ratio = board.fabric_hz / board.clock_hz
    outer = {memory.name for memory in board.memories if memory.level == OUTER}
    dmas = (_faster(dma, ratio) if {dma.source, dma.target} & outer else dma for dma in board.dmas)
    tiles = _led_faster(board.tiles, ratio) if board.tiles else None
    return replace(board, dmas=tuple(dmas), tiles=tiles)


def _faster(dma: Dma, ratio: float) -> Dma:
    setup = round(dma.setup_cycles / ratio)
    return replace(dma, bytes_per_cycle=dma.bytes_per_cycle * ratio, setup_cycles=setup)


def _led_faster(tiles: TileControl, ratio: float) -> TileControl:
    return replace(
        tiles,
        lead=tiles.lead / ratio,
        axis=tiles.axis / ratio,
        command=tiles.command / ratio,
        loop=tiles.loop / ratio,
        early=tiles.early / ratio,
    )


def _governed(board: Board, point: Point) -> Mapping[str, Mapping[str, object]]:
    if not point.governor or GOVERNED not in board.runners:
        return board.runners
    ssh = {**board.runners[GOVERNED], "governor": point.governor}
    return {**board.runners, GOVERNED: ssh}


def _point(board: Board, name: str) -> Point:
    for point in board.points:
        if point.name == name:
            return point
    if (pair := _PAIR.fullmatch(name)) and any(point.fabric_hz for point in board.points):
        fabric, cluster = (int(number) * 1_000_000 for number in pair.groups())
        return Point(name, cluster, 0 if fabric == cluster else fabric)
    names = [ALL, *(point.name for point in board.points)]
    raise UsageError(
        f"{board.name} has no operating point {name!r}",
        why=[] if board.points else ["its file states none, under [[point]]"],
        hints=near_hints(name, names) if board.points else [],
    )
