"""Distance between the integer network and its float teacher (paper 001, Eq. 3.8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

from deployer.ir import Graph, QuantParams
from deployer.numerics import dequantize, quantize, run
from deployer.quantize import top1
from deployer.tools.train.tuned_facts import DistanceFacts

_MIN_POWER = 1e-20


@dataclass(frozen=True, eq=False)
class Lesson:
    """Samples as input integers, and the teacher's outputs for them."""

    inputs: Mapping[str, np.ndarray]
    targets: Mapping[str, np.ndarray]

    @property
    def count(self) -> int:
        return len(next(iter(self.inputs.values())))

    def take(self, index: np.ndarray) -> Lesson:
        """The samples at ``index``."""
        return Lesson(
            *({k: a[index] for k, a in part.items()} for part in (self.inputs, self.targets))
        )


@dataclass(frozen=True)
class Distance:
    """``mse`` in real units and ``agreement`` (share of equal top-1) per output; ``loss`` is the
    sum over outputs of mse over the teacher's variance."""

    loss: float
    mse: Mapping[str, float]
    agreement: Mapping[str, float]

    @property
    def facts(self) -> DistanceFacts:
        """As JSON types."""
        return {"loss": self.loss, "mse": self.mse, "agreement": self.agreement}


def lesson(real: Graph, integer: Graph, arrays: Mapping[str, np.ndarray]) -> Lesson:
    """Float samples for a student whose inputs are quantized as those of ``integer``."""
    inputs = {name: quantize(x, integer.values[name].q) for name, x in arrays.items()}
    return Lesson(inputs, run(real, arrays))


def powers(targets: Mapping[str, np.ndarray]) -> dict[str, float]:
    """The variance of each output: what makes the errors of several outputs comparable."""
    return {
        name: max(float(array.var(dtype=np.float64)), _MIN_POWER) for name, array in targets.items()
    }


def distance(integer: Graph, wanted: Lesson, power: Mapping[str, float]) -> Distance:
    """How far the integer pipeline's outputs are from the teacher's."""
    found = run(integer, wanted.inputs)
    mse, agreement = {}, {}
    for name, target in wanted.targets.items():
        real = dequantize(found[name], integer.values[name].q)
        mse[name] = float(np.square(real - target, dtype=np.float64).mean())
        agreement[name] = float((top1(real) == top1(target)).mean())
    return Distance(sum(mse[name] / power[name] for name in mse), mse, agreement)


def loss(
    outputs: Mapping[str, torch.Tensor],
    targets: Mapping[str, torch.Tensor],
    quants: Mapping[str, QuantParams],
    power: Mapping[str, float],
) -> torch.Tensor:
    """``Distance.loss`` of one batch, differentiable; ``outputs`` are integers."""
    total = torch.zeros(())
    for name, target in targets.items():
        real = (outputs[name] - quants[name].zero_point) * quants[name].tensor_scale
        total = total.to(real.device) + (real - target).square().mean() / power[name]
    return total
