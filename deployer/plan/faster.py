"""A plan that takes some bytes more than the smallest arena and far less time, if there is one."""

from __future__ import annotations

from deployer.choices import Objective
from deployer.ir import Graph
from deployer.plan.front import FrontPlan, Search, has_front

MORE_SHARES = (1.05, 1.1, 1.2, 1.4)  # of the smallest arena
FAR_SLOWER = 1.5  # times the cycles of the other


def faster(search: Search, chosen: Graph) -> tuple[FrontPlan, FrontPlan] | None:
    """``chosen``, the plan by ``--optimize ram`` of what ``search`` searches, and one of few bytes
    more that is far faster; None without one, or where RAM is not what the request asks to save."""
    request = search.request
    if request.limits.optimize != Objective.RAM or not has_front(request):
        return None
    least = search.plan(chosen)
    for share in MORE_SHARES:
        found = search.within(int(least.arena * share))
        if found is not None and found.cycles * FAR_SLOWER <= least.cycles:
            return least, found
    return None
