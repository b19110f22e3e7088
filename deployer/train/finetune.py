"""Fine-tune a quantized network: distil the float network into its integers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from deployer.ir.graph import Graph
from deployer.quantize.calibrate import Progress, no_progress
from deployer.quantize.quantize import QuantOptions, choose_scheme, quantize
from deployer.quantize.samples import Samples
from deployer.train.options import TrainOptions, check_options, held_out, require_torch
from deployer.train.stated import first_shadows, stated_graph, with_shadows

if TYPE_CHECKING:
    from deployer.train.checkpoint import State
    from deployer.train.loop import Course

Notice = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Tuned:
    """``graph`` is float and states its quantization: ``quantize`` makes ``integer`` of it.

    ``plain`` is the integer graph before training. ``facts`` are JSON: epochs, times, and the
    distance to the teacher on the held-out samples before and after.
    """

    graph: Graph
    integer: Graph
    plain: Graph
    facts: dict[str, Any]

    def distances(self, real: Graph, samples: Samples) -> tuple[dict[str, Any], dict[str, Any]]:
        """How far the integer network is from float ``real`` on other samples, before and after."""
        from deployer.train.objective import distance, lesson, powers

        wanted = lesson(real, self.plain, samples.arrays)
        power = powers(wanted.targets)
        before, after = (vars(distance(g, wanted, power)) for g in (self.plain, self.integer))
        return before, after


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
    a missing PyTorch, or a checkpoint of another training.
    """
    require_torch()
    check_options(options, samples.count)
    from deployer.train.loop import Course, train
    from deployer.train.objective import lesson, powers

    began = time.monotonic()
    # channels are not evened out: stated scales belong to the weights of ``real`` itself
    quant = replace(quant, equalize="off")
    plain = quantize(real, calibration, quant, progress=progress).graph
    stated = stated_graph(real, plain)
    everything = lesson(real, plain, samples.arrays)
    kept, taught = (everything.take(index) for index in _parts(options, samples.count))
    course = Course(
        stated=stated,
        scheme=choose_scheme(quant),
        train=taught,
        held_out=kept,
        power=powers(taught.targets),
        options=options,
        folder=folder,
        progress=progress,
        notice=notice,
    )
    state = train(course, first_shadows(stated, plain), resume=resume)
    return _tuned(course, state, plain, began)


def _parts(options: TrainOptions, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the samples held out and of those trained on."""
    order = np.random.default_rng(options.seed).permutation(samples)
    aside = held_out(options, samples)
    return np.sort(order[:aside]), np.sort(order[aside:])


def _tuned(course: Course, state: State, plain: Graph, began: float) -> Tuned:
    from deployer.train.objective import distance
    from deployer.train.proof import simulated_share

    stated, kept = course.stated, course.held_out
    integer = course.integers(state.best)
    before, after = (vars(distance(g, kept, course.power)) for g in (plain, integer))
    equal = simulated_share(stated, integer, state.best, kept, course.options.device)
    facts = {
        "epochs": [vars(epoch) for epoch in state.history],
        "best_epoch": state.best_epoch.number,
        "seconds": time.monotonic() - began,
        "trained_on": course.train.count,
        "held_out": {"samples": kept.count, "before": before, "after": after},
        "simulation_equal": equal,
    }
    return Tuned(with_shadows(stated, state.best), integer, plain, facts)
