"""Fine-tune a quantized network: distil the float network into its integers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from deployer.errors import ModelError
from deployer.ir import OPS, Graph
from deployer.quantize import Progress, QuantOptions, Samples, no_progress
from deployer.tools.train.augment import augmented
from deployer.tools.train.options import TrainOptions, check_options, held_out, require_torch
from deployer.tools.train.stated import with_shadows
from deployer.tools.train.tuned_facts import DistanceFacts, TunedFacts

if TYPE_CHECKING:
    from deployer.tools.train.checkpoint import State
    from deployer.tools.train.loop import Course
    from deployer.tools.train.objective import Lesson
    from deployer.tools.train.start import Start

Notice = Callable[[str], None]
Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Tuned:
    """``graph`` is float and states its quantization: ``quantize`` makes ``integer`` of it.

    ``plain`` is the integer graph before training, ``teacher`` the float graph both were made of:
    the imported one, or the same function with channels evened out. ``facts`` are JSON: epochs,
    times, and the distance to the teacher on the held-out samples before and after.
    """

    graph: Graph
    integer: Graph
    plain: Graph
    teacher: Graph
    facts: TunedFacts

    def distances(self, real: Graph, samples: Samples) -> tuple[DistanceFacts, DistanceFacts]:
        """How far the integer network is from float ``real`` on other samples, before and after."""
        from deployer.tools.train.objective import distance, lesson, powers

        wanted = lesson(real, self.plain, samples.arrays)
        power = powers(wanted.targets)
        before, after = (distance(g, wanted, power) for g in (self.plain, self.integer))
        return before.facts, after.facts


def finetune(
    real: Graph,
    samples: Samples,
    *,
    calibration: Samples,
    quant: QuantOptions,
    options: TrainOptions,
    folder: Path,
    resume: bool = False,
    progress: Progress = no_progress,
    notice: Notice = lambda text: None,
) -> Tuned:
    """Train float graph ``real``'s quantized form on unlabelled ``samples``.

    ``calibration`` sets the activations' scales, which training keeps. ``folder`` receives a
    checkpoint an epoch; ``resume`` goes on from it. Raises UsageError for options that cannot work,
    a missing PyTorch, or a checkpoint of another training, and ModelError for operators that no
    gradient passes.
    """
    require_torch()
    check_options(options, samples.count)
    check_operators(real)
    from deployer.tools.train.loop import train
    from deployer.tools.train.objective import lesson
    from deployer.tools.train.start import starting_point

    began = time.monotonic()
    start = starting_point(real, calibration, quant, progress)
    kept, taught = (lesson(real, start.plain, arrays) for arrays in _parts(options, samples.arrays))
    course = _course(start, kept, taught, options, (folder, progress, notice))
    state = train(course, start.shadows, resume=resume)
    return _tuned(course, state, start, began)


def check_operators(real: Graph) -> None:
    """Raises ModelError for operators that no gradient passes, and for steps that share weights."""
    if real.ties:
        raise ModelError(
            f"{real.name} cannot be trained",
            why=["its recurrent steps compute in int16 and share weights"],
            hints=["deploy it without finetune"],
        )
    found = [node for node in real.nodes if not OPS[node.op].trains]
    if found:
        raise ModelError(
            f"{real.name} cannot be trained",
            why=[f"{node.op} {node.name} has no gradient here" for node in found],
            hints=["deploy it without finetune"],
        )


def _course(
    start: Start,
    kept: Lesson,
    taught: Lesson,
    options: TrainOptions,
    reporting: tuple[Path, Progress, Notice],
) -> Course:
    from deployer.tools.train.loop import Course
    from deployer.tools.train.objective import powers

    folder, progress, notice = reporting
    return Course(
        stated=start.stated,
        scheme=start.scheme,
        train=taught,
        held_out=kept,
        power=powers(taught.targets),
        options=options,
        folder=folder,
        progress=progress,
        notice=notice,
    )


def _parts(options: TrainOptions, arrays: Arrays) -> tuple[Arrays, Arrays]:
    """The samples held out, and those trained on with what is made of them."""
    count = len(next(iter(arrays.values())))
    order = np.random.default_rng(options.seed).permutation(count)
    aside = held_out(options, count)
    kept, taught = (
        {name: array[np.sort(part)] for name, array in arrays.items()}
        for part in (order[:aside], order[aside:])
    )
    return kept, augmented(taught, options.augment, options.augment_with, options.seed)


def _tuned(course: Course, state: State, start: Start, began: float) -> Tuned:
    from deployer.tools.train.objective import distance
    from deployer.tools.train.proof import simulated_share

    stated, kept = course.stated, course.held_out
    integer = course.integers(state.best)
    before, after = (distance(g, kept, course.power) for g in (start.plain, integer))
    equal = simulated_share(stated, integer, state.best, kept, course.options.device)
    facts: TunedFacts = {
        "epochs": [epoch.facts for epoch in state.history],
        "best_epoch": state.best_epoch.number,
        "seconds": time.monotonic() - began,
        "trained_on": course.train.count,
        "held_out": {"samples": kept.count, "before": before.facts, "after": after.facts},
        "equalized": start.equalized,
        "simulation_equal": equal,
    }
    return Tuned(with_shadows(stated, state.best), integer, start.plain, start.real, facts)
