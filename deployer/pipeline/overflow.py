"""Plans that leave too little for code, which only the linker can tell."""

from __future__ import annotations

from dataclasses import replace

from deployer.allocate.problem import round_up
from deployer.errors import ImageTooLarge
from deployer.pipeline.options import Job
from deployer.pipeline.store import STAGES
from deployer.tile.room import outer_of

REPLANS = 4
SLACK = 512  # another plan has other code
FIRST = "restructure"  # the first stage that looks at what memory there is


def planned_again(job: Job, first: str, error: ImageTooLarge) -> tuple[Job, str]:
    """The job that leaves as much more to code as was missing, and more each time, since a tighter
    plan has more parts; and the stage to begin with. Raises ``error`` where another plan would not
    help, or the plan was given."""
    ours = STAGES.index(first) <= STAGES.index("schedule")
    if not ours or outer_of(job.target) is None or error.memory != job.target.place.arena[0]:
        raise error
    missing = round_up(error.excess, SLACK) + SLACK + job.code_excess // 4
    job.notice(f"code takes {error.excess:,} B more than estimated: planned again")
    again = replace(job, code_excess=job.code_excess + missing)
    return again, max(first, FIRST, key=STAGES.index)
