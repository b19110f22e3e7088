"""What a user may choose for one run of the pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from deployer.plan import Limits
from deployer.quantize import Goal

BOARD = "board"
NO_HOT_CODE = "off"


@dataclass(frozen=True)
class Options:
    """Every option that shapes the result, except the model and the board."""

    scheme: str = "multiply-shift"
    requant: str = "auto"
    softmax: str = "host"
    calibrate: str = "auto"
    percentile: float = 99.99
    equalize: str = "auto"
    bias_correction: str = "auto"
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
    restructure: str = "auto"
    ram: int | None = None
    optimize: str = "time"
    stream_input: bool = False
    share: str = "on"
    choose: str = "cost"
    place: str = "auto"
    hot_code: str = NO_HOT_CODE
    tiler: str = "cost"
    kernels: str = BOARD
    cmsis_nn_lib: Path | None = None
    cmsis_nn_include: Path | None = None

    @property
    def limits(self) -> Limits:
        """What of them the planner keeps to."""
        return Limits(
            ram=self.ram,
            restructure=self.restructure,
            optimize=self.optimize,
            stream_input=self.stream_input,
            share=self.share,
            choose=self.choose,
            place=self.place,
            tiler=self.tiler,
        )
