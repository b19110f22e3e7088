"""What a user chooses by a word: each option's values, stated once.

The command line offers them before any package that decides by them is loaded, so this module
imports nothing of the compiler. Words that only one package decides by stand in that package.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Word(StrEnum):
    """An enumeration whose members are their values: they print, compare and are written as such,
    in the repr of what holds them, too."""

    def __repr__(self) -> str:
        return repr(self.value)


class SchemeName(Word):
    """``--scheme``: how reals become integers (docs/arithmetic.md), or that they stay
    (docs/float.md)."""

    MULTIPLY_SHIFT = "multiply-shift"
    POWER_OF_TWO = "power-of-two"
    FLOAT = "float"


class RequantChoice(Word):
    """``--requant``: the rule of the multiply-shift scheme, or each layer's best."""

    AUTO = "auto"
    I32 = "i32"
    Q16 = "q16"
    Q32 = "q32"
    Q31 = "q31"


class EffortName(Word):
    """``--effort``: how much work goes into what is not solved or proven sooner."""

    FAST = "fast"
    NORMAL = "normal"
    BEST = "best"


class DbInput(Word):
    """``--db-input``: what ``db`` brings a device, as MLPerf Tiny's runner sends its files."""

    INT8 = "int8"
    UINT8 = "uint8"
    FLOAT32 = "float32"


@dataclass(frozen=True)
class Mlperf:
    """How an image talks to MLPerf Tiny's runner. ``energy_mode``: whether it starts in that;
    ``db_input``: what its files hold; ``anomaly_score``: its result is how far the output is from
    the input."""

    energy_mode: bool = False
    db_input: DbInput = DbInput.INT8
    anomaly_score: bool = False

    @property
    def stated(self) -> dict[str, bool | str]:
        """What is not as usual, by the option that says so."""
        files = "" if self.db_input == DbInput.INT8 else str(self.db_input)
        found: dict[str, bool | str] = {
            "energy-mode": self.energy_mode,
            "db-input": files,
            "anomaly-score": self.anomaly_score,
        }
        return {name: value for name, value in found.items() if value}


USUAL_MLPERF = Mlperf()


class SoftmaxOn(Word):
    """``--softmax``: who computes one that ends the network."""

    HOST = "host"
    DEVICE = "device"


class Calibration(Word):
    """``--calibrate``: how ranges follow from samples. ``AUTO`` is the scheme's own method."""

    AUTO = "auto"
    MINMAX = "minmax"
    PERCENTILE = "percentile"
    MSE = "mse"
    ENTROPY = "entropy"


class Correction(Word):
    """``--equalize`` and ``--bias-correction``. ``AUTO``: where held-out samples gain."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


class Restructuring(Word):
    """``--restructure``. ``AUTO``: where the network does not fit otherwise; ``ALG3``: always, by
    Algorithm 3 (docs/restructuring.md)."""

    AUTO = "auto"
    OFF = "off"
    ALG3 = "alg3"


class Objective(Word):
    """``--optimize``: least work that fits, least product of arena and time, least RAM, or least
    flash by kernels of the same family."""

    TIME = "time"
    BALANCED = "balanced"
    RAM = "ram"
    FLASH = "flash"


class Sharing(Word):
    """``--share``: whether values may lie in each other's bytes."""

    ON = "on"
    OFF = "off"


class KernelPolicy(Word):
    """``--choose``: a layer's kernel by the board's cost table, or the first of its list."""

    COST = "cost"
    FIRST = "first"


class ConstantCopies(Word):
    """``--place``: whether start-up copies constants to a faster memory."""

    AUTO = "auto"
    OFF = "off"


class HotCode(Word):
    """``--hot-code``: whether start-up copies kernels to a memory for code."""

    ITCM = "itcm"
    OFF = "off"


class TilerName(Word):
    """``--tiler``: fewest estimated cycles, DORY's objective, or the largest tiles."""

    COST = "cost"
    DORY = "dory"
    SIZE = "size"


class IssuePairs(Word):
    """``--issue-rules``: what the model of the Cortex-M7 pairs, as boards were measured to do or
    as earlier releases assumed."""

    MEASURED = "measured"
    LOOSE = "loose"


class KernelSet(Word):
    """``--kernels``: the board's own, or before them those that call the user's CMSIS-NN."""

    BOARD = "board"
    CMSIS_NN = "cmsis-nn"


class ArenaOwner(Word):
    """``--arena`` of a library: an arena for each network, one for all, or the caller's."""

    OWN = "own"
    SHARED = "shared"
    CALLER = "caller"


class GraphStyle(Word):
    """``--style`` of ``deployer zoo``: the exporter whose graphs a written network looks like."""

    PLAIN = "plain"
    TORCHSCRIPT = "torchscript"
    DYNAMO = "dynamo"
