"""What a picture is drawn from: the artifacts at a path, and those of the stages beside it."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from pathlib import Path

from deployer.analysis import Profile, profile_of
from deployer.board import Board, board_names, load_board
from deployer.errors import DeployerError, UsageError
from deployer.files import existing
from deployer.ir import Graph, MemoryPlan, Schedule, load_sound
from deployer.pipeline import ALLOCATE, FORMATS, Notice, Options, Survey, make_job, survey
from deployer.plan import judge

_PLAN, _SCHEDULE, _QUANTIZED = "4-allocate", "3-schedule", "1-quantize"
_LATER = ("5-tile", "6-generate", "7-build", "8-run")
_GRAPHS = ("2-restructure", _QUANTIZED, "0-import")
_ANY = "host"  # the board whose kernels stand in for none
_HEADS = ("plan.json", "schedule.json", "graph.json")  # of a stage folder, first match


@dataclass(frozen=True, eq=False)
class Scene:
    """``subject`` is what lies at the path; the rest belongs to the same job, None if unknown.

    ``profile`` needs the schedule.
    """

    subject: Graph | Schedule | MemoryPlan
    graph: Graph | None
    schedule: Schedule | None
    plan: MemoryPlan | None
    board: Board | None
    profile: Profile | None = None


def scene_at(
    path: Path, board: str = "", board_dir: Path | None = None, *, profiled: bool = False
) -> Scene:
    """The scene of a stage folder, a file in one, or a whole job's folder; with its profile, which
    takes a while, where wanted.

    Without ``board`` it is read off the job folder's name. Raises UsageError when nothing there
    can be drawn.
    """
    existing(path, "file or folder")
    file = _artifact_file(path)
    subject = _plan(file.parent) if file.name == "plan.json" else load_sound(file)
    if not isinstance(subject, Graph | Schedule | MemoryPlan):
        raise _no_picture(path)
    job = file.resolve().parent.parent
    if isinstance(subject, Graph):  # of an earlier stage: later ones may be of another graph
        return Scene(subject, subject, None, None, _board(job, board, board_dir))
    schedule = subject if isinstance(subject, Schedule) else _schedule_beside(job)
    plan = subject if isinstance(subject, MemoryPlan) else _plan_beside(job)
    if schedule is not None and plan is not None and not _agree(schedule, plan):
        schedule, plan = (None, plan) if subject is plan else (schedule, None)
    graph, found = schedule.graph if schedule else None, _board(job, board, board_dir)
    profile = _profile(job, schedule, found) if schedule and profiled else None
    return Scene(subject, graph, schedule, plan, found, profile)


def scene_of_model(model: Path, board: str, board_dir: Path | None, notice: Notice) -> Scene:
    """The scene of a model that is not built; without a board nothing limits its memory."""
    existing(model, "file or folder")
    job = make_job(model, board or _ANY, options=Options(), board_dir=board_dir, notice=notice)
    return surveyed(survey(job), job.board if board else None)


def surveyed(found: Survey, board: Board | None) -> Scene:
    profile = found.profile if board else replace(found.profile, room=0, memories="")
    graph = found.schedule.graph
    return Scene(graph, graph, found.schedule, found.plan if board else None, board, profile)


def _artifact_file(path: Path) -> Path:
    if path.is_file():
        if path.name not in _HEADS:
            raise _no_picture(path)
        return path
    if not any((path / name).is_file() for name in _HEADS) and path.name in _LATER:
        path = path.resolve().parent  # what led to it
    folders = [path, *(path / name for name in (_PLAN, _SCHEDULE, *_GRAPHS))]
    for folder in folders:
        for name in _HEADS:
            if (folder / name).is_file():
                return folder / name
    raise _no_picture(path)


def _no_picture(path: Path) -> UsageError:
    return UsageError(
        f"nothing to draw in {path}",
        hints=["name a folder like build/m-b or build/m-b/4-allocate"],
    )


def _plan(folder: Path) -> MemoryPlan:
    """With the offsets of allocation.csv, which may have been edited by hand."""
    edited = (folder / "allocation.csv").is_file()
    plan: MemoryPlan = (
        FORMATS[ALLOCATE].read(folder) if edited else load_sound(folder / "plan.json")
    )
    return plan


def _schedule_beside(job: Path) -> Schedule | None:
    file = job / _SCHEDULE / "schedule.json"
    found = load_sound(file) if file.is_file() else None
    return found if isinstance(found, Schedule) else None


def _plan_beside(job: Path) -> MemoryPlan | None:
    return _plan(job / _PLAN) if (job / _PLAN / "plan.json").is_file() else None


def _profile(job: Path, schedule: Schedule, board: Board | None) -> Profile:
    """Beside the quantized graph, whose order is the model's, if it has the same nodes."""
    file = job / _QUANTIZED / "graph.json"
    plain = load_sound(file) if file.is_file() else None
    names = {node.name for node in schedule.graph.nodes}
    if not isinstance(plain, Graph) or {node.name for node in plain.nodes} != names:
        plain = schedule.graph
    rooms = judge(schedule, board).problem.capacities if board else ()
    return profile_of(plain, schedule, rooms=rooms)


def _agree(schedule: Schedule, plan: MemoryPlan) -> bool:
    """Whether the plan places this schedule's tensors: stages may have been run again since."""
    graph = schedule.graph
    scratch = {f"{step.node}.scratch" for step in schedule.steps}
    return {p.buffer.id for p in plan.placements} <= {*graph.values, *scratch}


def _board(job: Path, name: str, board_dir: Path | None) -> Board | None:
    """The named board, or the longest one that the job folder's name ends in."""
    if name:
        return load_board(name, board_dir)
    known = [n for n in board_names(board_dir) if job.name.endswith(f"-{n}")]
    with contextlib.suppress(DeployerError):
        return load_board(max(known, key=len), board_dir) if known else None
    return None
