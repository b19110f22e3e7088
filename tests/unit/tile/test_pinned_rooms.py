"""The tiles that each layer of seeded networks gets in small memories and large ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from deployer.ir.tiling import Axis, Tiling
from deployer.tile.dory import dory_tiling, size_tiling
from deployer.tile.room import room_of, tiled_layer
from deployer.tile.search import best_tiling, smallest
from planned import pinned, planned

FOLDER = Path(__file__).parent / "pinned"
SIZES = (2048, 6000, 57_344)


def test_the_tiles_of_other_rooms_are_those_pinned() -> None:
    pinned(FOLDER / "fetched-rooms.txt", "\n".join(_lines("fetched")))


def _lines(name: str) -> Iterator[str]:
    schedule, room = planned(name).schedule, room_of(planned("wide").job.target)
    assert room is not None
    nodes = {node.name: node for node in schedule.graph.nodes}
    seen = set()
    for step in schedule.steps:
        layer = tiled_layer(schedule.graph, nodes[step.node], step.kernel, room)
        if layer is None or layer in seen:
            continue
        seen.add(layer)
        yield f"{step.node}: at least {smallest(layer)}"
        for size in SIZES:
            small = replace(room, size=size)
            found = (each(layer, small) for each in (best_tiling, dory_tiling, size_tiling))
            yield f"  {size}: {', '.join(map(_told, found))}"


def _told(tiling: Tiling | None) -> str:
    if tiling is None:
        return "none"
    axes = [[(cut.count, cut.begin) for cut in axis.kinds] for axis in _axes(tiling)]
    order = "inner" if tiling.channels_inner else "outer"
    return f"{axes} {order} {tiling.bytes} B {tiling.costs.cycles:.1f} cycles"


def _axes(tiling: Tiling) -> tuple[Axis, Axis, Axis]:
    return tiling.rows, tiling.columns, tiling.channels
