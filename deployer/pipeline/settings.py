"""What shapes each stage beside earlier stages: options, the model, the board; as JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from deployer import bundle
from deployer.board import Board, console_rate
from deployer.errors import UsageError
from deployer.ir import Graph
from deployer.pipeline.artifacts import (
    ALLOCATE,
    BUILD,
    GENERATE,
    IMPORT,
    QUANTIZE,
    RESTRUCTURE,
    TILE,
    as_json,
)
from deployer.pipeline.job import Job
from deployer.pipeline.made import Made
from deployer.pipeline.options import as_option
from deployer.pipeline.store import STAGES, Store, files_in, hashes
from deployer.pipeline.tuned import NAME, digest
from deployer.quantize import Goal, GoalKind

# the first stage that each option shapes; later ones depend on it through that stage
FIRST_STAGE: Mapping[str, str] = {
    **dict.fromkeys(("softmax", "cut", "input_shapes"), IMPORT),
    **dict.fromkeys(
        (
            "scheme",
            "requant",
            "calibrate",
            "percentile",
            "equalize",
            "bias_correction",
            "bits",
            "bits_of",
            "mixed",
            "calibration",
            "input_scale",
            "input_offset",
            "seed",
            "golden_samples",
            "tuned",
        ),
        QUANTIZE,
    ),
    **dict.fromkeys(
        (
            "restructure",
            "ram",
            "flash",
            "kernel_code",
            "optimize",
            "stream_input",
            "share",
            "choose",
            "effort",
            "kernels",
            "threads",
        ),
        RESTRUCTURE,
    ),
    "place": ALLOCATE,
    "tiler": TILE,
    "hot_code": GENERATE,
    **dict.fromkeys(("cmsis_nn_lib", "cmsis_nn_include"), BUILD),
}
_MODEL, _SIDE, _PLANNED, _TARGET = "model", "weights in", "memories and kernels", "target"
_BAUD = "baud"
_SIDE_META = "data_sha256/"
_FLAGS = {"golden_samples": "golden", "input_shapes": "input-shape"}


def settings_of(job: Job, stage: str, side: Iterable[str] = ()) -> dict[str, Any]:
    """What shapes ``stage`` of ``job``, of what earlier ones do not state. Options that name files
    have the hash of what is in them. ``side``: files with weights, beside the model."""
    options = {name: _written(getattr(job.options, name)) for name in _options_of(stage)}
    return {**options, **_facts(job, stage, side)}


def side_files(graph: Graph) -> list[str]:
    """Names of the files beside the model that held weights of the imported ``graph``."""
    names = (key.removeprefix(_SIDE_META) for key in graph.meta if key.startswith(_SIDE_META))
    return sorted(names)


def _options_of(stage: str) -> tuple[str, ...]:
    return tuple(name for name, first in FIRST_STAGE.items() if first == stage)


def _facts(job: Job, stage: str, side: Iterable[str]) -> dict[str, Any]:
    if stage == IMPORT:
        found = {f"{_SIDE} {name}": _sha256(job.model.parent / name) for name in side}
        return {_MODEL: _sha256(job.model), **found}
    if stage == RESTRUCTURE:
        return {_PLANNED: _hash([*_plan_facts(job.board), *_target_facts(job.target)])}
    if stage == GENERATE:
        return {_TARGET: [job.target.name, _hash(as_json(replace(job.target, runners={})))]}
    if stage == BUILD:
        return {_BAUD: console_rate(job.target, job.runner), **job.mlperf.stated}
    return {}


def _plan_facts(board: Board) -> list[Any]:
    """What a plan weighs and fills."""
    return [as_json(part) for part in (board.memories, board.place, board.cost, board.stack_bytes)]


def _target_facts(target: Board) -> list[Any]:
    """What a plan needs to find where it runs; a board and its emulated twin have the same."""
    memories = sorted((memory.name, memory.size, memory.level) for memory in target.memories)
    costs = target.tiles, target.code
    return [as_json(part) for part in (memories, target.kernels, target.dmas, target.cores, costs)]


def _hash(facts: Any) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]


def _sha256(path: Path) -> str:
    """Empty for a path where no file is."""
    return bundle.sha256(path) if path.is_file() else ""


def _content_hash(path: Path) -> str:
    """Of a file, or of all files in a folder; of a fine-tuned network that of its arrays, since
    training goes on beside them."""
    if (path / NAME).with_suffix(".npz").is_file():
        return digest(path)
    return _hash(hashes(path, files_in(path))) if path.is_dir() else _sha256(path)


def _written(value: Any) -> Any:
    """An option's value as JSON."""
    if isinstance(value, Path):
        return {"path": str(value), "sha256": _content_hash(value)}
    if isinstance(value, Goal):
        return {"goal": value.kind, "amount": value.amount}
    return as_json(value)


def option_value(written: Any) -> Any:
    """The inverse for options."""
    if isinstance(written, dict) and "path" in written:
        return Path(written["path"])
    if isinstance(written, dict):
        return Goal(GoalKind(written["goal"]), written["amount"])
    return _tuples(written)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def recorded_options(store: Store, first: str) -> dict[str, Any]:
    """The options that the stages before ``first`` were made with, by field of ``Options``."""
    found = {}
    for stage in STAGES[: STAGES.index(first)]:
        made = store.provenance(stage)
        for name in _options_of(stage):
            if made and made.settings and name in made.settings:
                found[name] = as_option(name, option_value(made.settings[name]))
    return found


def require_fresh(job: Job, store: Store, first: str) -> None:
    """Refuse to join stages of different jobs: those before ``first`` are read from disk.

    Raises UsageError naming the first stage that was made from other stages, options, model or
    board than ``job`` has now.
    """
    for stage in STAGES[: STAGES.index(first)]:
        made = store.provenance(stage)
        if made is None:
            continue
        why = [*_other_inputs(made, store), *_other_settings(made, job)]
        if why:
            raise UsageError(
                f"stage {stage} is stale: --from {first} would join parts of two jobs",
                why=why,
                hints=[f"--from {stage} makes it again", "or give the options it was made with"],
            )


def _other_inputs(made: Made, store: Store) -> list[str]:
    earlier = STAGES[: STAGES.index(made.stage)]
    changed = [name for name in earlier if store.digest(name) != made.inputs.get(name, "")]
    return [line for name in changed for line in _changes(store, name, made.stage)]


def _changes(store: Store, name: str, later: str) -> list[str]:
    """How stage ``name`` is another than ``later`` was made from."""
    folder, made = store.path(name), store.provenance(name)
    then = made.files if made else {}
    now = hashes(folder, (file for file in then if (folder / file).is_file()))
    edited = [file for file in then if now.get(file) != then[file]]
    if not edited:
        return [f"{name} was made again after {later}"]
    return [f"{folder / file} was changed after {later} was made" for file in edited]


def _other_settings(made: Made, job: Job) -> list[str]:
    if made.settings is None:
        return []
    then = made.settings
    side = [name.removeprefix(f"{_SIDE} ") for name in then if name.startswith(f"{_SIDE} ")]
    now = settings_of(job, made.stage, side)
    names = [
        name for name in {**then, **now} if _content(then.get(name)) != _content(now.get(name))
    ]
    return [_difference(name, then.get(name), now.get(name), job) for name in names]


def _content(written: Any) -> Any:
    """Of a file only what is in it."""
    return written["sha256"] if isinstance(written, dict) and "sha256" in written else written


def _difference(name: str, then: Any, now: Any, job: Job) -> str:
    if name == _MODEL or name.startswith(_SIDE):
        return f"{job.model.name} is another model now" if now else f"{job.model} is not there"
    if name == _PLANNED:
        return f"it was planned for other memories, kernels or costs than {job.board.name}'s now"
    if name == _TARGET:
        return f"it was made for {_target_name(then)}, this is for {job.target.name}"
    flag = "--" + _FLAGS.get(name, name.replace("_", "-"))
    return f"{flag} was {_shown(then)}, it is {_shown(now)}"


def _target_name(written: Any) -> str:
    return str(written[0]) if isinstance(written, list) and written else "another target"


def _shown(written: Any) -> str:
    if isinstance(written, dict) and "path" in written:
        return f"{written['path']} with sha256 {written['sha256'][:8] or 'unknown'}"
    if isinstance(written, dict):
        return str(option_value(written))
    return "not given" if written in (None, [], ()) else str(written)
