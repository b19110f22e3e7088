"""How much the planner searches, by ``--effort``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from deployer.allocate import EFFORTS, Effort
from deployer.choices import EffortName
from deployer.restructure import Pace


@dataclass(frozen=True)
class PlanEffort:
    """``kernel_choices``: nodes of all graphs whose regions are searched, each with kernels of
    other scratch; ``improved``: the cheapest plans for a limit of RAM whose kernels are improved.

    Where weights are fetched: ``coarsened``: candidates whose parts are made fewer; ``placed``:
    numbers of parts for which places are sought. ``part_bytes``: bytes of spilled values that may
    be moved more for one part less, tried in this order; ``cascades``: candidates for the stripes
    of a layer. ``pace`` of the search for regions, ``arena`` of the one for offsets.
    """

    kernel_choices: int = 400
    improved: int = 4
    coarsened: int = 3
    placed: int = 4
    part_bytes: tuple[int, ...] = (100_000, 200_000, 50_000)
    cascades: int = 6
    pace: Pace = field(default_factory=Pace)
    arena: Effort = field(default_factory=Effort)


PLAN_EFFORTS: Mapping[EffortName, PlanEffort] = {
    EffortName.FAST: PlanEffort(
        kernel_choices=100,
        improved=1,
        coarsened=0,
        placed=1,
        part_bytes=(100_000,),
        cascades=2,
        pace=Pace(step_share=0.9, far_share=0.6, finest_share=0.02),
        arena=EFFORTS[EffortName.FAST],
    ),
    EffortName.NORMAL: PlanEffort(),
    EffortName.BEST: PlanEffort(
        kernel_choices=2_000,
        improved=12,
        coarsened=9,
        placed=12,
        part_bytes=(100_000, 200_000, 50_000, 400_000, 25_000),
        cascades=12,
        pace=Pace(step_share=0.99, far_share=0.9, finest_share=0.0005),
        arena=EFFORTS[EffortName.BEST],
    ),
}
