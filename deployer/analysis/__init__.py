"""What plans and generated code need to know of a graph: lifetimes, places, regions, costs."""

from deployer.analysis.alias_facts import AliasFacts
from deployer.analysis.alternatives import arena_room, boards_with_room
from deployer.analysis.channels import ChannelLayout
from deployer.analysis.cost import graph_cost, node_macs, node_weight_bytes, requant_names
from deployer.analysis.fetched import bytes_read, lines_missed, passes
from deployer.analysis.fit import (
    CODE_RESERVE_BYTES,
    FitReport,
    FitRow,
    check_fit,
    constant_reserve,
    fit_report,
    largest_weights,
    require_arena_memories,
    too_small,
)
from deployer.analysis.launch import Launch, launches
from deployer.analysis.layout import layout_of
from deployer.analysis.line_buffers import Rows, Rules, Window, overlap_offset, pull, ring_rows
from deployer.analysis.liveness import (
    alias_facts_of,
    held,
    lifetimes,
    owners,
    places,
    scratch_id,
    step_nodes,
    sums_id,
)
from deployer.analysis.overlap import pair_bytes
from deployer.analysis.peak import Peak, live_peak, live_profile
from deployer.analysis.places import (
    Hwc,
    Misplaced,
    Pieces,
    Place,
    is_contiguous,
    offsets,
    pieces_of,
)
from deployer.analysis.profile import Curve, Profile, profile_of
from deployer.analysis.regions import (
    Ends,
    Operand,
    Piece,
    RegionLayout,
    Span,
    boxes,
    even_split,
    share,
)
from deployer.analysis.sharing import Cluster, alone, clusters, span
from deployer.analysis.spatial import Reach, need, reaches
from deployer.analysis.storage import Slot, assign
from deployer.analysis.traffic import buffer_traffic

__all__ = [
    "CODE_RESERVE_BYTES",
    "AliasFacts",
    "ChannelLayout",
    "Cluster",
    "Curve",
    "Ends",
    "FitReport",
    "FitRow",
    "Hwc",
    "Launch",
    "Misplaced",
    "Operand",
    "Peak",
    "Piece",
    "Pieces",
    "Place",
    "Profile",
    "Reach",
    "RegionLayout",
    "Rows",
    "Rules",
    "Slot",
    "Span",
    "Window",
    "alias_facts_of",
    "alone",
    "arena_room",
    "assign",
    "boards_with_room",
    "boxes",
    "buffer_traffic",
    "bytes_read",
    "check_fit",
    "clusters",
    "constant_reserve",
    "even_split",
    "fit_report",
    "graph_cost",
    "held",
    "is_contiguous",
    "largest_weights",
    "launches",
    "layout_of",
    "lifetimes",
    "lines_missed",
    "live_peak",
    "live_profile",
    "need",
    "node_macs",
    "node_weight_bytes",
    "offsets",
    "overlap_offset",
    "owners",
    "pair_bytes",
    "passes",
    "pieces_of",
    "places",
    "profile_of",
    "pull",
    "reaches",
    "requant_names",
    "require_arena_memories",
    "ring_rows",
    "scratch_id",
    "share",
    "span",
    "step_nodes",
    "sums_id",
    "too_small",
]
