"""Plans that leave too little for code, which only the linker can tell."""

from __future__ import annotations

from dataclasses import replace

from deployer.allocate import round_up
from deployer.errors import ImageTooLarge
from deployer.plan.request import PlanRequest
from deployer.tile import outer_of

MAX_REPLANS = 4
SLACK_BYTES = 512  # another plan has other code


def with_more_code(request: PlanRequest, error: ImageTooLarge) -> PlanRequest:
    """The request that leaves as much more to code as was missing, and more each time, since a
    tighter plan has more parts. Raises ``error`` where another plan would not help."""
    if outer_of(request.target) is None or error.memory != request.target.place.arena[0]:
        raise error
    missing = round_up(error.excess, SLACK_BYTES) + SLACK_BYTES + request.code_excess // 4
    return replace(request, code_excess=request.code_excess + missing)
