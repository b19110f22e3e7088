"""What quantization cost: float against integers, layer by layer and for the whole network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from deployer.choices import Calibration, RequantChoice, SchemeName
from deployer.errors import UsageError
from deployer.ir import Graph, Node
from deployer.numerics import quantize, run
from deployer.quantize.mixed import WidthSearch
from deployer.quantize.samples import Dataset
from deployer.quantize.stated import StatedReport
from deployer.quantize.tune import Trial


@dataclass(frozen=True)
class ActivationReport:
    """One activation of the integer network beside its float value, over all samples.

    ``sqnr_db`` is signal to quantization noise, None when there is no noise or no signal;
    ``max_abs_error`` is in real units, ``saturated`` the share of float values that the integer
    range cannot hold.
    """

    name: str
    bits: int
    scale: float
    zero_point: int
    sqnr_db: float | None
    max_abs_error: float
    saturated: float


@dataclass(frozen=True)
class LayerReport:
    """``rule`` is empty and ``deviation`` 0 where nothing is requantized.

    ``deviation`` bounds, in output steps, what the integer multipliers lose.
    """

    node: str
    op: str
    rule: str
    deviation: float
    output: ActivationReport


@dataclass(frozen=True)
class OutputReport:
    """A network output. ``top1_agreement``: share of samples with the largest element in place."""

    name: str
    sqnr_db: float | None
    max_abs_error: float
    top1_agreement: float


@dataclass(frozen=True)
class Decisions:
    """How the scales were found and which corrections were made.

    ``percentile`` is None for the other methods; ``trials`` is empty where nothing was left open,
    ``mixed`` None where no search chose the widths.
    """

    calibrate: Calibration
    percentile: float | None
    equalize: bool
    bias_correction: bool
    trials: tuple[Trial, ...]
    mixed: WidthSearch | None = None


@dataclass(frozen=True)
class QuantReport:
    """``samples`` is how many were compared; ``notes`` lists decisions a user should read, and
    ``warnings`` those of them that make the result doubtful. ``stated`` is None for a model that
    came without a quantization."""

    scheme: SchemeName
    requant: RequantChoice
    decisions: Decisions
    samples: int
    inputs: tuple[ActivationReport, ...]
    layers: tuple[LayerReport, ...]
    outputs: tuple[OutputReport, ...]
    notes: tuple[str, ...]
    stated: StatedReport | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Accuracy:
    """Top-1 shares over the labelled samples, and how often float and integer agree."""

    samples: int
    float_top1: float
    integer_top1: float
    agreement: float


def layer_reports(
    graph: Graph, outputs: tuple[ActivationReport, ...], deviations: Mapping[str, float]
) -> tuple[LayerReport, ...]:
    """The activations' reports joined with what was decided for each node of integer ``graph``."""
    return tuple(
        LayerReport(node.name, node.op, _rule(node), deviations.get(node.name, 0.0), report)
        for node, report in zip(graph.nodes, outputs, strict=True)
    )


def accuracy(real: Graph, integer: Graph, dataset: Dataset) -> Accuracy:
    """Top-1 of the first output of both graphs over the samples whose label is known.

    Raises UsageError when the dataset has no labels.
    """
    if dataset.labels is None or not (dataset.labels >= 0).any():
        raise UsageError(
            f"{dataset.samples.source} has no labels",
            hints=["store the class numbers as an integer array named label"],
        )
    known = dataset.labels >= 0
    arrays = {name: array[known] for name, array in dataset.samples.arrays.items()}
    steps = {name: quantize(x, integer.values[name].q) for name, x in arrays.items()}
    expected = top1(run(real, arrays)[real.outputs[0]])
    found = top1(run(integer, steps)[integer.outputs[0]])
    labels = dataset.labels[known]
    return Accuracy(
        samples=len(labels),
        float_top1=float((expected == labels).mean()),
        integer_top1=float((found == labels).mean()),
        agreement=float((expected == found).mean()),
    )


def _rule(node: Node) -> str:
    return node.requant.rule if node.requant else ""


def top1(scores: np.ndarray) -> np.ndarray:
    """Index of the largest element of each sample, the first of equals."""
    largest: np.ndarray = scores.reshape(len(scores), -1).argmax(axis=1)
    return largest
