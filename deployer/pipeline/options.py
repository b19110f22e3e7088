"""What a user may choose for one run of the pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from deployer.choices import (
    Calibration,
    ConstantCopies,
    Correction,
    EffortName,
    HotCode,
    KernelPolicy,
    KernelSet,
    Objective,
    RequantChoice,
    Restructuring,
    SchemeName,
    Sharing,
    SoftmaxOn,
    TilerName,
)
from deployer.plan import Limits
from deployer.quantize import Goal


@dataclass(frozen=True)
class Options:
    """Every option that shapes the result, except the model and the board."""

    scheme: SchemeName = SchemeName.MULTIPLY_SHIFT
    requant: RequantChoice = RequantChoice.AUTO
    softmax: SoftmaxOn = SoftmaxOn.HOST
    calibrate: Calibration = Calibration.AUTO
    percentile: float = 99.99
    equalize: Correction = Correction.AUTO
    bias_correction: Correction = Correction.AUTO
    bits: int = 8
    bits_of: tuple[tuple[str, int], ...] = ()
    mixed: Goal | None = None
    calibration: Path | None = None
    input_scale: float = 1.0
    input_offset: float = 0.0
    input_shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()
    cut: tuple[str, ...] = ()
    seed: int = 0
    golden_samples: int = 4
    tuned: Path | None = None
    restructure: Restructuring = Restructuring.AUTO
    ram: int | None = None
    flash: int | None = None
    kernel_code: int | None = None
    optimize: Objective = Objective.TIME
    stream_input: bool = False
    share: Sharing = Sharing.ON
    choose: KernelPolicy = KernelPolicy.COST
    place: ConstantCopies = ConstantCopies.AUTO
    hot_code: str = HotCode.OFF
    tiler: TilerName = TilerName.COST
    effort: EffortName = EffortName.NORMAL
    threads: int | None = None
    kernels: KernelSet = KernelSet.BOARD
    cmsis_nn_lib: Path | None = None
    cmsis_nn_include: Path | None = None

    @property
    def limits(self) -> Limits:
        """What of them the planner keeps to."""
        return Limits(
            ram=self.ram,
            flash=self.flash,
            kernel_code=self.kernel_code,
            restructure=self.restructure,
            optimize=self.optimize,
            stream_input=self.stream_input,
            share=self.share,
            choose=self.choose,
            place=self.place,
            tiler=self.tiler,
            effort=self.effort,
        )


def as_option(name: str, value: Any) -> Any:
    """``value``, read from a file, as the field ``name`` of Options has it: a word becomes a member
    of its enumeration. A word that is none stays, for whoever decides by it to refuse."""
    words = _words().get(name)
    return words(value) if words and value in tuple(words) else value


@cache
def _words() -> dict[str, type[StrEnum]]:
    hints = get_type_hints(Options).items()
    kinds = {name: kind for name, kind in hints if isinstance(kind, type)}
    return {name: kind for name, kind in kinds.items() if issubclass(kind, StrEnum)}
