"""What a fine-tuning tells, as JSON: the keys are those of its report, in their order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict

Share = float  # of 1


class DistanceFacts(TypedDict):
    """``mse`` in real units and ``agreement`` (share of equal top-1) per output; ``loss`` is the
    sum over outputs of mse over the teacher's variance."""

    loss: float
    mse: Mapping[str, float]
    agreement: Mapping[str, float]


class Top1Facts(TypedDict):
    """Shares of the labelled samples."""

    float: Share
    before: Share
    after: Share


class GainFacts(TypedDict):
    """Integers before and after training; ``top1`` where there are labels."""

    samples: int
    before: DistanceFacts
    after: DistanceFacts
    top1: NotRequired[Top1Facts]


class EpochFacts(TypedDict):
    """``number`` 0 is the state before training, which has no training loss."""

    number: int
    loss: float | None
    held_out: float
    seconds: float


class TunedFacts(TypedDict):
    """``trained_on``: samples; ``simulation_equal``: share of all elements at which the simulation
    equals the integers."""

    epochs: list[EpochFacts]
    best_epoch: int
    seconds: float
    trained_on: int
    held_out: GainFacts
    equalized: bool
    simulation_equal: float
