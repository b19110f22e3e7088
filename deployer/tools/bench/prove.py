"""One prepared network on one board: does it fit, and is every layer exact?"""

from __future__ import annotations

import json
from typing import Any

from deployer.bundle_facts import RestructureFacts
from deployer.errors import FitError, ImageTooLarge
from deployer.kernelset import in_fallback
from deployer.pipeline import (
    BUILD,
    RESTRUCTURE,
    RUN,
    SCHEDULE,
    Job,
    Report,
    execute,
    open_store,
    run_job,
)
from deployer.plan import judge
from deployer.tools.bench.row import DIFFERS, EXACT, NO_FIT
from deployer.units import FigureKind

Facts = dict[str, Any]


def prove_on(job: Job) -> Facts:
    """Fields of a Row. The job's folder holds the stages up to quantize.

    Raises BenchError when toolchain or emulator fail.
    """
    try:
        store = execute(job, first=RESTRUCTURE, last=BUILD)
    except ImageTooLarge as error:
        return {"outcome": NO_FIT, "detail": error.what, "over": {error.memory: error.excess}}
    except FitError:
        return _excess(job)
    report = run_job(job, store)
    record = json.loads((store.path(RUN) / "record.jsonl").read_text())
    return {
        "outcome": EXACT if report["golden"]["match"] else DIFFERS,
        "detail": report["golden"]["first_differing_layer"] or "",
        "layers": len(report["layers"]),
        "exact_layers": sum(row["match"] for row in report["layers"]),
        "portable": sum(in_fallback(row["kernel"]) for row in report["layers"]),
        **{name: report["memory"][name] for name in ("arena", "ram", "flash")},
        "count": _count(report),
        "kind": report["counter"]["kind"],
        "unit": report["counter"]["unit"],
        "target": report["target"],
        "tool": record["tool"],
        "compiler": report["toolchain"]["compiler"],
        **_restructured(report["restructured"]),
    }


def _restructured(facts: RestructureFacts | None) -> Facts:
    if facts is None:
        return {}
    return {
        "plain_arena": facts["arena_before"],
        "regions": len(facts["regions"]),
        "added_macs": facts["added_macs"] / max(1, facts["macs_before"]),
    }


def _excess(job: Job) -> Facts:
    schedule = open_store(job).get(SCHEDULE)
    verdict = judge(schedule, job.board)
    over = {row.memory: row.excess for row in verdict.report.rows if row.excess > 0}
    return {
        "outcome": NO_FIT,
        "detail": "; ".join(verdict.refusal.why) if verdict.refusal else "",
        "over": over,
        "layers": len(schedule.steps),
        "arena": verdict.plan.arena,
    }


def _count(report: Report) -> int | None:
    if report["counter"]["kind"] == FigureKind.NONE:
        return None
    return sum(row["count"] or 0 for row in report["layers"])
