"""Graphs, plans and their files."""

from deployer.ir import serde, show
from deployer.ir.attrs import (
    BlockAttrs,
    Clamp,
    ConcatAttrs,
    ConvAttrs,
    ConvTransposeAttrs,
    PadAttrs,
    Pads,
    PointAttrs,
    PoolAttrs,
    ReshapeAttrs,
    ResizeAttrs,
    SliceAttrs,
    SoftmaxAttrs,
    TableAttrs,
    TransposeAttrs,
    Window,
)
from deployer.ir.channels import (
    ALIAS,
    MAKE,
    SUM,
    channel_faults,
    channels_of,
    grouped,
    role,
    root_of,
    unit,
)
from deployer.ir.chart import short_name
from deployer.ir.graph import Graph, Node, Requant
from deployer.ir.join import Joined, joined
from deployer.ir.ops import OPS, Entries, Family, operator_table, window_output
from deployer.ir.ops.access import NOTHING
from deployer.ir.plan import (
    Buffer,
    ConstantPlace,
    MemoryPlan,
    Placement,
    Schedule,
    Step,
    StepTiles,
    TilePlan,
    Waits,
)
from deployer.ir.prefetch import Fetch, PrefetchPlan, weights_id
from deployer.ir.region import CHANNELS, LINE_BUFFERS, PATCH, Region
from deployer.ir.region_faults import faults
from deployer.ir.rules import MEANS, RequantRule
from deployer.ir.scope import Scope, is_spatial, scope_of
from deployer.ir.share import INSIDE, OVER, VIEW, Share
from deployer.ir.show import shape_text
from deployer.ir.stored import load_sound
from deployer.ir.tiling import Axis, Cut, TileBuffer, TileCosts, Tiling, input_name
from deployer.ir.types import DType, Layout, QuantParams, Value, hwc
from deployer.ir.verify import InvariantError, verify
from deployer.ir.views import copied, copies_nothing, same_numbers, viewed

__all__ = [
    "ALIAS",
    "CHANNELS",
    "INSIDE",
    "LINE_BUFFERS",
    "MAKE",
    "MEANS",
    "NOTHING",
    "OPS",
    "OVER",
    "PATCH",
    "SUM",
    "VIEW",
    "Axis",
    "BlockAttrs",
    "Buffer",
    "Clamp",
    "ConcatAttrs",
    "ConstantPlace",
    "ConvAttrs",
    "ConvTransposeAttrs",
    "Cut",
    "DType",
    "Entries",
    "Family",
    "Fetch",
    "Graph",
    "InvariantError",
    "Joined",
    "Layout",
    "MemoryPlan",
    "Node",
    "PadAttrs",
    "Pads",
    "Placement",
    "PointAttrs",
    "PoolAttrs",
    "PrefetchPlan",
    "QuantParams",
    "Region",
    "Requant",
    "RequantRule",
    "ReshapeAttrs",
    "ResizeAttrs",
    "Schedule",
    "Scope",
    "Share",
    "SliceAttrs",
    "SoftmaxAttrs",
    "Step",
    "StepTiles",
    "TableAttrs",
    "TileBuffer",
    "TileCosts",
    "TilePlan",
    "Tiling",
    "TransposeAttrs",
    "Value",
    "Waits",
    "Window",
    "channel_faults",
    "channels_of",
    "copied",
    "copies_nothing",
    "faults",
    "grouped",
    "hwc",
    "input_name",
    "is_spatial",
    "joined",
    "load_sound",
    "operator_table",
    "role",
    "root_of",
    "same_numbers",
    "scope_of",
    "serde",
    "shape_text",
    "short_name",
    "show",
    "unit",
    "verify",
    "viewed",
    "weights_id",
    "window_output",
]
