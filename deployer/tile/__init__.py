"""Steps cut into tiles of an inner memory, and weights fetched from an outer one."""

from deployer.tile.chunks import divides, in_chunks
from deployer.tile.estimate import Timeline
from deployer.tile.layer import Layer
from deployer.tile.memory import buffers_of
from deployer.tile.room import outer_of, room_of, tile_needs, tiled_layer
from deployer.tile.search import Room, best_tiling, overlap_offset_for, tiling_of
from deployer.tile.sizes import candidates
from deployer.tile.solve import TILERS, tile
from deployer.tile.weight_prefetch import Choice, Traffic, Transfer, choose, link_cycles

__all__ = [
    "TILERS",
    "Choice",
    "Layer",
    "Room",
    "Timeline",
    "Traffic",
    "Transfer",
    "best_tiling",
    "buffers_of",
    "candidates",
    "choose",
    "divides",
    "in_chunks",
    "link_cycles",
    "outer_of",
    "overlap_offset_for",
    "room_of",
    "tile",
    "tile_needs",
    "tiled_layer",
    "tiling_of",
]
