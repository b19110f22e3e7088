"""What ``deployer check`` tells of a network: layers, costs, and each memory's use."""

from __future__ import annotations

from typing import Any

from deployer.ir.plan import MemoryPlan, Schedule
from deployer.pipeline.artifacts import as_json
from deployer.pipeline.fit import require_fit
from deployer.pipeline.manifest import model_facts, step_rows
from deployer.pipeline.options import Job
from deployer.pipeline.store import Store


def survey(job: Job, store: Store) -> dict[str, Any]:
    """JSON facts of a job that ran up to allocate. Raises FitError when it does not fit."""
    schedule: Schedule = store.get("schedule")
    plan: MemoryPlan = store.get("allocate")
    fit = require_fit(schedule, plan, job.board)
    return {
        "schema": 1,
        "board": job.board.name,
        "model": model_facts(schedule.graph),
        "arena": {"bytes": plan.arena, "bound": plan.bound, "status": plan.status},
        "memories": as_json(fit.rows),
        "layers": step_rows(schedule),
    }
