"""The training loop of paper 001, 3.3.3: fake quantization, straight-through gradients, shadow
weights, stochastic rounding at the end of an epoch."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from deployer.errors import UsageError
from deployer.ir import Graph
from deployer.quantize import Progress, Scheme
from deployer.tools.train import checkpoint
from deployer.tools.train.checkpoint import Epoch, State
from deployer.tools.train.objective import Lesson, distance, loss
from deployer.tools.train.options import Device, Optimizer, Rounding, TrainOptions
from deployer.tools.train.stated import WEIGHT_MAX, Shadow, linear_nodes, to_integers, with_shadows
from deployer.tools.train.student import Parameters, Student, leaves, parameters_of, shadows_of

_MOMENTUM = 0.9
_SHUFFLE, _ROUND = 0, 1  # streams of random numbers of an epoch
_LABEL = "fine-tune"


@dataclass(frozen=True, eq=False)
class Course:
    """What a training works on. ``folder`` receives the checkpoints."""

    stated: Graph
    scheme: Scheme
    train: Lesson
    held_out: Lesson
    power: Mapping[str, float]
    options: TrainOptions
    folder: Path
    progress: Progress
    notice: Callable[[str], None]

    @property
    def batches(self) -> int:
        return -(-self.train.count // self.options.batch)

    @property
    def identity(self) -> str:
        return checkpoint.fingerprint(self.stated, self.train, self.options)

    def integers(self, shadows: Mapping[str, Shadow]) -> Graph:
        return to_integers(with_shadows(self.stated, shadows), self.scheme)

    def judge(self, shadows: Mapping[str, Shadow]) -> float:
        """Loss of the integer pipeline on the held-out samples."""
        return distance(self.integers(shadows), self.held_out, self.power).loss


def train(course: Course, shadows: Mapping[str, Shadow], *, resume: bool) -> State:
    """Train to the last epoch and return its state; each epoch ends with a checkpoint.

    Raises UsageError when there is nothing, or something else, to resume.
    """
    identity, device = course.identity, chosen_device(course.options.device)
    state = checkpoint.load(course.folder, identity) if resume else _start(course, shadows)
    held = parameters_of(state.shadows, device)
    optimizer = _optimizer(course.options, leaves(held))
    if state.optimizer:
        optimizer.load_state_dict(state.optimizer)
    for number in range(len(state.history), course.options.epochs + 1):
        began = time.monotonic()
        mean = _epoch(course, held, optimizer, number, device)
        state = _after(course, state, held, optimizer, (number, mean, began))
        checkpoint.save(state, course.folder, identity)
        _tell(course, state)
    return state


def chosen_device(name: Device) -> torch.device:
    """``auto`` is the GPU where there is one. Raises UsageError for a GPU that is not there."""
    if name == Device.CUDA and not torch.cuda.is_available():
        raise UsageError(
            "PyTorch sees no CUDA device",
            hints=["use --device cpu, or install a PyTorch built for your GPU"],
        )
    if name == Device.AUTO:
        name = Device.CUDA if torch.cuda.is_available() else Device.CPU
    return torch.device(str(name))


def _start(course: Course, shadows: Mapping[str, Shadow]) -> State:
    first = Epoch(0, None, course.judge(shadows), 0.0)
    return State(shadows, {}, (first,), shadows)


def _optimizer(options: TrainOptions, tensors: list[torch.Tensor]) -> Any:
    if options.optimizer == Optimizer.SGD:
        return torch.optim.SGD(tensors, lr=options.lr, momentum=_MOMENTUM)
    return torch.optim.Adam(tensors, lr=options.lr)


def _epoch(
    course: Course,
    held: Mapping[str, Parameters],
    optimizer: Any,
    number: int,
    device: torch.device,
) -> float:
    """One pass over the training samples in an order of the epoch's own; the mean loss."""
    options = course.options
    for group in optimizer.param_groups:
        group["lr"] = options.lr * (1 - (number - 1) / options.epochs)
    integer = course.integers(shadows_of(held))
    student = Student(course.stated, integer, held, device)
    order = _random(options, number, _SHUFFLE).permutation(course.train.count)
    total = 0.0
    for i in range(course.batches):
        batch = course.train.take(order[i * options.batch : (i + 1) * options.batch])
        total += batch.count * _step(student, integer, batch, course.power, optimizer, device)
        done = (number - 1) * course.batches + i + 1
        course.progress(_LABEL, done, options.epochs * course.batches)
    return total / course.train.count


def _step(
    student: Student,
    integer: Graph,
    batch: Lesson,
    power: Mapping[str, float],
    optimizer: Any,
    device: torch.device,
) -> float:
    inputs, targets = (
        {name: torch.tensor(a, dtype=torch.float32, device=device) for name, a in part.items()}
        for part in (batch.inputs, batch.targets)
    )
    quants = {name: integer.values[name].q for name in targets}
    optimizer.zero_grad()
    value = loss(student.run(inputs), targets, quants, power)
    value.backward()
    optimizer.step()
    return float(value.detach())


def _after(
    course: Course,
    state: State,
    held: Mapping[str, Parameters],
    optimizer: Any,
    told: tuple[int, float, float],
) -> State:
    """Round, judge by the integer pipeline, and keep the better of this epoch and the best."""
    number, mean, began = told
    finite = all(bool(torch.isfinite(tensor).all()) for tensor in leaves(held))
    if not (finite and np.isfinite(mean)):
        raise UsageError(
            f"the training diverged in epoch {number}",
            hints=["lower --lr; the checkpoint of the epoch before is kept"],
        )
    if course.options.rounding == Rounding.STOCHASTIC:
        weights = [held[node.name].weight for node in linear_nodes(course.stated)]
        _round_randomly(weights, _random(course.options, number, _ROUND))
    shadows = shadows_of(held)
    epoch = Epoch(number, mean, course.judge(shadows), time.monotonic() - began)
    better = epoch.held_out < state.best_epoch.held_out
    history = (*state.history, epoch)
    return State(shadows, optimizer.state_dict(), history, shadows if better else state.best)


def _round_randomly(weights: list[torch.Tensor], random: np.random.Generator) -> None:
    """Every weight to one of its two neighbours on the grid, the nearer the likelier."""
    for weight in weights:
        steps = stochastically_rounded(weight.detach().cpu().numpy(), random)
        with torch.no_grad():
            weight.copy_(torch.from_numpy(steps))


def stochastically_rounded(x: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """float32 integers in [-127, 127] whose expectation is ``x`` where that lies inside."""
    steps = np.floor(x + random.random(x.shape, dtype=np.float32))
    return np.clip(steps, -WEIGHT_MAX, WEIGHT_MAX).astype(np.float32)


def _random(options: TrainOptions, number: int, stream: int) -> np.random.Generator:
    """Depends on the epoch alone, so a resumed training draws the same numbers."""
    return np.random.default_rng([options.seed, number, stream])


def _tell(course: Course, state: State) -> None:
    epoch = state.history[-1]
    best = " (best)" if epoch == state.best_epoch else ""
    course.notice(
        f"epoch {epoch.number} of {course.options.epochs}: loss {epoch.loss:.4g}, "
        f"held out {epoch.held_out:.4g}{best}, {epoch.seconds:.1f} s"
    )
