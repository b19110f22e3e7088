"""Which layers run piece by piece, and which kernels they get, by what that costs."""

from deployer.restructure.auto import RestructureOptions, planned
from deployer.restructure.board_cost import known_kernels, model_of
from deployer.restructure.choice import Prices, choose, with_kernels
from deployer.restructure.cost import Coefficients, CostModel, depths_of, graph_cost_of, whole_cost
from deployer.restructure.lean import lean, refilled
from deployer.restructure.offers import Offer, filled, offers_of, within_scratch
from deployer.restructure.part_by_part import part_by_part, works_by_channel
from deployer.restructure.part_bytes import PartBytes, members, rows_computed
from deployer.restructure.plan import Pace, Planner, Restructured
from deployer.restructure.row_parts import has_parts, has_row_parts, has_rows
from deployer.restructure.spilled import Spilling, may_be_spilled, with_spills
from deployer.restructure.stripes import Terms, choices, in_stripes
from deployer.restructure.tables import NETWORKS, Figure, Row, as_int8, tables
from deployer.restructure.terms import channels_of, of_kernel, terms_of, whole

__all__ = [
    "NETWORKS",
    "Coefficients",
    "CostModel",
    "Figure",
    "Offer",
    "Pace",
    "PartBytes",
    "Planner",
    "Prices",
    "RestructureOptions",
    "Restructured",
    "Row",
    "Spilling",
    "Terms",
    "as_int8",
    "channels_of",
    "choices",
    "choose",
    "depths_of",
    "filled",
    "graph_cost_of",
    "has_parts",
    "has_row_parts",
    "has_rows",
    "in_stripes",
    "known_kernels",
    "lean",
    "may_be_spilled",
    "members",
    "model_of",
    "of_kernel",
    "offers_of",
    "part_by_part",
    "planned",
    "refilled",
    "rows_computed",
    "tables",
    "terms_of",
    "whole",
    "whole_cost",
    "with_kernels",
    "with_spills",
    "within_scratch",
    "works_by_channel",
]
